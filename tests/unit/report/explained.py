"""Reports of kernels for the tests here, each made once."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from tests.unit.tools import REPOSITORY
from tileir_xdsl.options import Options
from tileir_xdsl.report.explaining import explain
from tileir_xdsl.report.files import ReportFiles
from tileir_xdsl.report.schema import CompilationReport, Line

SAXPY = REPOSITORY / "tileir_xdsl" / "samples" / "saxpy.mlir"
MATMUL = (
    REPOSITORY / "tileir_xdsl" / "testing" / "kernels" / "divisible" / "matmul_f16_warpgroup.mlir"
)
ATTENTION = REPOSITORY / "tileir_xdsl" / "testing" / "kernels" / "attention.mlir"


@cache
def report_of(file: Path, gpu: str = "sm_90a") -> CompilationReport:
    """The report of a file, with nothing written."""
    return explain(file.read_bytes(), str(file), gpu, Options(), ReportFiles(())).report


def lines_with(lines: Sequence[Line], text: str) -> list[Line]:
    """The lines that have a text in them."""
    return [line for line in lines if text in line.text]
