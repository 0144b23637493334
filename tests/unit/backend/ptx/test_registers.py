"""Structs lie in memory as C lays them out."""

import ctypes
import random
from typing import Any

import pytest
from xdsl.dialects.builtin import Float32Type, Float64Type, i8, i16, i32, i64
from xdsl.dialects.llvm import LLVMArrayType, LLVMPointerType, LLVMStructType
from xdsl.ir import Attribute

from tileir_xdsl.backend.ptx.registers import alignment_in_bytes, field_offset, size_in_bytes

SCALARS: list[tuple[Attribute, Any]] = [
    (i8, ctypes.c_int8),
    (i16, ctypes.c_int16),
    (i32, ctypes.c_int32),
    (i64, ctypes.c_int64),
    (Float32Type(), ctypes.c_float),
    (Float64Type(), ctypes.c_double),
    (LLVMPointerType(), ctypes.c_void_p),
]


def drawn(random_: random.Random, depth: int) -> tuple[Attribute, Any]:
    """A type, and the same in C."""
    kind = random_.randrange(4) if depth else 0
    if kind == 2:
        ours, c = drawn(random_, depth - 1)
        count = random_.randint(1, 5)
        return LLVMArrayType(count, ours), c * count
    if kind == 3:
        return struct(random_, depth - 1)
    return random_.choice(SCALARS)


def struct(random_: random.Random, depth: int) -> tuple[LLVMStructType, Any]:
    parts = [drawn(random_, depth) for _ in range(random_.randint(1, 6))]
    fields = [(f"f{index}", c) for index, (_, c) in enumerate(parts)]
    made = type("Drawn", (ctypes.Structure,), {"_fields_": fields})
    return LLVMStructType.from_type_list([ours for ours, _ in parts]), made


@pytest.mark.parametrize("seed", range(40))
def test_layout_of_a_struct(seed: int):
    ours, c = struct(random.Random(seed), 2)
    assert size_in_bytes(ours) == ctypes.sizeof(c)
    assert alignment_in_bytes(ours) == ctypes.alignment(c)
    for index in range(len(ours.types.data)):
        assert field_offset(ours, index) == getattr(c, f"f{index}").offset
