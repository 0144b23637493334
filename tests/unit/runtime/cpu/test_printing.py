"""What compiled kernels print, and where."""

import io
import sys

import numpy as np
import pytest

from tileir_xdsl.interpreters import launch
from tileir_xdsl.options import DEFAULT_OPTIONS
from tileir_xdsl.runtime.cpu.printing import printing_to
from tileir_xdsl.runtime.cpu.programs import CPUProgram, program_on_cpu
from tileir_xdsl.runtime.program import program_of
from tileir_xdsl.testing import tools

GRID = (3, 2, 1)

KERNEL = """cuda_tile.module @m {
entry @kernel(%n: tile<i32>, %x: tile<f16>) {
  %i, %j, %k = get_tile_block_id : tile<i32>
  %two = constant <i32: [1, 2]> : tile<2xi32>
  %single = reshape %n : tile<i32> -> tile<1xi32>
  %spread = broadcast %single : tile<1xi32> -> tile<2xi32>
  %less = cmpi less_than %two, %spread, signed : tile<2xi32> -> tile<2xi1>
  %t = print_tko "%d %d: %d < %i is %d, %5.1f%%\\0A", %i, %j, %two, %n, %less, %x
      : tile<i32>, tile<i32>, tile<2xi32>, tile<i32>, tile<2xi1>, tile<f16> -> token
  %u = print_tko "again\\0A" token=%t -> token
  return
} }""".replace("\\\\", "\\")


def program() -> CPUProgram:
    return program_on_cpu(program_of(tools.parse(KERNEL), "kernel.mlir", None, DEFAULT_OPTIONS))


def test_blocks_print_in_their_order_what_the_interpreter_prints() -> None:
    expected, printed = io.StringIO(), io.StringIO()
    launch(tools.parse(KERNEL), "kernel", GRID, [2, np.float16(1.5)], output=expected)
    assert "2 1: [1, 2] < 2 is [1, 0],   1.5%\nagain\n" in expected.getvalue()
    with printing_to(printed):
        program().launch(GRID, 2, np.float16(1.5))
    assert printed.getvalue() == expected.getvalue()


def test_they_print_to_standard_output_by_default(capsys: pytest.CaptureFixture[str]) -> None:
    other = io.StringIO()
    with printing_to(other), printing_to(None):
        program().launch((1, 1, 1), 2, np.float16(0))
    assert sys.stdout is not other and not other.getvalue()
    assert capsys.readouterr().out == "0 0: [1, 2] < 2 is [1, 0],   0.0%\nagain\n"
