"""Converts `cuda_tile` types to `nv_tileaa`: tiles to tensors, rank-0 tiles to their element
type.
"""

from xdsl.ir import Attribute

from tileir_xdsl.dialects import cuda_tile, nv_tileaa
from tileir_xdsl.dialects.cuda_tile.enums import PointerKindAttr
from tileir_xdsl.dialects.cuda_tile.view_types import TileView
from tileir_xdsl.dialects.enumerations import PointerKind
from tileir_xdsl.dialects.nv_tileaa.types import tile_type
from tileir_xdsl.rewriting import TypeConverter

from .unsigned_floats import CODE, is_unsigned_float


def convert_element(type: Attribute) -> Attribute:
    """Converts an element type: pointers change dialect, numbers do not."""
    if isinstance(type, cuda_tile.PointerType):
        pointee = convert_element(type.pointee_type)
        return nv_tileaa.PointerType(pointee, kind=pointer_kind(type.kind))
    # All other numbers are builtin types in both dialects.
    return CODE if is_unsigned_float(type) else type


def pointer_kind(kind: Attribute) -> PointerKind:
    """Converts a pointer kind: unicast, multicast or none."""
    return PointerKind(kind.data.value) if isinstance(kind, PointerKindAttr) else PointerKind.NONE


def convert_tile(type: Attribute) -> Attribute | None:
    if not isinstance(type, cuda_tile.TileType):
        return None
    return tile_type(type.get_shape(), convert_element(type.element_type))


def convert_tensor_view(type: Attribute) -> nv_tileaa.MemRefType | None:
    if not isinstance(type, cuda_tile.TensorViewType):
        return None
    return nv_tileaa.MemRefType(
        type.get_shape(),
        convert_element(type.element_type),
        type.get_strides(),
        kind=pointer_kind(type.kind),
    )


def convert_tile_view(type: Attribute) -> Attribute | None:
    """Converts a partition, strided or gather/scatter view to the tiled view of a memory object."""
    if not isinstance(type, TileView):
        return None
    source = type.get_tensor_view()
    return nv_tileaa.TiledViewType(
        type.get_tile_shape(), convert_element(source.element_type), convert_tensor_view(source)
    )


def convert_token(type: Attribute) -> Attribute | None:
    return nv_tileaa.MemTokenType() if isinstance(type, cuda_tile.TokenType) else None


def type_converter() -> TypeConverter:
    """A converter for all `cuda_tile` types of values."""
    # Each returns None for types that are not its own, so their order does not matter.
    return TypeConverter((convert_tile, convert_tensor_view, convert_tile_view, convert_token))
