"""Index arithmetic has no flags but those of the ops' own defaults."""

from collections.abc import Sequence

from xdsl.builder import Builder
from xdsl.dialects.builtin import IndexType, i1, i32
from xdsl.ir import BlockArgument

from tests.unit.builders import building
from tileir_xdsl.builders import arithmetic
from tileir_xdsl.testing.tools import check


def test_wrappers_build_plain_ops():
    def body(builder: Builder, args: Sequence[BlockArgument]) -> None:
        x, y, flag = args
        arithmetic.add(builder, x, y)
        arithmetic.subtract(builder, x, y)
        arithmetic.multiply(builder, x, y)
        arithmetic.divide_signed(builder, x, y)
        arithmetic.maximum_signed(builder, x, y)
        arithmetic.select(builder, flag, x, y)
        arithmetic.constant(builder, 7, i32)
        arithmetic.boolean(builder, True)

    text = building.build([IndexType(), IndexType(), i1], body)
    check(
        text,
        """
        // CHECK: arith.addi %a, %b : index
        // CHECK-NEXT: arith.subi %a, %b : index
        // CHECK-NEXT: arith.muli %a, %b : index
        // CHECK-NEXT: arith.divsi %a, %b : index
        // CHECK-NEXT: arith.maxsi %a, %b : index
        // CHECK-NEXT: arith.select %c, %a, %b : index
        // CHECK-NEXT: arith.constant 7 : i32
        // CHECK-NEXT: arith.constant true
        """,
    )
    assert "overflow" not in text and "fastmath" not in text


def test_index_expression():
    def body(builder: Builder, args: Sequence[BlockArgument]) -> None:
        arithmetic.index_expression(builder, *args)

    check(
        building.build([IndexType()] * 3, body),
        """
        // CHECK: [[S:%.*]] = arith.muli %b, %c : index
        // CHECK-NEXT: arith.addi %a, [[S]] : index
        """,
    )


def test_index_expression_without_what_does_nothing():
    def body(builder: Builder, args: Sequence[BlockArgument]) -> None:
        zero, one = (arithmetic.constant(builder, number) for number in (0, 1))
        assert arithmetic.index_expression(builder, zero, args[0], one) is args[0]
        assert arithmetic.known_number(one) == 1 and arithmetic.known_number(args[0]) is None

    assert "arith.addi" not in building.build([IndexType()], body)
