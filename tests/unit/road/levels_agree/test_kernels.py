"""Real kernels down the whole road: every stage computes what numpy computes."""

import subprocess
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl import emulator, interpreters
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import (
    KERNELS,
    LAUNCHES,
    KernelCase,
    Problem,
    launch_arguments,
    launch_id,
)
from tileir_xdsl.transforms.pipeline_road import passes

SUPPORTED = ("vector_add", "vector_add_gather")
"""Kernels of which the code generator has every op."""

ROAD = tuple(p.name for p in passes())
"""The passes of the pipeline, by name."""

TARGET = '{compute-capability="sm_90a"}'
"""The option of the first of them."""


def lower(case: KernelCase, upto: int, gpu: str = "sm_90a") -> ModuleOp:
    """The kernel's module after the first passes of the road."""
    module = tools.parse(case.text_path.read_text())
    if upto:
        first, *rest = ROAD[:upto]
        tools.run_passes(module, ",".join([first + TARGET.replace("sm_90a", gpu), *rest]))
    return module


def run_interpreted(case: KernelCase, problem: Problem, module: ModuleOp) -> None:
    arguments = case.make_arguments(problem)
    expected = case.expected(arguments)
    interpreters.launch(module, case.name, case.grid(problem), launch_arguments(arguments))
    case.check(arguments, expected)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("launch", [x for x in LAUNCHES if x[0] in SUPPORTED], ids=launch_id)
def test_ptx_equals_numpy(launch: tuple[str, Problem]):
    name, problem = launch
    case = KERNELS[name]
    arguments = case.make_arguments(problem)
    expected = case.expected(arguments)
    ptx = emit(lower(case, len(ROAD)), "sm_90a")
    kernel_arguments = launch_arguments(arguments)
    emulator.load(ptx).launch(name, case.grid(problem), kernel_arguments)
    case.check(arguments, expected)


@pytest.mark.parametrize("name", SUPPORTED)
def test_every_stage_equals_numpy(name: str):
    case, module = KERNELS[name], lower(KERNELS[name], 0)
    run_interpreted(case, (1000,), module)
    for number, module_pass in enumerate(ROAD[:-1]):
        tools.run_passes(module, ROAD[0] + TARGET if number == 0 else module_pass)
        print("after", module_pass)  # shown where it fails
        run_interpreted(case, (1000,), module)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", SUPPORTED)
def test_every_stage_is_parsed_again_and_goes_on_to_the_same_ptx(name: str):
    """Each pass makes the same of what is parsed again, and so do all of them together."""
    module = lower(KERNELS[name], 1)
    for module_pass in ROAD[1:]:
        again = tools.parse(tools.roundtrip(tools.to_text(module)))
        for form in (module, again):
            tools.run_passes(form, module_pass)
        assert tools.to_text(again) == tools.to_text(module), module_pass
    again = tools.parse(tools.roundtrip(tools.to_text(module)))
    assert emit(again) == emit(module) == emit(lower(KERNELS[name], len(ROAD)), "sm_90a")


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", SUPPORTED)
@pytest.mark.parametrize("gpu", ["sm_80", "sm_90a", "sm_100a", "sm_120a"])
def test_ptxas_accepts_the_ptx_without_spills(name: str, gpu: str, tmp_path: Path):
    source = tmp_path / "kernel.ptx"
    source.write_text(emit(lower(KERNELS[name], len(ROAD), gpu)))
    command = [tools.ptxas_path(), "-v", "-arch", gpu, str(source), "-o", str(tmp_path / "cubin")]
    report = subprocess.run(command, capture_output=True, text=True, check=False)
    assert report.returncode == 0, report.stderr
    assert "0 bytes spill stores, 0 bytes spill loads" in report.stderr


@pytest.mark.parametrize("name", SUPPORTED)
def test_every_pass_keeps_what_the_kernel_computes(name: str, capsys: pytest.CaptureFixture[str]):
    module = tools.parse(KERNELS[name].text_path.read_text())
    tools.run_passes(module, "tileir-pipeline{check=true}")
    assert capsys.readouterr().err == ""
