"""What of xDSL is used beyond its interface, and what happens with versions that were not tested."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name

import pytest
import xdsl

from tests.unit.tools import REPOSITORY
from tileir_xdsl import xdsl_versions
from tileir_xdsl.bytecode.writer import write
from tileir_xdsl.cli.main import main
from tileir_xdsl.runtime.reader import new_context, read_file
from tileir_xdsl.universe import UNIVERSE
from tileir_xdsl.xdsl_versions import PRIVATE_NAMES, TESTED, PrivateName

PACKAGE = REPOSITORY / "tileir_xdsl"
PRIVATE = re.compile(r"\b_[a-z][a-z_]*\b")
LISTED = {(name.name, user) for name in PRIVATE_NAMES for user in name.users}


@cache
def private_names_of(file: Path) -> frozenset[str]:
    return frozenset(PRIVATE.findall(file.read_text("utf-8")))


def names_in_class(node: ast.ClassDef) -> set[str]:
    """The private names that a class defines, or takes from itself, its object or its base."""
    defined = {
        target.id
        for inner in node.body
        for target in (inner.targets if isinstance(inner, ast.Assign) else [])
        if isinstance(target, ast.Name)
    }
    methods = {inner.name for inner in node.body if isinstance(inner, ast.FunctionDef)}
    taken = {inner.attr for inner in ast.walk(node) if isinstance(inner, ast.Attribute)}
    return {name for name in defined | methods | taken if PRIVATE.fullmatch(name)}


def xdsl_classes(cls: type) -> Iterator[type]:
    return (base for base in cls.__mro__ if base.__module__.partition(".")[0] == "xdsl")


def used_privately(file: Path) -> set[tuple[str, str]]:
    """The private names of xDSL that the classes of a file share with their bases there."""
    module = ".".join(file.relative_to(REPOSITORY).with_suffix("").parts)
    found: set[tuple[str, str]] = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.ClassDef) and (names := names_in_class(node)):
            cls = getattr(import_module(module), node.name, None)
            for base in xdsl_classes(cls) if isinstance(cls, type) else ():
                theirs = private_names_of(Path(inspect.getfile(base)))
                found |= {(name, module) for name in names & theirs if name in members(base)}
    return found


def members(cls: type) -> set[str]:
    """What a class has, and what its methods set on its objects."""
    return {*vars(cls), *re.findall(r"self\.(_\w+)\s*[:=]", inspect.getsource(cls))} | {
        *inspect.get_annotations(cls)
    }


@cache
def xdsl_private_names() -> frozenset[str]:
    """Those of the parts of xDSL that have classes to derive from."""
    root = Path(xdsl.__file__).parent
    files = [*root.glob("*.py"), *root.glob("parser/*.py"), *root.glob("utils/*.py")]
    files += [*root.glob("ir/*.py"), *root.glob("irdl/*.py"), *root.glob("transforms/*.py")]
    return frozenset().union(*map(private_names_of, files))


def test_no_class_uses_a_private_name_of_xdsl_that_is_not_listed():
    files = [
        file
        for file in sorted(PACKAGE.rglob("*.py"))
        if "xdsl" in (text := file.read_text("utf-8"))
        and "class " in text
        and not private_names_of(file).isdisjoint(xdsl_private_names())
    ]
    used = set[tuple[str, str]]().union(*map(used_privately, files))
    assert used == {row for row in LISTED if row[0].startswith("_")}


def test_nothing_private_is_imported_or_taken_from_objects():
    """Of objects pyright reports it: no line may tell it not to."""
    for file in PACKAGE.rglob("*.py"):
        text = file.read_text("utf-8")
        assert "reportPrivateUsage" not in text, file
        assert not re.search(r"^\s*from xdsl[\w.]* import .*\b_[a-z]", text, re.MULTILINE), file


def ident(name: PrivateName) -> str:
    return name.name


@pytest.mark.parametrize("name", PRIVATE_NAMES, ids=ident)
def test_installed_version_has_the_name_and_its_users_use_it(name: PrivateName):
    owner = resolve_name(name.owner)
    assert any(name.name in members(base) for base in xdsl_classes(owner))
    for user in name.users:
        assert re.search(rf"\b{name.name}\b", inspect.getsource(import_module(user)))


def test_installed_version_is_tested():
    assert xdsl_versions.installed() == str(xdsl.__version__)
    assert xdsl_versions.untested() is None


def test_dependencies_allow_the_tested_versions_alone():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    above = f"0.{int(TESTED[-1].removeprefix('0.')) + 1}"
    wanted = f">={TESTED[0]},<{above}"
    assert f"xdsl{wanted}" in project["dependencies"]
    assert project["optional-dependencies"]["gui"] == [f"xdsl[gui]{wanted}"]


@pytest.mark.parametrize("version", ["0.73.9", "0.76.0", "0.740.0", "1.74.0"])
def test_another_version_is_named(monkeypatch: pytest.MonkeyPatch, version: str):
    monkeypatch.setattr(xdsl_versions, "installed", lambda: version)
    assert xdsl_versions.untested() == (
        f"xDSL {version} has not been tested with tileir_xdsl, which knows 0.74, 0.75"
    )


BROKEN = """
import sys
from tileir_xdsl import xdsl_versions
xdsl_versions.installed = lambda: "0.99.0"
sys.modules["tileir_xdsl.dialects.llvm"] = sys.modules["tileir_xdsl.dialects.arith"] = None
from xdsl.xdsl_opt_main import xDSLOptMain
xDSLOptMain(args=[sys.argv[1]]).run()
"""


def test_programs_of_others_work_where_our_dialects_do_not(tmp_path: Path):
    file = tmp_path / "foreign.mlir"
    file.write_text("%x = arith.constant 1 : i32\n%y = llvm.add %x, %x : i32\n")
    done = subprocess.run(
        [sys.executable, "-c", BROKEN, str(file)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == (
        "warning: xDSL 0.99.0 has not been tested with tileir_xdsl, which knows 0.74, 0.75\n"
    )
    assert "llvm.add" in done.stdout and "arith.constant" in done.stdout


@pytest.mark.parametrize("extension", ["tileirbc", "tilebc"])
def test_xdsl_opt_reads_bytecode_where_it_takes_front_ends(tmp_path: Path, extension: str):
    sound, damaged = tmp_path / f"sound.{extension}", tmp_path / f"damaged.{extension}"
    module = read_file(
        new_context(), str(REPOSITORY / "tileir_xdsl/testing/kernels/vector_add.mlir")
    )
    sound.write_bytes(write(module, "13.2"))
    damaged.write_bytes(sound.read_bytes()[:40])
    if xdsl_versions.installed().startswith("0.74."):
        assert not hasattr(UNIVERSE, "all_frontends")
        return
    done, refused = [
        subprocess.run(
            [sys.executable, "-m", "xdsl.tools.xdsl_opt", file],
            capture_output=True,
            text=True,
            check=False,
        )
        for file in (sound, damaged)
    ]
    assert (done.returncode, done.stderr) == (0, "")
    assert "cuda_tile.entry @vector_add" in done.stdout
    assert refused.stderr.splitlines()[-1].startswith(
        f"xdsl.utils.exceptions.DiagnosticException: {damaged}: error: section length "
    )


def test_commands_name_another_version(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(xdsl_versions, "installed", lambda: "0.99.0")
    assert main(["fmt", str(REPOSITORY / "tileir_xdsl/testing/kernels/vector_add.mlir")]) == 0
    shown = capsys.readouterr()
    assert shown.err == (
        "warning: xDSL 0.99.0 has not been tested with tileir_xdsl, which knows 0.74, 0.75\n"
    )
