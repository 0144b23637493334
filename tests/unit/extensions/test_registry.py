"""How extensions are found, and how their versions are told apart."""

from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import ClassVar

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tests.unit.extensions.written import marking
from tileir_xdsl.extensions import Extension, PlacedPass, register, registry
from tileir_xdsl.options import OptionError
from tileir_xdsl.passes import PASSES


class Nothing(ModulePass):
    name: ClassVar[str] = "do-nothing"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        pass


def extension(name: str, pass_type: type[ModulePass] = Nothing) -> Extension:
    placed = PlacedPass(pass_type, level="nv_tileas", after="tileas-canonicalize")
    return Extension(name, passes=(placed,))


pytestmark = pytest.mark.usefixtures("forgotten_extensions")


def install(monkeypatch: pytest.MonkeyPatch, **modules: str) -> None:
    points = EntryPoints(
        EntryPoint(name, f"{module}:EXTENSION", registry.GROUP) for name, module in modules.items()
    )

    def entry_points(group: str) -> EntryPoints:
        return points.select(group=group)

    monkeypatch.setattr(registry, "entry_points", entry_points)


def test_a_registered_one_is_found_by_name():
    mine = register(extension("mine"))
    assert registry.find("mine") is mine
    assert registry.installed()["mine"] == registry.HERE


def test_one_of_the_same_name_takes_its_place():
    register(extension("mine"))
    again = register(extension("mine"))
    assert registry.find("mine") is again


def test_an_installed_one_is_found_by_its_entry_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    marking(tmp_path, name="installed_here")
    monkeypatch.syspath_prepend(str(tmp_path))
    install(monkeypatch, peephole="installed_here")
    assert registry.find("peephole").name == "installed_here"
    assert registry.installed() == {"peephole": "installed_here"}


def test_an_unknown_name_is_told_with_the_nearest(monkeypatch: pytest.MonkeyPatch):
    install(monkeypatch, my_peephole="nowhere")
    message = (
        "extensions=my_pephole: there is no extension of this name, did you mean 'my_peephole'"
    )
    with pytest.raises(OptionError, match=message):
        registry.find("my_pephole")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import nothing_of_this_name", "cannot be imported: ModuleNotFoundError: No module named"),
        ("EXTENSION = (", "cannot be imported: SyntaxError"),
        ("EXTENSION = 3", "expected EXTENSION to be an Extension, got int"),
        ("x = 3", "expected EXTENSION to be an Extension, it has none"),
        ("x = 3\ny = x.z\n", r"no attribute 'z' \(wrong.py, line 2\)"),
    ],
)
def test_a_file_that_holds_none_is_told(text: str, message: str, tmp_path: Path):
    file = tmp_path / "wrong.py"
    file.write_text(text)
    with pytest.raises(OptionError, match=message):
        registry.find(str(file))


def test_a_file_that_is_not_there_is_told(tmp_path: Path):
    with pytest.raises(OptionError, match="there is no such file"):
        registry.find(str(tmp_path / "absent.py"))


def test_loading_makes_passes_known():
    registry.load([register(extension("mine")).name])
    assert PASSES["do-nothing"].load() is Nothing
    assert PASSES["do-nothing"].origin == "mine"


def test_files_of_one_name_in_two_folders_are_two_extensions(tmp_path: Path):
    files: list[str] = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        written = Path(marking(folder, name=name, pass_name=f"mark-{name}"))
        files.append(str(written.rename(folder / "same.py")))
    first, _ = registry.load(files)
    assert registry.find(files[0]) is first


def test_a_path_is_of_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        Path(marking(folder, name=name)).rename(folder / "same.py")
        monkeypatch.chdir(folder)
        assert registry.find("same.py").name == name


def test_a_name_that_is_given_twice_is_told(tmp_path: Path):
    file = marking(tmp_path)
    with pytest.raises(OptionError, match="is named twice"):
        registry.load([file, file])


def test_two_extensions_of_one_name_are_told(tmp_path: Path):
    file = marking(tmp_path)
    other = str(tmp_path / "other.py")
    Path(other).write_text(Path(file).read_text())
    name = registry.find(file).name
    with pytest.raises(
        OptionError, match=f"named twice: .*{Path(file).name} is an .* '{name}', too"
    ):
        registry.load([file, other])


def test_passes_of_one_name_are_told():
    class Other(Nothing):
        pass

    for each in (extension("mine"), extension("yours", Other)):
        register(each)
    with pytest.raises(OptionError, match="pass 'do-nothing' has the name of a pass of mine"):
        registry.load(["mine", "yours"])


def test_a_pass_with_the_name_of_ours_is_told():
    class Canonicalize(Nothing):
        name: ClassVar[str] = "tileas-canonicalize"

    register(extension("mine", Canonicalize))
    with pytest.raises(OptionError, match="has the name of a pass of tileir_xdsl"):
        registry.load(["mine"])


def test_an_edited_file_is_another_version_and_runs(tmp_path: Path):
    file = marking(tmp_path, 1)
    (first,), digest = registry.load([file]), registry.digests([file])
    assert registry.find(file) is first
    assert registry.digests([marking(tmp_path, 2)]) != digest
    (second,) = registry.load([file])
    assert PASSES["mark"].load() is second.passes[0].pass_type is not first.passes[0].pass_type
    assert registry.digests([marking(tmp_path, 1)]) == digest


def test_so_is_one_whose_neighbour_was_edited(tmp_path: Path):
    file = tmp_path / "with_neighbour.py"
    file.write_text(
        Path(marking(tmp_path)).read_text().replace("\nEXTENSION", "\nimport beside_it\nEXTENSION")
    )
    beside = tmp_path / "beside_it.py"
    beside.write_text("x = 1")
    digest = registry.digests([str(file)])
    beside.write_text("x = 2")
    assert registry.digests([str(file)]) != digest


def test_so_is_an_installed_package_with_an_edited_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    package = tmp_path / "package_here"
    package.mkdir()
    marking(package, name="inner")
    (package / "__init__.py").write_text("from package_here.inner import EXTENSION")
    monkeypatch.syspath_prepend(str(tmp_path))
    install(monkeypatch, mine="package_here")
    first, digest = registry.find("mine"), registry.digests(["mine"])
    marking(package, 3, name="inner")
    assert registry.digests(["mine"]) != digest
    assert registry.find("mine").passes[0].pass_type is not first.passes[0].pass_type


def test_another_process_that_does_not_know_it_is_told(monkeypatch: pytest.MonkeyPatch):
    digests = registry.digests([register(extension("mine")).name])
    monkeypatch.setattr(registry, "_registered", {})
    message = "extensions=mine: in a process that compiles, there is no extension of this name"
    with pytest.raises(OptionError, match=message):
        registry.expect(digests)


def test_another_process_with_another_version_is_told(tmp_path: Path):
    file = marking(tmp_path, 1)
    digests = registry.digests([file])
    registry.expect(digests)
    marking(tmp_path, 2)
    with pytest.raises(
        OptionError, match="has another version in a process that compiles than in the main process"
    ):
        registry.expect(digests)
