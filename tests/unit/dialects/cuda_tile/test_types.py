"""The types: text, limits, and what other code reads from them."""

import pytest
from xdsl.dialects.builtin import Float4E2M1FNType, IndexType, IntegerType, f16, f32, i1, i32
from xdsl.ir import Attribute
from xdsl.parser import Parser
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.cuda_tile import (
    DYNAMIC,
    GatherScatterViewType,
    PaddingValue,
    PartitionViewType,
    PointerKind,
    PointerKindAttr,
    PointerType,
    StridedViewType,
    TensorViewType,
    TileType,
    TokenType,
)
from tileir_xdsl.dialects.cuda_tile.types import (
    MAX_TILE_ELEMENTS,
    POINTER,
    element_bit_width,
    element_name,
    element_storage_bits,
    parse_type,
)
from tileir_xdsl.testing.tools import context

TENSOR = TensorViewType([DYNAMIC, 64], f32, [64, DYNAMIC])
MULTICAST = PointerKindAttr(PointerKind.MULTICAST)

TEXTS = [
    (TokenType(), "token"),
    (PointerType(f32), "ptr<f32>"),
    (PointerType(f32, MULTICAST), "ptr<f32, <multicast>>"),
    (TileType([], f32), "tile<f32>"),
    (TileType([4, 8], PointerType(i1)), "tile<4x8xptr<i1>>"),
    (TileType([2], IntegerType(4)), "tile<2xi4>"),
    (TensorViewType([], f32, []), "tensor_view<f32>"),
    (TENSOR, "tensor_view<?x64xf32, strides=[64,?]>"),
    (
        TensorViewType([4], f32, [1], MULTICAST),
        "tensor_view<4xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>",
    ),
    (
        TensorViewType([], f32, [], MULTICAST),
        "tensor_view<f32, #cuda_tile.ptr_attr<multicast>>",
    ),
    (PartitionViewType([4, 8], TENSOR), f"partition_view<tile=(4x8), {str(TENSOR)[11:]}>"),
    (
        PartitionViewType([4, 8], TENSOR, [1, 0], PaddingValue.NEG_INF),
        f"partition_view<tile=(4x8), padding_value = neg_inf, {str(TENSOR)[11:]}, dim_map=[1, 0]>",
    ),
    (
        StridedViewType([4, 8], [3, 5], TENSOR, padding_value=PaddingValue.ZERO),
        "strided_view<tile=(4x8), traversal_strides=[3,5], padding_value = zero, "
        f"{str(TENSOR)[11:]}>",
    ),
    (
        GatherScatterViewType([4, 8], TENSOR, 1, PaddingValue.NAN),
        f"gather_scatter_view<tile=(4x8), padding_value = nan, {str(TENSOR)[11:]}, sparse_dim=1>",
    ),
]


@pytest.mark.parametrize(("type_", "text"), TEXTS, ids=[text for _, text in TEXTS])
def test_text(type_: Attribute, text: str):
    assert str(type_) == f"!cuda_tile.{text}"
    assert Parser(context(), str(type_)).parse_type() == type_
    assert parse_type(Parser(context(), text)) == type_
    assert parse_type(Parser(context(), str(type_))) == type_


def test_nested_types_may_carry_their_prefix():
    text = "tile<2x!cuda_tile.ptr<f32>>"
    assert parse_type(Parser(context(), text)) == TileType([2], PointerType(f32))


def test_aliases():
    module = Parser(
        context(),
        "!t = !cuda_tile.tile<4xf32>\n"
        "cuda_tile.module @m { testing$func @f(%a: !t) { %0 = negf %a : !t } }",
    ).parse_module()
    assert "%0 = cuda_tile.negf %a : tile<4xf32>" in str(module)


@pytest.mark.parametrize(
    ("name", "bits", "storage"),
    [("i1", 1, 1), ("i4", 4, 4), ("f16", 16, 16), ("tf32", 19, 32), ("f8E8M0FNU", 8, 8)],
)
def test_element_names_and_sizes(name: str, bits: int, storage: int):
    type_ = Parser(context(), name).parse_type()
    assert element_name(type_) == name
    assert (element_bit_width(type_), element_storage_bits(type_)) == (bits, storage)


def test_pointers_are_elements_and_index_is_none():
    assert element_name(PointerType(f16)) == POINTER
    assert element_bit_width(PointerType(f16)) == 64
    assert element_name(IndexType()) is None


def test_largest_tile():
    assert TileType([MAX_TILE_ELEMENTS], f32).get_shape() == (1 << 24,)
    with pytest.raises(VerifyException, match="tile would exceed the maximum of 16777216"):
        TileType([MAX_TILE_ELEMENTS, 2], f32)


def test_packed_elements_come_in_pairs():
    TileType([2], Float4E2M1FNType())
    with pytest.raises(VerifyException, match="F4E2M1FN tiles must have an even number"):
        TileType([], Float4E2M1FNType())


def test_pointers_to_packed_elements_do_not_make_tiles():
    TileType([], PointerType(Float4E2M1FNType()))
    with pytest.raises(VerifyException) as error:
        TileType([64], PointerType(Float4E2M1FNType()))
    assert str(error.value) == (
        "tiles of ptr<f4E2M1FN> must have rank 0; use an f4 tile view for memory accesses"
    )


def test_strides_are_positive():
    message = "strides must have strictly positive constant sizes but got [0, ?]"
    with pytest.raises(VerifyException) as error:
        TensorViewType([4, 4], f32, [0, DYNAMIC])
    assert str(error.value) == message


def test_view_tiles_are_positive():
    message = "tile shape dimensions must have positive length but got [0]"
    with pytest.raises(VerifyException) as error:
        PartitionViewType([0], TensorViewType([4], f32, [1]))
    assert str(error.value) == message


def test_views_tell_tile_and_indices():
    view = PartitionViewType([4, 8], TENSOR, [1, 0], PaddingValue.ZERO)
    assert view.get_tile_type() == TileType([4, 8], f32)
    assert view.get_index_rank() == 2
    assert view.get_dim_map() == (1, 0)
    assert view.get_padding_value() is PaddingValue.ZERO
    assert StridedViewType([4, 8], [3, 5], TENSOR).get_traversal_strides() == (3, 5)
    assert GatherScatterViewType([4, 8], TENSOR, 1).get_padding_value() is None


def test_integers_with_signedness_are_no_elements():
    with pytest.raises(VerifyException, match="failed to verify 'elementType'"):
        TileType([4], Parser(context(), "si32").parse_type())
    assert TileType([4], i32).element_type == i32
