"""Python lines down the whole road: from a front end's bytecode to PTX and to diagnostics."""

import inspect
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cuda.tile as ct
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnknownLoc
from xdsl.passes import ModulePass

from tests.unit.road.levels_agree.test_kernels import ROAD, SUPPORTED
from tileir_xdsl import emulator
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.backend.ptx.line_info import frames
from tileir_xdsl.bytecode import read
from tileir_xdsl.cli.main import main
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.levels import NV_TILEAS
from tileir_xdsl.options import Options
from tileir_xdsl.runtime.ptxas import assemble
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS, KernelCase, generate, launch_arguments
from tileir_xdsl.testing.kernels.case import kernel
from tileir_xdsl.transforms import pipeline_road
from tileir_xdsl.transforms.pipeline_road import Step, passes, steps

IMPLICIT = "return"
"""The terminator of a kernel, which no line of the source says: the front end gives it none."""


def module(name: str) -> ModuleOp:
    """A kernel as the front end writes it."""
    return read(generate.bytecode(KERNELS[name], generate.text_version(KERNELS[name])))


def source(case: KernelCase) -> tuple[str, dict[int, str]]:
    """The file of a kernel in Python, and the lines of its function by their numbers."""
    function = case.kernel._pyfunc
    lines, first = inspect.getsourcelines(function)
    file = inspect.getsourcefile(function)
    assert file is not None
    return file, dict(enumerate(lines, first))


def line_with(case: KernelCase, text: str) -> tuple[str, int]:
    """The file of a kernel and the only line of its function that holds `text`."""
    file, lines = source(case)
    (number,) = (number for number, line in lines.items() if text in line)
    return file, number


@pytest.mark.one_in(8)
@pytest.mark.parametrize("name", SUPPORTED)
@pytest.mark.parametrize("upto", range(1, len(ROAD) + 1), ids=ROAD)
def test_every_op_keeps_a_location(name: str, upto: int):
    lowered, context = module(name), tools.context()
    for module_pass in passes()[:upto]:
        module_pass.apply(context, lowered)
    file, lines = source(KERNELS[name])
    for op in lowered.walk():
        places = frames(op.location)
        if not places:
            assert isinstance(op.location, UnknownLoc)
            assert op.name.endswith((IMPLICIT, ".module")), op
        for place in places:
            assert place.file == file
            assert place.line in lines


@pytest.mark.parametrize("name", SUPPORTED)
def test_ptx_names_every_statement(name: str):
    case = KERNELS[name]
    file, lines = source(case)
    text = emit(tools.run_passes(module(name), "tileir-pipeline{lineinfo=true}"))
    assert re.findall(r"\.file .*", text) == [f'.file 1 "{file}"']
    stated = {int(line) for line in re.findall(r"\.loc 1 (\d+)", text)}
    assert stated <= set(lines)
    statements = {
        n for n, line in lines.items() if re.search(r"ct\.(load|gather|store|scatter)\(", line)
    }
    assert statements <= stated
    assert Path(file).name.encode() in assemble(text, "sm_90a", "-lineinfo").cubin

    arguments = case.make_arguments(case.typical)
    expected = case.expected(arguments)
    emulator.load(text).launch(name, case.grid(case.typical), launch_arguments(arguments))
    case.check(arguments, expected)

    without = emit(tools.run_passes(module(name), "tileir-pipeline"))
    marks = re.compile(r"^(\t\.loc|\.file) .*\n(\n(?=\.visible))?", re.MULTILINE)
    assert ".loc" not in without
    assert marks.sub("", text) == without


def total(x: Any, y: Any) -> Any:
    return x + y


@kernel
def add_by_call(a: Any, b: Any, c: Any, tile: ct.Constant[int]) -> None:
    i = ct.bid(0)
    x = ct.load(a, index=(i,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    y = ct.load(b, index=(i,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(c, index=(i,), tile=total(x, y))


def test_what_a_function_computes_says_where_it_was_called():
    case = replace(KERNELS["vector_add"], name="add_by_call", kernel=add_by_call)
    called = read(generate.bytecode(case, "13.3"))
    text = emit(tools.run_passes(called, "tileir-pipeline{lineinfo=true}"))
    _, call = line_with(case, "total(x, y)")
    _, first = inspect.getsourcelines(total)
    (stated,) = set(re.findall(r"\.loc 1 (\d+) \d+, function_name \S+, inlined_at 1 (\d+)", text))
    assert tuple(map(int, stated)) == (first + 1, call)
    assert b"total\0" in assemble(text, "sm_90a", "-lineinfo").cubin


@dataclass(frozen=True)
class RefuseAdditionPass(ModulePass):
    """Fails at every addition of floats."""

    name = "refuse-addition"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for nested in op.walk():
            if nested.name.endswith(".addf"):
                fail(nested, "no additions today")


def test_a_diagnostic_of_a_pass_names_the_python_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "kernel.tileirbc"
    file.write_bytes(generate.bytecode(KERNELS["vector_add"], "13.1"))

    def steps_with_refusal(gpu: str, options: Options) -> tuple[Step, ...]:
        *before, last = steps(gpu, options)
        return (*before, Step(RefuseAdditionPass.name, NV_TILEAS, RefuseAdditionPass), last)

    monkeypatch.setattr(pipeline_road, "steps", steps_with_refusal)
    assert main(["compile", str(file)]) == 1
    python, line = line_with(KERNELS["vector_add"], "x + y")
    column = source(KERNELS["vector_add"])[1][line].index("x + y")
    assert capsys.readouterr() == ("", f"{python}:{line}:{column}: error: no additions today\n")
