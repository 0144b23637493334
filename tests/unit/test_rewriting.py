"""The conversion driver: dispatch, value mapping, casts for ops that stay, illegal leftovers."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from xdsl.dialects import arith, test
from xdsl.dialects.builtin import IntegerType, UnrealizedConversionCastOp, i32, i64
from xdsl.ir import Attribute, Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.dialects.arith import CmpIOp
from tileir_xdsl.rewriting import (
    Conversion,
    ConversionTarget,
    TypeConverter,
    apply_partial_conversion,
    look_up,
)
from tileir_xdsl.testing import tools

ANYTHING = ConversionTarget(failure="cannot convert")


def widen(type: Attribute) -> Attribute | None:
    return i64 if type == i32 else None


@dataclass
class Widen(RewritePattern):
    """`arith.addi` on i64 in place of i32."""

    conversion: Conversion

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        lhs, rhs = self.conversion.values(op.operands)
        self.conversion.replace(rewriter, op, arith.AddiOp(lhs, rhs, i64))


@dataclass
class Constant(RewritePattern):
    conversion: Conversion

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, arith.ConstantOp)
        self.conversion.replace(rewriter, op, arith.ConstantOp.from_int_and_width(7, 64))


PROGRAM = """
%a = arith.constant 7 : i32
%b = arith.addi %a, %a : i32
"test.op"(%b) : (i32) -> ()
"""


def convert(text: str, target: ConversionTarget = ANYTHING) -> str:
    module = tools.parse(text)
    conversion = Conversion(TypeConverter((widen,)))
    patterns: dict[type[Operation], RewritePattern] = {
        arith.AddiOp: Widen(conversion),
        arith.ConstantOp: Constant(conversion),
    }
    apply_partial_conversion(module, patterns, target, conversion)
    module.verify()
    return tools.to_text(module)


def test_an_op_that_stays_gets_its_old_type_through_a_cast(filecheck: Callable[[str, str], None]):
    filecheck(
        convert(PROGRAM),
        """
// CHECK:      %a = arith.constant 7 : i64
// CHECK-NEXT: %b = arith.addi %a, %a : i64
// CHECK-NEXT: %[[C:.*]] = builtin.unrealized_conversion_cast %b : i64 to i32
// CHECK-NEXT: "test.op"(%[[C]]) : (i32) -> ()
""",
    )


CAST = "builtin.unrealized_conversion_cast"
PENDING = {
    "of a value that was converted": ("%a = arith.constant 7 : i32", "i32 to i64", []),
    "of a value that stays": ('%a = "test.op"() : () -> i64', "i64 to i32", ["i64 to i32"]),
    "to another type": ("%a = arith.constant 7 : i32", "i32 to f32", ["i64 to i32", "i32 to f32"]),
    "of another type": ('%a = "test.op"() : () -> f32', "f32 to i64", ["f32 to i64"]),
}
"""A value, a cast of it that another conversion has left, and the casts that there are in the end."""


@pytest.mark.parametrize("name", PENDING)
def test_casts_that_are_pending(name: str):
    made, types, left = PENDING[name]
    result = types.split()[-1]
    text = convert(f'{made}\n%b = {CAST} %a : {types}\n"test.op"(%b) : ({result}) -> ()')
    found = [line.split(" : ")[1] for line in text.splitlines() if CAST in line]
    assert found == left


def test_locations_move_to_the_new_ops():
    module = tools.parse('%a = arith.constant 7 : i32 loc("f":3:4)')
    conversion = Conversion(TypeConverter((widen,)))
    apply_partial_conversion(module, {arith.ConstantOp: Constant(conversion)}, ANYTHING, conversion)
    (op,) = module.body.block.ops
    assert op.results[0].type == i64
    assert str(op.location) == 'loc("f":3:4)'


def test_an_illegal_op_is_named_with_its_place():
    target = ConversionTarget(failure="cannot convert", illegal_dialects=frozenset({"test"}))
    with pytest.raises(PassFailedException, match=r"^cannot convert") as caught:
        convert(PROGRAM.replace("-> ()", '-> () loc("f":3:4)'), target)
    assert str(caught.value) == "cannot convert"
    assert caught.value.__notes__[0] == "see 'test.op' op at loc(\"f\":3:4)"


def test_types_are_converted_once_each():
    calls: list[Attribute] = []

    def conversion(type: Attribute) -> Attribute | None:
        calls.append(type)
        return widen(type)

    converter = TypeConverter((conversion,))
    assert converter.convert_all([i32, i32, i64]) == [i64, i64, i64]
    assert calls == [i32, i64]


def test_a_stand_in_is_found_under_the_class_it_stands_for():
    module = tools.parse('%a = "test.op"() : () -> tensor<4xi32>')
    value = module.body.block.first_op.results[0]  # pyright: ignore[reportOptionalMemberAccess]
    comparison = CmpIOp(value, value, "slt")
    assert look_up({arith.CmpiOp: "comparison"}, comparison) == "comparison"
    assert look_up({arith.CmpiOp: "comparison"}, test.TestOp()) is None
    assert look_up({UnrealizedConversionCastOp: "cast"}, comparison) is None
    assert isinstance(value.type.element_type, IntegerType)  # pyright: ignore
