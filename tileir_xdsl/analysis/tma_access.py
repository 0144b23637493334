"""Whether TMA can make an access: what keeps it from that, in words.

Source: PTX ISA, "Tensor-map"; CUDA driver API, tensor maps. Boxes are a matter of `layout.shared`.
"""

from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.analysis.access_width import AccessPlace
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileaa.attributes import MemSemantic, PaddingValue
from tileir_xdsl.dialects.nv_tileaa.constraints import bit_width
from tileir_xdsl.dialects.nv_tileaa.types import MemRefType, tile_shape
from tileir_xdsl.dialects.nv_tileas.tma_requirements import verify_captures
from tileir_xdsl.layout.shared import MAX_BOX_RANK
from tileir_xdsl.targets import Feature, Target

STRIDE_BYTES = 16
"""Base address and strides of a tensor map are multiples of it."""


def tma_problem(
    op: nv_tileas.TiledLoadOp | nv_tileas.TiledStoreOp, place: AccessPlace, target: Target
) -> str:
    """Why TMA cannot make an access of global memory; empty if it can."""
    memref = viewed_object(op)
    if Feature.TMA not in target.features:
        return f"{target.name} has no TMA"
    if op.allow_tma is not None and not op.allow_tma.value.data:
        return "the hint allow_tma forbids TMA"
    if op.mem_semantic.data != MemSemantic.WEAK:
        return f"TMA gives no {op.mem_semantic.data} order"
    if op.padding_value is not None and op.padding_value.data != PaddingValue.ZERO:
        return f"TMA pads with zeros, not with {op.padding_value.data}"
    if memref is None:
        return "the program does not show which object is accessed"
    if bit_width(tile_shape(op.tile.type).element) < 8:
        return "TMA needs elements of whole bytes"
    return _object_problem(memref, place)


def viewed_object(
    op: nv_tileas.TiledLoadOp | nv_tileas.TiledStoreOp,
) -> nv_tileaa.MakeMemRefOp | None:
    """The op that makes the object whose tiles an access takes one dimension for one."""
    tiling = op.view.owner
    if not isinstance(tiling, nv_tileaa.BlockTileOp):
        return None
    if any(len(group) != 1 for group in tiling.get_dim_groups()):
        return None
    memref = tiling.source.owner
    return memref if isinstance(memref, nv_tileaa.MakeMemRefOp) else None


def _object_problem(memref: nv_tileaa.MakeMemRefOp, place: AccessPlace) -> str:
    type = memref.result.type
    assert isinstance(type, MemRefType)
    if len(type.get_shape()) > MAX_BOX_RANK:
        return f"tensor maps have up to {MAX_BOX_RANK} dimensions"
    last = len(place.shape) - 1
    if place.dimension != last or place.run < place.shape[last]:
        return "neighbours along the last dimension are no neighbours in memory"
    if place.alignment < STRIDE_BYTES:
        return f"a base or stride is no multiple of {STRIDE_BYTES} bytes, as far as is known"
    try:
        verify_captures(memref)
    except VerifyException:
        return "the object depends on more than the arguments of the kernel"
    return ""
