"""Padding of tiles after a bulk copy, which has filled elements outside the object with zeros.

    %p = nv_tileas.pad %t of %v[%i, %j] {padding_value = #nv_tileaa.padding_value<neg_inf>}
         : tensor<128x64xbf16, #smem>, V[i32, i32] -> tensor<128x64xbf16, #smem>

Tensor maps pad only with zeros or NaN (CUDA driver API, `cuTensorMapEncodeTiled`). A load with
another padding value becomes a bulk copy, a wait, and `nv_tileas.pad`.
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import I1, AnyFloat, DenseArrayBase, IndexType, TensorType
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    BaseAttr,
    IRDLOperation,
    ParsePropInAttrDict,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.memory_effects import RegistersOpInterface
from tileir_xdsl.dialects.nv_tileaa.attributes import (
    PADDING,
    PaddingAttr,
    PaddingValueAttr,
    verify_padding_type,
)
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileaa.views import verify_moved_tile

from .interfaces import ThreadMovesOpInterface
from .tiled_memory import COORDINATE, viewed_tile
from .types import TiledViewType


@irdl_op_definition
class PadOp(IRDLOperation, ThreadMovesOpInterface, RegistersOpInterface):
    """Replaces the elements of a tile of a view that are outside of the object by a padding value.

    All threads of the region change a tile in shared memory in place, and synchronise afterwards.
    Their writes are then visible to asynchronous accesses. If the whole tile is inside the object,
    the op does nothing. Coordinates and offsets are as for `nv_tileas.tiled_load`.
    """

    name = "nv_tileas.pad"

    tile = operand_def(TensorType)
    view = operand_def(BaseAttr(nv_tileaa.TiledViewType) | BaseAttr(TiledViewType))
    coords = var_operand_def(COORDINATE)
    offsets = var_operand_def(IndexType)
    padding_value = prop_def(PADDING)
    in_bounds = opt_prop_def(DenseArrayBase.constr(I1(1)))
    result = result_def(TensorType)

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    # As of a conversion into a buffer: nothing else names the tile as it was before.
    traits = traits_def(Pure())
    assembly_format = (
        "$tile `of` $view `[` $coords `]` (`offset` `[` $offsets^ `]`)? attr-dict "
        "`:` type($tile) `,` type($view) `[` type($coords) `]` `->` type($result)"
    )

    def __init__(
        self,
        tile: SSAValue,
        view: SSAValue,
        coords: Sequence[SSAValue],
        offsets: Sequence[SSAValue],
        padding_value: PaddingAttr,
        in_bounds: DenseArrayBase | None = None,
    ):
        super().__init__(
            operands=[tile, view, coords, offsets],
            properties={"padding_value": padding_value, "in_bounds": in_bounds},
            result_types=[tile.type],
        )

    def verify_(self) -> None:
        if self.tile.type != self.result.type:
            raise VerifyException("requires the same type for tile and result")
        viewed = viewed_tile(self.view.type)
        verify_moved_tile(tile_shape(self.tile.type), viewed)
        rank = len(viewed.shape)
        if len(self.coords) != rank:
            raise VerifyException(f"expects {rank} coordinates, but got {len(self.coords)}")
        if self.offsets and len(self.offsets) != rank:
            raise VerifyException(f"expects {rank} offsets or none, but got {len(self.offsets)}")
        if self.in_bounds is not None and len(self.in_bounds) != rank:
            raise VerifyException(
                f"incorrect number of in_bounds elements: expected {rank}, "
                f"but found {len(self.in_bounds)}"
            )
        # Bulk copies fill in zeros, and words for other values are those of floats.
        if isinstance(self.padding_value, PaddingValueAttr) and not isinstance(
            viewed.element, AnyFloat
        ):
            raise VerifyException(
                "expects floating-point elements for a named padding_value, but got "
                f"{viewed.element}"
            )
        verify_padding_type(self.padding_value, viewed.element)

    @property
    def moved_tiles(self) -> Sequence[tuple[SSAValue, SSAValue | None]]:
        return ((self.tile, self.tile),)
