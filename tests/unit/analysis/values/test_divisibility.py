"""Divisibility, contiguity and constancy against the values that a program really computes."""

import numpy as np
import pytest
from xdsl.dialects.builtin import Float4E2M1FNType, FloatTF32Type, ModuleOp, bf16, f64, i1
from xdsl.ir import Attribute, SSAValue

from tileir_xdsl.analysis.values.divisibility import (
    DivisibilityAnalysis,
    element_bytes,
    power_of_two_divisor,
    unknown_facts,
)
from tileir_xdsl.dialects.nv_tileaa.types import PointerType
from tileir_xdsl.testing import tools


def facts_of(text: str, name: str):
    """The facts of the value called `%name` in a module."""
    module = tools.parse(text)
    return DivisibilityAnalysis().of(value_called(module, name))


def value_called(module: ModuleOp, name: str) -> SSAValue:
    for op in module.walk():
        for result in op.results:
            if result.name_hint == name:
                return result
    raise AssertionError(f"no value %{name}")


@pytest.mark.parametrize(("value", "divisor"), [(1, 1), (6, 2), (-8, 8), (1024, 1024), (0, 2**62)])
def test_power_of_two_divisor(value: int, divisor: int):
    assert power_of_two_divisor(value) == divisor


POINTERS = """
%p, %i, %n = "test.op"() : () -> (!nv_tileaa.ptr<f32>, i32, i32)
%base = nv_tileaa.assume #nv_tileaa.div_by<16>, %p : !nv_tileaa.ptr<f32>
%tile = arith.constant 256 : i32
%zero = arith.constant 0 : i32
%first = arith.muli %i, %tile : i32
%firsts = nv_tileaa.splat %first : i32 -> tensor<256xi32>
%lane = nv_tileaa.make_range %zero, %tile : i32 -> tensor<256xi32>
%index = nv_tileaa.addi %firsts, %lane : tensor<256xi32>
%wide = arith.extsi %index : tensor<256xi32> to tensor<256xi64>
%bases = nv_tileaa.splat %base : !nv_tileaa.ptr<f32> -> tensor<256x!nv_tileaa.ptr<f32>>
%pointers = nv_tileaa.addptr %bases, %wide : tensor<256x!nv_tileaa.ptr<f32>>, tensor<256xi64>
%bound = nv_tileaa.splat %n : i32 -> tensor<256xi32>
%mask = arith.cmpi slt, %index, %bound : tensor<256xi32>
%n8 = nv_tileaa.assume #nv_tileaa.div_by<8>, %n : i32
%bound8 = nv_tileaa.splat %n8 : i32 -> tensor<256xi32>
%mask8 = arith.cmpi slt, %index, %bound8 : tensor<256xi32>
%not8 = arith.cmpi sle, %index, %bound8 : tensor<256xi32>
%two = arith.constant 2 : i32
%twos = nv_tileaa.splat %two : i32 -> tensor<256xi32>
%even = arith.muli %index, %twos : tensor<256xi32>
%one = arith.constant 1 : i32
%ones = nv_tileaa.splat %one : i32 -> tensor<256xi32>
%same = arith.muli %index, %ones : tensor<256xi32>
%odd = nv_tileaa.addi %index, %ones : tensor<256xi32>
%oddwide = arith.extsi %odd : tensor<256xi32> to tensor<256xi64>
"""


@pytest.mark.parametrize(
    ("name", "contiguity", "divisibility", "constancy"),
    [
        ("base", 1, 16, 1),
        ("first", 1, 256, 1),
        ("firsts", 1, 256, 256),
        ("lane", 256, 2**62, 1),
        ("index", 256, 256, 1),
        ("wide", 256, 256, 1),
        ("pointers", 256, 16, 1),
        ("mask", 1, 1, 1),
        ("mask8", 1, 1, 8),
        ("not8", 1, 1, 1),
        ("even", 1, 2, 1),
        ("same", 256, 256, 1),
        # 1, 2, 3, ..: a run may cross the wrap of i32, so no group survives the extension.
        ("odd", 256, 1, 1),
        ("oddwide", 1, 1, 1),
    ],
)
def test_facts_of_pointer_arithmetic(name: str, contiguity: int, divisibility: int, constancy: int):
    facts = facts_of(POINTERS, name)
    assert facts.contiguity == (contiguity,)
    assert facts.divisibility == (divisibility,)
    assert facts.constancy == (constancy,)


@pytest.mark.parametrize("block", [0, 1, 7])
@pytest.mark.parametrize("bound", [0, 8, 1000, 1024])
def test_mask_is_constant_where_the_facts_say_so(block: int, bound: int):
    index = block * 256 + np.arange(256)
    groups = (index < bound).reshape(-1, facts_of(POINTERS, "mask8").constancy[0])
    assert (groups.all(axis=1) | ~groups.any(axis=1)).all()


def test_broadcast_repeats_along_the_new_extent_only():
    facts = facts_of(
        """
%i = "test.op"() : () -> i32
%zero = arith.constant 0 : i32
%n = arith.constant 64 : i32
%range = nv_tileaa.make_range %zero, %n : i32 -> tensor<64xi32>
%wide = arith.extsi %range : tensor<64xi32> to tensor<64xi64>
%row = "test.op"() : () -> tensor<1x64xi32>
%rows = nv_tileaa.broadcast %row : tensor<1x64xi32> -> tensor<8x64xi32>
""",
        "rows",
    )
    assert facts.constancy == (8, 1)
    assert facts.contiguity == (1, 1)


COUNTED = """
%p, %n = "test.op"() : () -> (!nv_tileaa.ptr<f16>, i32)
%zero = arith.constant 0 : i32
%n8 = nv_tileaa.assume #nv_tileaa.div_by<8>, %n : i32
%extent = arith.constant 64 : i32
%lane = nv_tileaa.make_range %zero, %extent : i32 -> tensor<64xi32>
%bound = nv_tileaa.splat %n8 : i32 -> tensor<64xi32>
%odd = nv_tileaa.splat %n : i32 -> tensor<64xi32>
scf.for %i = LOWER to %n step STEP : i32 {
  %next = arith.addi %i, %extent : i32
  %firsts = nv_tileaa.splat %next : i32 -> tensor<64xi32>
  %index = nv_tileaa.addi %firsts, %lane : tensor<64xi32>
  %inside = arith.cmpi slt, %index, %bound : tensor<64xi32>
  %other = arith.cmpi slt, %lane, %odd : tensor<64xi32>
  %always = arith.cmpi slt, %firsts, %odd : tensor<64xi32>
  %both = arith.andi %inside, %always : tensor<64xi1>
  %either = arith.ori %inside, %always : tensor<64xi1>
  %uneven = arith.andi %inside, %other : tensor<64xi1>
  %moved = nv_tileas.convert_layout %index : tensor<64xi32> -> tensor<64xi32, #nv_tileas.layout<(2, 32, 1, 1), (32, 1, 0, 0)>>
}
"""


@pytest.mark.parametrize(
    ("lower", "step", "divisor"),
    [("%zero", "%extent", 64), ("%n8", "%extent", 8), ("%extent", "%n8", 8), ("%n", "%extent", 1)],
)
def test_what_a_loop_counts_is_divisible_as_its_start_and_its_step(
    lower: str, step: str, divisor: int
):
    text = COUNTED.replace("LOWER", lower).replace("STEP", step)
    assert facts_of(text, "next").divisibility == (divisor,)
    index = facts_of(text, "index")
    assert (index.contiguity, index.divisibility) == ((64,), (divisor,))
    assert facts_of(text, "moved") == index


CARRIED = """
%p, %n = "test.op"() : () -> (!nv_tileaa.ptr<f16>, i32)
%one = arith.constant 1 : i32
%zero = arith.constant 0 : i32
%extent = arith.constant 64 : i32
%last, %at = scf.for %i = %zero to %n step %extent iter_args(%odd = %one, %where = %p) -> (i32, !nv_tileaa.ptr<f16>) : i32 {
  %next = arith.addi %odd, %one : i32
  %even = arith.addi %i, %extent : i32
  %moved = nv_tileaa.addptr %where, %one : !nv_tileaa.ptr<f16>, i32
  %inner, %there = scf.for %j = %zero to %n step %extent iter_args(%kept = %next, %here = %moved) -> (i32, !nv_tileaa.ptr<f16>) : i32 {
    %again = arith.addi %kept, %extent : i32
    %along = nv_tileaa.addptr %here, %extent : !nv_tileaa.ptr<f16>, i32
    scf.yield %again, %along : i32, !nv_tileaa.ptr<f16>
  }
  scf.yield %next, %moved : i32, !nv_tileaa.ptr<f16>
}
"""


@pytest.mark.parametrize(
    "name", ["next", "moved", "inner", "there", "again", "along", "last", "at"]
)
def test_what_a_loop_carries_is_not_divisible_as_what_it_counts(name: str):
    """Of 1, 2, 3 and so on, and of pointers a step further each, nothing is known."""
    assert facts_of(CARRIED, name).divisibility[0] <= 2
    assert facts_of(CARRIED, "even").divisibility == (64,)


@pytest.mark.parametrize(
    ("name", "constancy"),
    [("inside", 8), ("always", 64), ("both", 8), ("either", 8), ("uneven", 1)],
)
def test_masks_together_are_the_same_where_each_is(name: str, constancy: int):
    text = COUNTED.replace("LOWER", "%zero").replace("STEP", "%extent")
    assert facts_of(text, name).constancy == (constancy,)


GENERATED = """
%zero = arith.constant 0 : i32
%n = arith.constant 64 : i32
%made = nv_tileaa.make_range %zero, %n : i32 -> tensor<64xi32>
%generated = nv_tileas.generate : tensor<64xi32> {
^bb0(%i: i32):
  nv_tileas.yield %i : i32
}
%zeros = nv_tileas.generate : tensor<64xi32> {
^bb0(%i: i32):
  nv_tileas.yield %zero : i32
}
%rows = nv_tileas.generate : tensor<8x64xi32> {
^bb0(%i: i32, %j: i32):
  nv_tileas.yield %i : i32
}
"""


def test_what_is_generated_from_its_index_is_a_range():
    assert facts_of(GENERATED, "generated") == facts_of(GENERATED, "made")
    assert facts_of(GENERATED, "zeros") == unknown_facts((64,))
    assert facts_of(GENERATED, "rows") == unknown_facts((8, 64))


SUMS = """
%row, %rows = "test.op"() : () -> (tensor<256xi32>, tensor<256x!nv_tileaa.ptr<i32>>)
%zero = arith.constant 0 : i32
%n = arith.constant 256 : i32
%lane = nv_tileaa.make_range %zero, %n : i32 -> tensor<256xi32>
%first = nv_tileaa.assume #nv_tileaa.div_by<64>, %row : tensor<256xi32>
%far = nv_tileaa.assume #nv_tileaa.same_elements<[8]>, %first : tensor<256xi32>
%sum = arith.addi %lane, %far : tensor<256xi32>
%other = arith.addi %far, %lane : tensor<256xi32>
%aligned = nv_tileaa.assume #nv_tileaa.div_by<64>, %rows : tensor<256x!nv_tileaa.ptr<i32>>
%bases = nv_tileaa.assume #nv_tileaa.same_elements<[4]>, %aligned : tensor<256x!nv_tileaa.ptr<i32>>
%at = nv_tileaa.addptr %bases, %lane : tensor<256x!nv_tileaa.ptr<i32>>, tensor<256xi32>
%apart = nv_tileaa.addptr %bases, %far : tensor<256x!nv_tileaa.ptr<i32>>, tensor<256xi32>
"""


@pytest.mark.parametrize(
    ("name", "contiguity", "divisibility", "constancy"),
    [("sum", 8, 8, 1), ("other", 8, 8, 1), ("at", 4, 16, 1), ("apart", 1, 64, 4)],
)
def test_a_range_goes_on_only_while_what_is_added_stays_the_same(
    name: str, contiguity: int, divisibility: int, constancy: int
):
    facts = facts_of(SUMS, name)
    assert facts.contiguity == (contiguity,)
    assert facts.divisibility == (divisibility,)
    assert facts.constancy == (constancy,)


def test_assumed_runs_are_contiguous():
    facts = facts_of(
        """
%p = "test.op"() : () -> tensor<64xi32>
%q = nv_tileaa.assume #nv_tileaa.div_by<16, every 8 along 0>, %p : tensor<64xi32>
%r = nv_tileaa.assume #nv_tileaa.same_elements<[4]>, %q : tensor<64xi32>
""",
        "r",
    )
    assert facts.contiguity == (8,)
    assert facts.divisibility == (16,)
    assert facts.constancy == (4,)


@pytest.mark.parametrize(
    ("type", "size"),
    [(i1, 1), (Float4E2M1FNType(), 1), (bf16, 2), (FloatTF32Type(), 4), (f64, 8)],
)
def test_sizes_in_memory(type: Attribute, size: int):
    assert element_bytes(type) == size
    assert element_bytes(PointerType(type)) == 8


def test_long_chains_need_no_recursion():
    adds = "\n".join(f"%v{i + 1} = nv_tileaa.addi %v{i}, %v{i} : i32" for i in range(3000))
    facts = facts_of(f"%v0 = arith.constant 2 : i32\n{adds}", "v3000")
    assert facts.divisibility == (2,)


@pytest.mark.parametrize(
    ("type", "contiguity", "constancy"),
    [("1x256", (1, 256), (1, 1)), ("256x1", (256, 1), (1, 1)), ("16x16", (1, 1), (1, 1))],
)
def test_view(type: str, contiguity: tuple[int, ...], constancy: tuple[int, ...]):
    """Dimensions of extent 1 come and go."""
    text = POINTERS + f"%view = nv_tileaa.view %lane : tensor<256xi32> -> tensor<{type}xi32>"
    facts = facts_of(text, "view")
    assert (facts.contiguity, facts.constancy) == (contiguity, constancy)
