"""`nv_tileas`: scheduled tile programs, in which every tile has a layout and every copy an atom.

Produced by `convert-tileaa-to-tileas`; ops of `nv_tileaa` that touch no memory stay beside them.
"""

from xdsl.ir import Dialect

from .atoms import AtomAttr
from .conversions import ConvertLayoutOp
from .layout import LayoutAttr
from .memory import LoadOp, StoreOp
from .tiled_memory import TiledLoadOp, TiledStoreOp

NVTileAS = Dialect(
    "nv_tileas",
    [ConvertLayoutOp, LoadOp, StoreOp, TiledLoadOp, TiledStoreOp],
    [AtomAttr, LayoutAttr],
)
