"""Machine code: instructions of the listing, each with the origins of its line of PTX."""

import pytest

from tests.unit.report.explained import MATMUL, SAXPY, lines_with, report_of
from tileir_xdsl.report import machine_code
from tileir_xdsl.report.machine_code import assembled_code, sass_lines, tool_version
from tileir_xdsl.report.schema import Line
from tileir_xdsl.runtime.ptxas import ToolNotFoundError, assemble

LISTING = """	.section	.text.k
.text.k:
	//## File "/tmp/kernel.ptx", line 2
.L_x_0:
        /*0000*/                   MOV R1, c[0x0][0x28] ;
.L_x_1:
	//## File "/tmp/kernel.ptx", line 1
        /*0010*/              @P0  BRA `(.L_x_1) ;
"""


def test_a_listing():
    ptx = [Line("a", ("o1",)), Line("b", ("o2",))]
    assert list(sass_lines(LISTING.split("\n"), ptx)) == [
        Line("k:"),
        Line("/*0000*/ MOV R1, c[0x0][0x28] ;", ("o2",)),
        Line(".L_x_1:"),
        Line("/*0010*/ @P0 BRA `(.L_x_1) ;", ("o1",)),
    ]


def test_instructions_are_where_their_ptx_is():
    report = report_of(MATMUL)
    assert report.sass is not None and report.ptx is not None
    mma = {o for line in lines_with(report.ptx.lines, "wgmma.mma_async") for o in line.ids}
    sass = lines_with(report.sass.lines, "GMMA")
    assert sass and {o for line in sass for o in line.ids} == mma


def test_statements_of_lines_do_not_change_the_code():
    report = report_of(SAXPY)
    assert report.ptx is not None and report.resources is not None
    plain = assemble("\n".join(line.text for line in report.ptx.lines), "sm_90a")
    assert report.resources.registers.actual == plain.kernels["saxpy"].registers
    code = assembled_code(report.ptx, "sm_90a", "x.sass")
    assert code is not None and code.assembly.kernels == plain.kernels


def test_without_the_tools_there_is_no_listing(monkeypatch: pytest.MonkeyPatch):
    def missing(*_arguments: str):
        raise ToolNotFoundError("not here")

    ptx = report_of(SAXPY).ptx
    assert ptx is not None
    monkeypatch.setattr(machine_code, "find_tool", missing)
    code = assembled_code(ptx, "sm_90a", "x.sass")
    assert code is not None and code.sass is None
    assert tool_version("nvdisasm", "nvidia-cuda-nvdisasm") is None
    monkeypatch.setattr(machine_code, "ptxas_path", missing)
    assert assembled_code(ptx, "sm_90a", "x.sass") is None
