"""Pages of real kernels, as `tileir explain` writes them."""

from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from unittest.mock import patch

from tests.unit.cli.test_too_large import with_two_bytes
from tests.unit.tools import REPOSITORY
from tileir_xdsl.options import Options
from tileir_xdsl.report.explaining import explain
from tileir_xdsl.report.files import ReportFiles
from tileir_xdsl.runtime.errors import CompileError
from tileir_xdsl.targets import TARGETS

TOO_LARGE = """cuda_tile.module @m { entry @too_large(%p: tile<ptr<f32>>) {
%zero = constant <i32: 0> : tile<i32>
%t = make_tensor_view %p, shape = [256, 256], strides = [256, 1]
  : tensor_view<256x256xf32, strides=[256,1]>
%v = make_partition_view %t
  : partition_view<tile=(256x256), tensor_view<256x256xf32, strides=[256,1]>>
%x, %token = load_view_tko weak %v[%zero, %zero]
  : partition_view<tile=(256x256), tensor_view<256x256xf32, strides=[256,1]>>, tile<i32>
  -> tile<256x256xf32>, token
print_tko "%f", %x : tile<256x256xf32> -> token
return } }
"""
"""A kernel that no choice of the compiler fits into a target without shared memory."""


@cache
def page_of(name: str, gpu: str, options: Options | None = None) -> Path:
    """The page of a kernel of the repository, or of `too_large.mlir`; made once."""
    path = Path(mkdtemp()) / f"{Path(name).stem}.html"
    is_too_large = name == "too_large.mlir"
    text = TOO_LARGE if is_too_large else (REPOSITORY / name).read_text("utf-8")
    try:
        with patch.dict(TARGETS, {"sm_90a": with_two_bytes()} if is_too_large else {}):
            explain(text.encode(), name, gpu, options or Options(), ReportFiles((str(path),)))
    except CompileError:
        assert is_too_large
    return path
