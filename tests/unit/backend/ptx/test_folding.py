"""Integers known at compile time, against numpy."""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, IntegerType, i8, i16, i32, i64
from xdsl.ir import Block, Operation, SSAValue

from tileir_xdsl.backend.ptx.folding import FOLDS, KnownIntegers
from tileir_xdsl.backend.ptx.registers import INTEGER_CLASSES, Constant, signed


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


MEANINGS: dict[type[Operation], tuple[str, Callable[[Any, Any], Any]]] = {
    llvm.AddOp: ("u", np.add),
    llvm.SubOp: ("u", np.subtract),
    llvm.MulOp: ("u", np.multiply),
    llvm.AndOp: ("u", np.bitwise_and),
    llvm.OrOp: ("u", np.bitwise_or),
    llvm.XOrOp: ("u", np.bitwise_xor),
    llvm.ShlOp: ("u", np.left_shift),
    llvm.LShrOp: ("u", np.right_shift),
    llvm.AShrOp: ("i", np.right_shift),
    llvm.UDivOp: ("u", np.floor_divide),
    llvm.URemOp: ("u", np.remainder),
    llvm.SDivOp: ("i", lambda a, b: a // b + (a % b != 0) * ((a < 0) != (b < 0))),
    llvm.SRemOp: ("i", np.fmod),
}
"""Each op on unsigned or signed integers of numpy."""
SHIFTS = (llvm.ShlOp, llvm.LShrOp, llvm.AShrOp)
DIVISIONS = (llvm.UDivOp, llvm.URemOp, llvm.SDivOp, llvm.SRemOp)


def test_every_op_that_folds_has_a_meaning() -> None:
    assert MEANINGS.keys() == FOLDS.keys()


@pytest.mark.parametrize("op", MEANINGS, ids=lambda op: op.name)
def test_folded_ops(op: type[Operation]) -> None:
    """What LLVM leaves undefined is not folded: shifts by the width and divisions by zero."""
    kind, meaning = MEANINGS[op]
    for type in (i8, i16, i32, i64):
        width = type.width.data
        least = -(1 << width - 1)
        for a, b in product((0, 1, 7, 100, -1, -9, least, least + 1, -1 - least), repeat=2):
            if op in (llvm.SDivOp, llvm.SRemOp) and (a, b) == (least, -1):
                continue
            made = op.create(operands=[constant(a, type), constant(b, type)], result_types=[type])
            found = KnownIntegers().constant(made.results[0])
            is_defined = 0 <= b < width if op in SHIFTS else b != 0 or op not in DIVISIONS
            assert (found is not None) is is_defined, (width, a, b)
            if found is None:
                continue
            bits = np.array([a % (1 << width), b % (1 << width)], f"u{width // 8}")
            lhs, rhs = (array.view(f"{kind}{width // 8}") for array in np.split(bits, 2))
            wanted = int(meaning(lhs, rhs)[0])
            assert signed(found.bits, width) == signed(wanted % (1 << width), width), (width, a, b)
            assert found.register_class is INTEGER_CLASSES[width]
