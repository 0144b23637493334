"""The extension that `--with linalg_door` names: functions of `linalg` are a program, too."""

from xdsl.dialects.arith import Arith
from xdsl.dialects.func import Func
from xdsl.dialects.linalg import Linalg
from xdsl.dialects.math import Math
from xdsl.dialects.tensor import Tensor

from linalg_door.conversion import ConvertLinalgToCudaTilePass
from tileir_xdsl.extensions import Extension, ExtensionDialect, PlacedPass

EXTENSION = Extension(
    "linalg_door",
    passes=(
        PlacedPass(
            ConvertLinalgToCudaTilePass, level="cuda_tile", before="convert-cuda-tile-to-tileaa"
        ),
    ),
    dialects=tuple(
        ExtensionDialect(dialect, levels=("cuda_tile",))
        for dialect in (Arith, Func, Linalg, Math, Tensor)
    ),
)
