"""Elements of four bits, two to a byte: of one byte that has both, of two bytes, and computed ones."""

from collections.abc import Callable

import pytest
from xdsl.dialects import llvm
from xdsl.dialects.builtin import i8
from xdsl.ir import SSAValue

from tests.unit.transforms.convert_tileas_to_llvm.thread.llvm_values import (
    signed,
    started,
    value_of,
)
from tileir_xdsl.transforms.convert_tileas_to_llvm.thread.builder import LLVMBuilder
from tileir_xdsl.transforms.convert_tileas_to_llvm.thread.nibbles import pack_nibbles

Element = Callable[[LLVMBuilder, SSAValue], SSAValue]


def lower(builder: LLVMBuilder, byte: SSAValue) -> SSAValue:
    """The lower half of a byte."""
    return builder.insert(llvm.AndOp(byte, builder.integer(15, i8)))


def upper(builder: LLVMBuilder, byte: SSAValue) -> SSAValue:
    """The upper half of a byte."""
    return lower(builder, builder.insert(llvm.LShrOp(byte, builder.integer(4, i8))))


def other_bits(builder: LLVMBuilder, byte: SSAValue) -> SSAValue:
    """Fewer bits of a byte."""
    return builder.insert(llvm.AndOp(byte, builder.integer(7, i8)))


@pytest.mark.parametrize("is_one_byte", [True, False])
@pytest.mark.parametrize("high", [upper, lower, other_bits])
@pytest.mark.parametrize("low", [lower, upper, other_bits])
def test_bytes_have_the_two_elements(low: Element, high: Element, is_one_byte: bool):
    builder, block = started([i8] * 8)
    known: dict[SSAValue, int] = {
        argument: signed(37 * (n + 3), 8) for n, argument in enumerate(block.args)
    }
    seconds = [block.args[n - n % 2 if is_one_byte else n] for n in range(1, 8, 2)]
    elements: list[SSAValue] = []
    for first, second in zip(block.args[::2], seconds, strict=True):
        elements += [low(builder, first), high(builder, second)]
    pack_nibbles(builder, elements)
    packed = [op.value for op in block.ops if isinstance(op, llvm.InsertElementOp)]
    wanted = [
        value_of(one, known) % 16 + 16 * (value_of(other, known) % 16)
        for one, other in zip(elements[::2], elements[1::2], strict=True)
    ]
    assert [value_of(byte, known) % 256 for byte in packed] == wanted
