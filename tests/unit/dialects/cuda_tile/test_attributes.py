"""Assume predicates, optimisation hints and enumerations as attributes."""

import pytest
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, i32, i64
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError, VerifyException

from tileir_xdsl.dialects.cuda_tile import (
    BoundedAttr,
    CudaTile,
    DivByAttr,
    MemoryOrderingSemantics,
    MemoryScope,
    OptimizationHintsAttr,
    RoundingMode,
    RoundingModeAttr,
    SameElementsAttr,
    TileType,
)
from tileir_xdsl.dialects.cuda_tile.enums import (
    EnumAttribute,
    enum_from_number,
    enum_number,
    enum_to_integer_attr,
)
from tileir_xdsl.testing.tools import context


@pytest.mark.parametrize(
    "text",
    [
        "#cuda_tile.div_by<16>",
        "#cuda_tile.div_by<16, every 4 along 0>",
        "#cuda_tile.same_elements<[1, 4]>",
        "#cuda_tile.bounded<0, ?>",
        "#cuda_tile.bounded<?, -7>",
        "#cuda_tile.rounding<zero>",
        "#cuda_tile.overflow<no_wrap>",
        "#cuda_tile.optimization_hints<default = {}, sm_100 = {allow_tma = true, latency = 3}>",
        "#cuda_tile.optimization_hints<>",
    ],
)
def test_text(text: str):
    attribute = Parser(context(), text).parse_attribute()
    assert str(attribute) == text


def test_hints_print_sorted_and_without_types():
    text = '#cuda_tile.optimization_hints<"sm_90" = {b = 2 : i32, "a b" = 1}, default = {}>'
    attribute = Parser(context(), text).parse_attribute()
    expected = '#cuda_tile.optimization_hints<default = {}, sm_90 = {"a b" = 1, b = 2}>'
    assert str(attribute) == expected


def test_hints_of_an_architecture_stand_for_those_of_default():
    text = "#cuda_tile.optimization_hints<sm_90 = {occupancy = 2}, default = {allow_tma = true}>"
    hints = Parser(context(), text).parse_attribute()
    assert isinstance(hints, OptimizationHintsAttr)
    assert hints.hints_for("sm_90") == {"occupancy": 2}
    assert hints.hints_for("sm_100") == {"allow_tma": True}
    assert OptimizationHintsAttr(DictionaryAttr({})).hints_for("sm_90") == {}


def test_every_and_along_come_together():
    message = "'cuda_tile.div_by' 'every'/'along' must be used in combination"
    with pytest.raises(VerifyException) as error:
        DivByAttr(16, every=4).verify_value_type(TileType([4], i32))
    assert str(error.value) == message


def test_predicates_tell_their_parts():
    assert DivByAttr(16, 4, 1).every_value == 4
    assert DivByAttr(16).along_value is None
    assert BoundedAttr(None, 5).lower_bound is None
    assert BoundedAttr(None, 5).upper_bound == 5
    assert SameElementsAttr([1, 2]).get_values() == (1, 2)


def test_enumerations_have_the_numbers_of_the_bytecode():
    assert enum_number(MemoryOrderingSemantics.ACQ_REL) == 4
    assert enum_to_integer_attr(MemoryScope.SYS) == IntegerAttr(2, i32)
    assert enum_from_number(MemoryScope, 0) is MemoryScope.TL_BLK
    with pytest.raises(ValueError, match="invalid integer value for enum type: 3"):
        enum_from_number(MemoryScope, 3)


ENUMERATIONS = {
    "signedness": ("Signedness", "unsigned, signed"),
    "overflow": ("IntegerOverflow", "none, no_signed_wrap, no_unsigned_wrap, no_wrap"),
    "rounding": (
        "RoundingMode",
        "nearest_even, zero, negative_inf, positive_inf, approx, full, nearest_int_to_zero, "
        "nearest_away",
    ),
    "comparison_ordering": ("ComparisonOrdering", "unordered, ordered"),
    "comparison_predicate": (
        "ComparisonPredicate",
        "equal, not_equal, less_than, less_than_or_equal, greater_than, greater_than_or_equal",
    ),
    "padding_value": ("PaddingValue", "zero, neg_zero, nan, pos_inf, neg_inf"),
    "visibility": ("SymbolVisibility", "public, private"),
    "ptr_attr": ("PointerKind", "none, unicast, multicast"),
    "multimem_reduction_kind": ("MultimemReduction", "add, min, max, and, or, xor, umin, umax"),
}
"""The C++ name of each enumeration and its words, by the mnemonic of its attribute."""


def test_every_enumeration_is_in_the_table():
    assert {f"cuda_tile.{m}" for m in ENUMERATIONS} == {
        attribute.name for attribute in CudaTile.attributes if issubclass(attribute, EnumAttribute)
    }


@pytest.mark.parametrize("mnemonic", ENUMERATIONS)
@pytest.mark.parametrize("value", ["wrong", "WORD", '"WORD"', "", "0", "%a", "WORD WORD", None])
def test_values_of_an_enumeration(mnemonic: str, value: str | None):
    cpp, words = ENUMERATIONS[mnemonic]
    type_ = f"::mlir::cuda_tile::{cpp}"
    failed = f"\nfailed to parse CudaTile_{cpp}Attr parameter 'value' which is to be a `{type_}`"
    reports = {
        "wrong": f"expected {type_} to be one of: {words}{failed}",
        "WORD WORD": "expected '>'",
        None: "expected '<'",
    }
    report = reports.get(value, f"expected valid keyword or string{failed}")
    for word in words.split(", "):
        inside = "" if value is None else f"<{value.replace('WORD', word)}>"
        parser = Parser(context(), f"#cuda_tile.{mnemonic}{inside}")
        if value in ("WORD", '"WORD"'):
            attribute = parser.parse_attribute()
            assert str(attribute) == f"#cuda_tile.{mnemonic}<{word}>"
        else:
            with pytest.raises(ParseError) as error:
                parser.parse_attribute()
            assert error.value.msg == report


def test_attributes_compare():
    assert RoundingModeAttr(RoundingMode.ZERO).data is RoundingMode.ZERO
    assert IntegerAttr(1, i64) != IntegerAttr(1, i32)
