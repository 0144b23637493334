"""Operands of dots in one form: random views and permutations of a tile, against numpy."""

from collections.abc import Sequence
from itertools import pairwise
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tileir_xdsl.dialects.nv_tileaa.matrix import DotOp
from tileir_xdsl.dialects.nv_tileaa.shapes import PermuteOp, ViewOp
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileaa.views import TiledLoadOp
from tileir_xdsl.testing.tools import parse, run_passes

Step = tuple[int, ...]
"""A permutation of all dimensions, or else a shape, which has no 0."""

BITS = 6
"""Of the number of elements."""


def is_permutation(step: Step) -> bool:
    return sorted(step) == list(range(len(step)))


@st.composite
def shapes(draw: st.DrawFn) -> Step:
    """Powers of two whose product is the same for all."""
    cuts = sorted(draw(st.lists(st.integers(0, BITS), max_size=3)))
    ends = zip([0, *cuts], [*cuts, BITS], strict=True)
    # A shape of ones would be taken for a permutation; the elements are more than one.
    return tuple(1 << (end - start) for start, end in ends)


@st.composite
def chains(draw: st.DrawFn) -> tuple[Step, list[Step]]:
    """The shape of a tile, and how it becomes an operand of eight rows."""
    first = shape = draw(shapes())
    steps: list[Step] = []
    for _ in range(draw(st.integers(0, 4))):
        if draw(st.booleans()):
            steps.append(tuple(draw(st.permutations(range(len(shape))))))
            shape = tuple(shape[dim] for dim in steps[-1])
        else:
            steps.append(shape := draw(shapes()))
    return first, [*steps, (8, 8)]


def tile(shape: Sequence[int]) -> str:
    return f"tensor<{'x'.join(map(str, shape))}xf16>"


def program(first: Step, steps: Sequence[Step]) -> str:
    lines, shape, value = list[str](), first, "%t"
    for number, step in enumerate(steps):
        before = tile(shape)
        if is_permutation(step):
            shape = tuple(shape[dim] for dim in step)
            order = ", ".join(map(str, step))
            op, attributes = "permute", f"{{permutation = array<i32: {order}>}} "
        else:
            shape, op, attributes = step, "view", ""
        lines.append(f"%{number} = nv_tileaa.{op} {value} {attributes}: {before} -> {tile(shape)}")
        value = f"%{number}"
    dot = f"%d = nv_tileaa.dot %a, {value}, %c : {tile((8, 8))}, {tile((8, 8))}, tensor<8x8xf32>"
    return (
        f"nv_tileaa.func @f(%t: {tile(first)}, %a: {tile((8, 8))}, %c: tensor<8x8xf32>) {{\n"
        + "\n".join([*lines, dot, '"test.op"(%d) : (tensor<8x8xf32>) -> ()'])
        + "\nnv_tileaa.return\n}"
    )


@settings(deadline=None, max_examples=60)
@given(chains())
def test_the_elements_are_the_same_and_the_form_is_the_least(chain: tuple[Step, list[Step]]):
    first, steps = chain
    module = run_passes(parse(program(first, steps)), "canonicalize")
    (dot,) = (op for op in module.walk() if isinstance(op, DotOp))
    ops, value = list[ViewOp | PermuteOp](), dot.b
    while isinstance(op := value.owner, ViewOp | PermuteOp):
        ops.insert(0, op)
        value = op.source

    numbers = expected = np.arange(prod(first)).reshape(first)
    for step in steps:
        expected = expected.transpose(step) if is_permutation(step) else expected.reshape(step)
    for op in ops:
        if isinstance(op, PermuteOp):
            # No dimension has one element, and no two could be one.
            order = op.get_permutation()
            assert 1 not in numbers.shape
            assert all(after != before + 1 for before, after in pairwise(order))
            numbers = numbers.transpose(order)
        else:
            numbers = numbers.reshape(op.result.type.get_shape())
    assert np.array_equal(numbers, expected)
    kinds = [type(op) for op in ops]
    assert kinds.count(PermuteOp) <= 1 and all(a is not b for a, b in pairwise(kinds))


@pytest.mark.parametrize("inside", ["true, false", "false, true"])
def test_promises_of_a_load_follow_its_dimensions(inside: str):
    memref, first, second = "memref<?x?xf16, strides = [1, ?]>", tile((8, 16)), "tensor<16x8xf16>"
    text = f"""nv_tileaa.func @f(%p: !nv_tileaa.ptr<f16>, %m: i32, %i: i32, %b: {second}, %c: tensor<8x8xf32>) {{
      %r = nv_tileaa.make_memref %p sizes = [%m, %m : i32, i32] strides = [%m : i32] : !nv_tileaa.ptr<f16> -> !nv_tileaa.{memref}
      %v = nv_tileaa.block_tile %r {{tileSizes = array<i64: 8, 16>, dimGroups = [[0 : i64], [1 : i64]]}} : !nv_tileaa.{memref} -> !nv_tileaa.tiled_view<8x16xf16, !nv_tileaa.{memref}>
      %a, %u = nv_tileaa.tiled_load weak %v[%i, %i] {{in_bounds = array<i1: {inside}>}} : !nv_tileaa.tiled_view<8x16xf16, !nv_tileaa.{memref}>[i32, i32] -> {first}, !nv_tileaa.mem_token
      %d = nv_tileaa.dot %a, %b, %c : {first}, {second}, tensor<8x8xf32>
      "test.op"(%d) : (tensor<8x8xf32>) -> ()
      nv_tileaa.return }}"""
    module = run_passes(parse(text), "canonicalize")
    (load,) = (op for op in module.walk() if isinstance(op, TiledLoadOp))
    assert tile_shape(load.tile.type).shape == (16, 8)
    assert load.in_bounds is not None
    kept = [str(bool(each)).lower() for each in load.in_bounds.get_values()]
    assert ", ".join(reversed(kept)) == inside
