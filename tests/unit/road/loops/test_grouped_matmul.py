"""Grouped products: the expert of a tile is loaded before agents start, however it is stored."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from bench.grouped_kernels import GROUPED_CASES
from tests.unit.backend.ptx.harness import assemble
from tests.unit.road.zoo import lower, run
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KernelCase, Problem
from tileir_xdsl.testing.kernels.case import Argument

NAME = "grouped_64x128x64"
GPUS = ("sm_80", "sm_90a", "sm_100a", "sm_120a")
WITH_AGENTS = GPUS[1:]
PROBLEMS = ((80, 128, 208), (64, 144, 64), (33, 16, 16), (200, 272, 128))

WIDTHS = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64}

LOAD = "load_view_tko weak %pview[%blockId_x] token = %0"


LOAD_AND_RESHAPE = re.compile(r"%tile, %result_token = load_view_tko.*\n *%reshape = reshape .*")

FROM_VIEW = """{load} : partition_view<tile=(1), tensor_view<?xT, strides=[1]>>, tile<i32> -> tile<1xT>, token
%found = reshape %tile : tile<1xT> -> tile<T>"""

FROM_POINTER = """%place = offset %assume_6, %blockId_x : tile<ptr<T>>, tile<i32> -> tile<ptr<T>>
%found, %result_token = load_ptr_tko weak %place token=%0 : tile<ptr<T>> -> tile<T>, token"""

CONVERTED = {
    "i8": "exti %found signed : tile<i8> -> tile<i32>",
    "i16": "exti %found signed : tile<i16> -> tile<i32>",
    "i32": "addi %found, %cst_0_i32_0 : tile<i32>",
    "i64": "trunci %found : tile<i64> -> tile<i32>",
}


def with_experts_as(element: str, *, through_pointer: bool) -> str:
    """The kernel with numbers of experts in another type, or loaded through a pointer."""
    text = GROUPED_CASES[NAME].text_path.read_text()
    # Experts are the only integers in memory.
    text = text.replace("ptr<i32>", f"ptr<{element}>").replace("?xi32", f"?x{element}")
    load = (
        FROM_POINTER if through_pointer else FROM_VIEW.format(load=f"%tile, %result_token = {LOAD}")
    )
    lines = (
        "%cst_0_i32_0 = constant <i32: 0> : tile<i32>",
        re.sub(r"\bT\b|(?<=x)T\b", element, load),
        f"%reshape = {CONVERTED[element]}",
    )
    text, count = LOAD_AND_RESHAPE.subn("\n".join(lines), text)
    assert count == 1
    return text


def check(text: str, folder: Path, gpu: str, problem: Problem, element: str = "i32") -> bool:
    """Checks values, late and with races looked for; whether the kernel has agents."""
    case = GROUPED_CASES[NAME]

    def arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
        a, b, experts, c = case.arguments(problem, rng)
        assert isinstance(experts, np.ndarray)
        return [a, b, experts.astype(WIDTHS[element]), c]

    typed: KernelCase = replace(case, arguments=arguments, folder=folder)
    typed.text_path.write_text(text)
    agents = 0

    def count(_step: ModulePass, module: ModuleOp) -> None:
        nonlocal agents
        agents += sum(isinstance(op, nv_tileas.AgentSwitchOp) for op in module.walk())

    kernel = lower(tools.parse(text), gpu, count)
    assert "warning" not in assemble(kernel.ptx, gpu)
    run(typed, kernel, problem, case.grid(problem), late=True, races=True)
    return agents > 0


@pytest.mark.one_in(8)
@pytest.mark.parametrize("problem", PROBLEMS, ids=str)
@pytest.mark.parametrize("gpu", GPUS)
def test_values(gpu: str, problem: Problem, tmp_path: Path):
    text = GROUPED_CASES[NAME].text_path.read_text()
    assert check(text, tmp_path, gpu, problem) == (gpu in WITH_AGENTS)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("through_pointer", [False, True], ids=["view", "pointer"])
@pytest.mark.parametrize("element", WIDTHS)
def test_types(element: str, through_pointer: bool, tmp_path: Path):
    text = with_experts_as(element, through_pointer=through_pointer)
    assert check(text, tmp_path, "sm_90a", PROBLEMS[0], element)


@pytest.mark.parametrize("order", ["relaxed device", "acquire device"])
def test_what_may_change_is_loaded_by_one_thread(order: str, tmp_path: Path):
    """Two agents might see different experts, and wait for each other."""
    text = GROUPED_CASES[NAME].text_path.read_text()
    ordered = text.replace(LOAD, LOAD.replace("weak", order))
    assert ordered != text
    assert not check(ordered, tmp_path, "sm_90a", PROBLEMS[0])
