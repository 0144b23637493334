"""The checked-in Tile IR is what NVIDIA's front end emits for the kernels."""

import pytest

from tests.kernels import KERNELS, generate


@pytest.mark.parametrize("name", KERNELS)
def test_checked_in_text_is_current(name: str) -> None:
    case = KERNELS[name]
    assert case.text_path.read_text() == generate.text(case)


def test_every_text_has_a_kernel() -> None:
    folder = next(iter(KERNELS.values())).text_path.parent
    assert sorted(path.stem for path in folder.glob("*.mlir")) == sorted(KERNELS)
