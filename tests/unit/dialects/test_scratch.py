"""What ops say of their scratch memory, by operands and attributes alone."""

from collections.abc import Sequence

import pytest
from xdsl.dialects.builtin import TensorType, f16, i32
from xdsl.dialects.test import TestOp as AnyOp
from xdsl.ir import Attribute, SSAValue

from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.enumerations import MemoryOrdering
from tileir_xdsl.dialects.memory_effects import SharedMemoryOpInterface
from tileir_xdsl.dialects.scratch import (
    Carried,
    Forwarded,
    Rearranged,
    ScratchNeed,
    Staging,
    Whole,
)
from tileir_xdsl.testing.tools import parse

POINTERS = "tensor<64x!nv_tileaa.ptr<f32>>"


def value(type: Attribute) -> SSAValue:
    return AnyOp(result_types=[type]).results[0]


def needs(op: SharedMemoryOpInterface) -> Sequence[ScratchNeed]:
    return op.scratch


def test_a_conversion_rearranges_its_tile():
    op = nv_tileas.ConvertLayoutOp(value(TensorType(f16, [64])), TensorType(f16, [64]))
    assert needs(op) == (Rearranged(op.source, op.result),)


def test_a_histogram_stages_a_counter_for_each_bin():
    op = nv_tileaa.HistogramOp(value(TensorType(i32, [64])), TensorType(i32, [16]))
    assert needs(op) == (Staging(16 * 4, 4),)


def test_an_element_of_a_tile_is_found_in_all_of_it():
    tile = value(TensorType(f16, [64]))
    op = nv_tileaa.CatOp(tile, tile, 0)
    assert needs(op) == (Whole(op.result, (0, 1)), Carried(0), Carried(1))


@pytest.mark.parametrize("ordering", ["weak", "relaxed gpu"])
def test_one_thread_executes_an_ordered_load(ordering: str):
    module = parse(
        f'%p = "test.op"() : () -> {POINTERS}\n'
        f"%x = nv_tileas.load {ordering} %p : {POINTERS} -> tensor<64xf32>"
    )
    (op,) = (op for op in module.walk() if isinstance(op, nv_tileas.LoadOp))
    is_weak = ordering == "weak"
    assert (op.mem_semantic.data is MemoryOrdering.WEAK) == is_weak
    assert needs(op) == (() if is_weak else (Forwarded(op.value, op.value),))
