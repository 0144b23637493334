"""Integers known at compile time."""

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, IntegerType, i8, i32
from xdsl.ir import Block, SSAValue

from tileir_xdsl.backend.ptx.folding import KnownIntegers
from tileir_xdsl.backend.ptx.registers import INTEGER_CLASSES, Constant


def constant(value: int, type: IntegerType = i32) -> SSAValue:
    return llvm.ConstantOp(IntegerAttr(value, type, truncate_bits=True), type).result


def test_long_chains_of_constants() -> None:
    total = constant(0)
    for number in range(3000):
        total = llvm.AddOp(total, constant(number)).res
    expected = Constant(sum(range(3000)), INTEGER_CLASSES[32])
    assert KnownIntegers().constant(total) == expected


def test_a_sum_with_an_argument_is_unknown() -> None:
    argument = Block(arg_types=[i32]).args[0]
    total: SSAValue = argument
    for number in range(3000):
        total = llvm.AddOp(total, constant(number)).res
    known = KnownIntegers()
    assert known.constant(total) is None
    assert known.constant(llvm.SubOp(constant(1), total).res) is None
    assert known.constant(llvm.UDivOp(constant(1), constant(0)).res) is None


def test_casts() -> None:
    minus_two = constant(-2, i8)
    known = KnownIntegers()
    signed, unsigned = llvm.SExtOp(minus_two, i32).res, llvm.ZExtOp(minus_two, i32).res
    assert known.constant(signed) == Constant(0xFFFFFFFE, INTEGER_CLASSES[32])
    assert known.constant(unsigned) == Constant(0xFE, INTEGER_CLASSES[32])
    narrow = llvm.TruncOp(constant(0x1FF), i8).res
    assert known.constant(narrow) == Constant(0xFF, INTEGER_CLASSES[8])
