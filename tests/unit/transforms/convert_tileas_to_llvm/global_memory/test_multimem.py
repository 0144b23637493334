"""How PTX spells the reductions of multicast memory (PTX ISA, "multimem.ld_reduce")."""

import pytest
from xdsl.dialects.builtin import f16, f32, i32, i64
from xdsl.ir import Attribute

from tileir_xdsl.dialects.enumerations import RMWMode
from tileir_xdsl.transforms.convert_tileas_to_llvm.global_memory.multimem import (
    FORMATS,
    reduction_text,
)


@pytest.mark.parametrize(
    ("element", "mode", "text"),
    [
        (i32, RMWMode.ADD, ".add.u32"),
        (i32, RMWMode.MIN, ".min.s32"),
        (i32, RMWMode.MAX, ".max.s32"),
        (i32, RMWMode.UMIN, ".min.u32"),
        (i32, RMWMode.UMAX, ".max.u32"),
        (i32, RMWMode.XOR, ".xor.b32"),
        (i64, RMWMode.MIN, ".min.s64"),
        (i64, RMWMode.MAX, ".max.s64"),
        (i64, RMWMode.UMIN, ".min.u64"),
        (i64, RMWMode.UMAX, ".max.u64"),
        (i64, RMWMode.AND, ".and.b64"),
        (f32, RMWMode.ADD, ".add.f32"),
        (f16, RMWMode.MIN, ".min.f16x2"),
    ],
)
def test_reductions(element: Attribute, mode: RMWMode, text: str):
    assert reduction_text(mode, FORMATS[element]) == text
