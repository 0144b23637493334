"""Dots of multiply-adds in f32: one for two elements of a thread where they are loaded together."""

import pytest

from bench.matrix_kernels import TYPED_CASES
from tests.kernels import KERNELS, KernelCase
from tests.unit import tools
from tests.unit.pipelines.zoo import lower, run

TILES_OF_64 = TYPED_CASES["product_f32_64x64x32"]


def printed(case: KernelCase, gpu: str) -> str:
    return lower(tools.parse(case.text_path.read_text()), gpu).ptx


@pytest.mark.parametrize(("gpu", "pairs"), [("sm_100a", 512), ("sm_120a", 0), ("sm_90a", 0)])
def test_pairs_where_they_are_one_instruction(gpu: str, pairs: int):
    text = printed(TILES_OF_64, gpu)
    # Each of 128 threads has 32 elements, and 32 steps along K.
    assert text.count("fma.rn.f32x2") == pairs
    assert text.count("fma.rn.f32 ") == (0 if pairs else 1024)


@pytest.mark.parametrize("name", ("matmul_f32", "fft_step"))
def test_elements_that_are_not_loaded_side_by_side_are_not_moved_there(name: str):
    assert "f32x2" not in printed(KERNELS[name], "sm_100a")


def test_pairs_are_right():
    kernel = lower(tools.parse(TILES_OF_64.text_path.read_text()), "sm_100a")
    typical = TILES_OF_64.typical
    run(TILES_OF_64, kernel, typical, TILES_OF_64.grid(typical), late=True, races=True)
