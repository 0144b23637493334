"""Dense constants: storage, numpy view, and text."""

import numpy as np
import pytest
from xdsl.dialects.builtin import f32, i1, i8, i32
from xdsl.parser import Parser
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.cuda_tile import ConstantOp, DenseConstantAttr, TileType
from tileir_xdsl.dialects.cuda_tile.literals import expected_element_type
from tileir_xdsl.dialects.cuda_tile.stored_elements import NUMPY_DTYPES
from tileir_xdsl.testing.tools import context, parse, to_text


def constant(text: str) -> DenseConstantAttr:
    """The value of `constant TEXT`."""
    (op,) = parse(f"%0 = cuda_tile.constant {text}").body.block.ops
    assert isinstance(op, ConstantOp)
    return op.value


def test_a_splat_is_one_element_however_large_the_tile():
    value = constant("<f32: 1.5> : tile<1024x1024xf32>")
    assert value.is_splat
    assert value.splat_value == 1.5
    assert len(value.data.data) == 4
    array = value.to_numpy()
    assert array.shape == (1024, 1024)
    assert (array == 1.5).all()


def test_equal_elements_collapse():
    assert constant("<i32: [7, 7]> : tile<2xi32>") == constant("<i32: 7> : tile<2xi32>")
    assert DenseConstantAttr.from_values(TileType([2], i32), [7, 7]).is_splat


def test_differing_elements_have_no_splat_value():
    value = constant("<i32: [[1, 2], [3, 4]]> : tile<2x2xi32>")
    assert not value.is_splat
    assert value.to_numpy().tolist() == [[1, 2], [3, 4]]
    with pytest.raises(ValueError, match="the elements of the constant differ"):
        _ = value.splat_value
    with pytest.raises(ValueError, match="read-only"):
        value.to_numpy()[0, 0] = 5


def test_booleans_are_bool():
    value = constant("<i1: [1, 0, true, false]> : tile<4xi1>")
    assert value.to_numpy().dtype == np.bool_
    assert value.to_numpy().tolist() == [True, False, True, False]
    assert DenseConstantAttr.splat(TileType([4], i1), True).splat_value is True


def test_integers_take_both_ranges_and_are_signed():
    assert constant("<i8: 255> : tile<i8>").splat_value == -1
    assert constant("<i8: -128> : tile<i8>").splat_value == -128
    assert constant("<i16: 0x7fff> : tile<i16>").splat_value == 32767
    assert constant("<i32: 007> : tile<i32>").splat_value == 7


@pytest.mark.parametrize("name", [name for name in NUMPY_DTYPES if not name.startswith("i")])
def test_every_float_type_has_a_numpy_view(name: str):
    value = constant(f"<{name}: [1.0, 2.0, 0.5, 4.0]> : tile<4x{name}>")
    assert value.to_numpy().dtype == NUMPY_DTYPES[name]
    assert value.to_numpy().astype(np.float64).tolist() == [1.0, 2.0, 0.5, 4.0]
    assert value.to_numpy((2, 2)).shape == (2, 2)


def test_tf32_keeps_ten_bits_of_the_mantissa():
    array = constant("<tf32: [0.1, -3.0]> : tile<2xtf32>").to_numpy()
    assert array.tolist() == [0.0999755859375, -3.0]


def test_hexadecimal_floats_are_bits():
    value = constant("<f32: [0x7F800000, 0x7FC00001]> : tile<2xf32>").to_numpy()
    assert np.isinf(value[0])
    assert value.view(np.uint32).tolist() == [0x7F800000, 0x7FC00001]


def test_more_than_a_hundred_elements_are_a_hexadecimal_string():
    value = DenseConstantAttr.from_values(TileType([128], i8), range(128))
    text = to_text(ConstantOp(value))
    assert text == f'%0 = cuda_tile.constant <i8: "0x{bytes(range(128)).hex().upper()}"> : ' + (
        "tile<128xi8>"
    )
    assert to_text(parse(text)).splitlines()[1].strip() == text
    assert "0x" not in to_text(ConstantOp(DenseConstantAttr.splat(TileType([128], i8), 5)))


def test_comments_between_elements():
    value = constant("<i32: [1, // one\n 2 /// two\n]> : tile<2xi32>")
    assert value.to_numpy().tolist() == [1, 2]


def test_the_attribute_has_a_text_of_its_own():
    value = constant("<i32: [1, 2]> : tile<2xi32>")
    assert str(value) == "#cuda_tile.dense_constant<i32: [1, 2] : tile<2xi32>>"
    assert Parser(context(), str(value)).parse_attribute() == value


def test_data_must_fit_the_type():
    with pytest.raises(VerifyException, match="failed to validate buffer size and format"):
        DenseConstantAttr(TileType([4], f32), b"\0\1\2\3\4\5\6\7")


def test_pointers_and_i4_are_no_constants():
    message = expected_element_type("'i4'")
    with pytest.raises(VerifyException) as error:
        DenseConstantAttr.splat(TileType([4], Parser(context(), "i4").parse_type()), 1)
    assert str(error.value) == message
    assert DenseConstantAttr.splat(TileType([4], i8), 1).splat_value == 1
