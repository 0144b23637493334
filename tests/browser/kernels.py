"""Pages of real kernels, as `tileir explain` writes them."""

from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from tests.unit.tools import REPOSITORY
from tileir_xdsl.options import Options
from tileir_xdsl.report.explaining import explain
from tileir_xdsl.report.files import ReportFiles
from tileir_xdsl.runtime.errors import CompileError

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
"""A kernel whose shared memory no choice of the compiler makes small enough."""


@cache
def page_of(name: str, gpu: str, options: Options | None = None) -> Path:
    """The page of a kernel of the repository, or of `too_large.mlir`; made once."""
    path = Path(mkdtemp()) / f"{Path(name).stem}.html"
    text = TOO_LARGE if name == "too_large.mlir" else (REPOSITORY / name).read_text("utf-8")
    try:
        explain(text.encode(), name, gpu, options or Options(), ReportFiles((str(path),)))
    except CompileError:
        assert name == "too_large.mlir"
    return path
