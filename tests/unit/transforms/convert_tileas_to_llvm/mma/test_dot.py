"""Dots of multiply-adds in f32: one for two elements of a thread where they are loaded together."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from bench.matrix_kernels import TYPED_CASES
from bench.sweep.plan import point_of
from tests.unit.road.zoo import lower, run
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS, KernelCase

TILES_OF_64 = TYPED_CASES["product_f32_64x64x32"]


def printed(case: KernelCase, gpu: str) -> str:
    return lower(tools.parse(case.text_path.read_text()), gpu).ptx


@pytest.mark.parametrize(("gpu", "pairs"), [("sm_100a", 256), ("sm_120a", 0), ("sm_90a", 0)])
def test_pairs_where_they_are_one_instruction(gpu: str, pairs: int):
    text = printed(TILES_OF_64, gpu)
    # Each of 128 threads has 32 elements, and 32 steps along K, half of them in each part.
    assert text.count("fma.rn.f32x2") == pairs
    assert text.count("fma.rn.f32 ") == (0 if pairs else 512)


@pytest.mark.parametrize(("name", "pairs"), [("matmul_f32", 0), ("fft_step", 2)])
def test_elements_that_are_not_loaded_side_by_side_are_not_moved_there(name: str, pairs: int):
    """`fft_step` has two `fma` of its own, each of two elements of a thread."""
    assert printed(KERNELS[name], "sm_100a").count("fma.rn.f32x2") == pairs


def test_pairs_are_right():
    kernel = lower(tools.parse(TILES_OF_64.text_path.read_text()), "sm_100a")
    typical = TILES_OF_64.typical
    run(TILES_OF_64, kernel, typical, TILES_OF_64.grid(typical), late=True, races=True)


POINT = (
    "matmul m={} n=64 k={} type={} a_transposed={} b_transposed=0 form=plain epilogue=plain ctas=1"
)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("gpu", "m", "k", "type", "turned", "in_line"),
    [
        # 32 elements of a thread, 64 steps: four parts; 32 of f64, 32 steps: two.
        ("sm_80", 64, 64, "f32", 1, 512),
        ("sm_120a", 64, 32, "f64", 0, 512),
        # 16 elements, 32 steps: all in one line.
        ("sm_120a", 32, 32, "f32", 0, 512),
    ],
)
def test_a_loop_adds_parts_of_long_sums(
    gpu: str, m: int, k: int, type: str, turned: int, in_line: int, tmp_path: Path
):
    generated = point_of(POINT.format(m, k, type, turned)).generate()
    program = generated.text()
    kernel = lower(tools.parse(program), gpu)
    multiply_adds = len(re.findall(rf"fma\.rn\.{type} ", kernel.ptx))
    assert multiply_adds == in_line
    elements = m * 64 // 128
    assert kernel.ptx.count('.pragma "nounroll";') == (elements * k > in_line)
    case = replace(generated.case, folder=tmp_path)
    case.text_path.write_text(program, "utf-8")
    run(case, kernel, case.typical, case.grid(case.typical), late=True, races=True)
