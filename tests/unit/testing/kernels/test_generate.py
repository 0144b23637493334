"""The checked-in Tile IR is what NVIDIA's front end emits for the kernels, in every version."""

import re

import pytest

from tileir_xdsl.testing.kernels import DIVISIBLE, KERNELS, KernelCase, generate
from tileir_xdsl.testing.kernels.generate import VERSIONS

MAGIC = b"\x7fTileIR\x00"


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", KERNELS)
def test_checked_in_text_is_current(name: str) -> None:
    case = KERNELS[name]
    assert case.text_path.read_text() == generate.text(case)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", DIVISIBLE)
def test_checked_in_text_of_a_twin_is_current(name: str) -> None:
    case = DIVISIBLE[name]
    assert case.text_path.read_text() == generate.text(case)


@pytest.mark.parametrize("table", (KERNELS, DIVISIBLE), ids=("zoo", "twins"))
def test_every_text_has_a_kernel(table: dict[str, KernelCase]) -> None:
    folder = next(iter(table.values())).text_path.parent
    assert sorted(path.stem for path in folder.glob("*.mlir")) == sorted(table)


@pytest.mark.one_in(16)
@pytest.mark.parametrize("name", KERNELS)
def test_bytecode_is_of_the_version_asked_for(name: str) -> None:
    case = KERNELS[name]
    for version in VERSIONS:
        if generate.expressible(case, version):
            major, minor = map(int, version.split("."))
            header = MAGIC + bytes((major, minor))
            assert generate.bytecode(case, version).startswith(header)


@pytest.mark.parametrize("name", KERNELS)
def test_earlier_bytecode_is_refused_as_the_front_end_refuses_it(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = KERNELS[name]
    earlier = [version for version in VERSIONS if not generate.expressible(case, version)]
    for version in earlier:
        wanted = f"kernel '{name}' needs Tile IR bytecode {case.since} or later, got {version}"
        with pytest.raises(ValueError, match=f"^{re.escape(wanted)}$"):
            generate.bytecode(case, version)
    if earlier:
        monkeypatch.setattr(generate, "expressible", _always)
        with pytest.raises(Exception, match=r"requires? tileiras"):
            generate.bytecode(case, earlier[-1])


def _always(_case: KernelCase, _version: str) -> bool:
    return True
