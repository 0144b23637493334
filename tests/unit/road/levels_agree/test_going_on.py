"""The text after each pass, given back, becomes the same PTX as the program it is from."""

import re
from functools import cache

import pytest

import tileir_xdsl as tileir
from tileir_xdsl.testing.kernels import KERNELS
from tileir_xdsl.transforms.pipeline_progress import PROGRESS_ATTRIBUTE
from tileir_xdsl.transforms.pipeline_road import steps

DIVISIBLE = KERNELS["vector_add"].text_path.parent / "divisible"
PROGRAMS = {
    "add": (KERNELS["vector_add"].text_path, "sm_90a"),
    "matmul_80": (DIVISIBLE / "matmul_f16.mlir", "sm_80"),
    "matmul_90": (DIVISIBLE / "matmul_f16_warpgroup.mlir", "sm_90a"),
    "matmul_100": (DIVISIBLE / "matmul_f16_warpgroup.mlir", "sm_100a"),
    "softmax": (KERNELS["softmax_f32"].text_path, "sm_90a"),
}
LABELS = [step.label for step in steps()]


@cache
def compiled(name: str) -> str:
    return tileir.compile(*PROGRAMS[name]).text


@pytest.mark.one_in(60)
@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_it_goes_on(name: str, label: str):
    assert tileir.load(tileir.load(*PROGRAMS[name]).lower(label).text).compile().text == compiled(
        name
    )


@pytest.mark.one_in(40)
@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_passes_run_again_change_nothing(name: str, label: str):
    text = tileir.load(*PROGRAMS[name]).lower(label).text
    text, count = re.subn(rf', {PROGRESS_ATTRIBUTE} = "[^"]*"', "", text)
    assert count == 1
    assert tileir.load(text).compile().text == compiled(name)
