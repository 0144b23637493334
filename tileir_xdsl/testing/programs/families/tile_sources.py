"""Sources of tiles for loops: views of all kinds, with odd extents and strides, or pointers.

Numbers are small integers, as `mma_loops` needs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from xdsl.ir import SSAValue

from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.testing.programs.builder import Builder
from tileir_xdsl.testing.programs.elements import Shape, tile, type_of
from tileir_xdsl.testing.programs.families.mma_loops import access_hints, magnitude_of
from tileir_xdsl.testing.programs.tensors import DIVISOR
from tileir_xdsl.testing.programs.values import converted
from tileir_xdsl.testing.programs.whole_tensors import make_whole_tensor, row_major_strides

TileAt = Callable[[Builder, Sequence[SSAValue]], SSAValue]
"""Loads a tile in a body; its i32 indices count tiles along each dimension."""


def _array(b: Builder, element: str, sizes: Shape) -> tuple[SSAValue, Shape, bool]:
    """A new integer array at any alignment, its strides, and whether all strides are divisible."""
    divisible = b.chance(0.75)
    strides = row_major_strides(sizes, DIVISOR if divisible else 1)
    if not divisible and len(sizes) > 1 and b.chance(0.5):
        # Rows farther apart than they are long, by an odd number of elements.
        gap = b.choose((1, 3, 7))
        row = len(strides) - 2
        strides = tuple(stride + gap * (i == row) for i, stride in enumerate(strides))
        strides = _spread(strides, sizes)
    count, first = _reach(sizes, strides), 0
    if not divisible and b.chance(0.5):
        first = b.choose((1, 2, 5, 8))
    base = b.draft.whole_input(element, count + first, magnitude_of(element))
    if first:
        base = b.add(cuda_tile.OffsetOp(base, b.number(first, "i32"))).result
    return base, strides, divisible


def _reach(sizes: Shape, strides: Shape) -> int:
    """The elements of an array, including gaps between rows and after the last row."""
    return max(size * stride for size, stride in zip(sizes, strides, strict=True))


def _spread(strides: Shape, sizes: Shape) -> Shape:
    """Enlarges the strides of outer dimensions so that inner dimensions do not overlap."""
    made = list(strides)
    for i in reversed(range(len(sizes) - 2)):
        made[i] = max(made[i], made[i + 1] * sizes[i + 1])
    return tuple(made)


def _sizes(b: Builder, shape: Shape, counts: Sequence[int]) -> Shape:
    """The extents of a tensor of `counts` tiles; the last tiles may be partial."""
    return tuple(
        (count - 1) * extent + (extent if b.chance(0.6) else b.integer(1, extent))
        for count, extent in zip(counts, shape, strict=True)
    )


def _partition(b: Builder, element: str, shape: Shape, counts: Sequence[int]) -> TileAt:
    """Tiles of a tensor with any order of dimensions in memory."""
    sizes = _sizes(b, shape, counts)
    order = b.permutation(len(shape)) if b.chance(0.4) else list(range(len(shape)))
    # Dimension i of the tile is dimension `order[i]` of the tensor.
    stored = [0] * len(shape)
    for dim, at in enumerate(order):
        stored[at] = sizes[dim]
    base, strides, divisible = _array(b, element, tuple(stored))
    tensor = make_whole_tensor(b, base, tuple(stored), strides, divisible)
    assert isinstance(tensor.type, cuda_tile.TensorViewType)
    view_type = cuda_tile.PartitionViewType(shape, tensor.type, order, cuda_tile.PaddingValue.ZERO)
    view, hints = b.add(cuda_tile.MakePartitionViewOp(tensor, view_type)).result, access_hints(b)
    return lambda body, at: body.add(cuda_tile.LoadViewTkoOp(view, at, hints=hints)).tile


def _permuted(b: Builder, element: str, shape: Shape, counts: Sequence[int]) -> TileAt:
    """Tiles that are permuted after the load."""
    order = b.permutation(len(shape))
    inverse = [order.index(dim) for dim in range(len(shape))]
    # Dimension `inverse[i]` of the result is dimension i of what is loaded.
    moved = _partition(b, element, _in(shape, inverse), _in(tuple(counts), inverse))

    def at(body: Builder, indices: Sequence[SSAValue]) -> SSAValue:
        value = moved(body, [indices[dim] for dim in inverse])
        return body.add(cuda_tile.PermuteOp(value, order)).result

    return at


def _in(values: Shape, order: Sequence[int]) -> Shape:
    return tuple(values[dim] for dim in order)


def _lifted(b: Builder, element: str, shape: Shape, counts: Sequence[int]) -> TileAt:
    """Tiles with an additional dimension of extent one."""
    before = b.integer(1, 2)
    inner = _partition(b, element, (1, *shape), [before, *counts])
    first = b.number(b.integer(0, before - 1), "i32")

    def at(body: Builder, indices: Sequence[SSAValue]) -> SSAValue:
        value = inner(body, [first, *indices])
        return body.add(cuda_tile.ReshapeOp(value, tile(element, shape))).result

    return at


def _strided(b: Builder, element: str, shape: Shape, counts: Sequence[int]) -> TileAt:
    """Overlapping tiles, or tiles with gaps between them."""
    steps = tuple(b.choose((extent, max(1, extent // 2), extent + 1)) for extent in shape)
    sizes = tuple(
        (count - 1) * step + b.integer(1, extent)
        for count, step, extent in zip(counts, steps, shape, strict=True)
    )
    base, strides, divisible = _array(b, element, sizes)
    tensor = make_whole_tensor(b, base, sizes, strides, divisible)
    assert isinstance(tensor.type, cuda_tile.TensorViewType)
    view_type = cuda_tile.StridedViewType(
        shape, steps, tensor.type, None, cuda_tile.PaddingValue.ZERO
    )
    view = b.add(cuda_tile.MakeStridedViewOp(tensor, view_type)).result
    return lambda body, at: body.add(cuda_tile.LoadViewTkoOp(view, at)).tile


def _gathered(b: Builder, element: str, shape: Shape, counts: Sequence[int]) -> TileAt:
    """Rows gathered in another order; some are outside the tensor."""
    if len(shape) != 2:
        return _partition(b, element, shape, counts)
    sizes = _sizes(b, shape, counts)
    base, strides, divisible = _array(b, element, sizes)
    tensor = make_whole_tensor(b, base, sizes, strides, divisible)
    assert isinstance(tensor.type, cuda_tile.TensorViewType)
    sparse = b.choose((0, 0, 0, 1))
    view_type = cuda_tile.GatherScatterViewType(
        shape, tensor.type, sparse, cuda_tile.PaddingValue.ZERO
    )
    view = b.add(cuda_tile.MakeGatherScatterViewOp(tensor, view_type)).result
    flipped = b.number(b.integer(0, shape[sparse] - 1), "i32", (shape[sparse],))

    def at(body: Builder, indices: Sequence[SSAValue]) -> SSAValue:
        starts = [
            body.add(cuda_tile.MulIOp(index, body.number(extent, "i32"))).result
            for index, extent in zip(indices, shape, strict=True)
        ]
        rows = body.add(cuda_tile.XOrIOp(body.linear((shape[sparse],)), flipped)).result
        first = body.spread(starts[sparse], (shape[sparse],))
        starts[sparse] = body.add(cuda_tile.AddIOp(first, rows)).result
        return body.add(cuda_tile.LoadViewTkoOp(view, starts)).tile

    return at


def _pointed(b: Builder, element: str, shape: Shape, counts: Sequence[int]) -> TileAt:
    """Tiles loaded through pointers to consecutive elements, perhaps with assumed alignment."""
    count = math.prod(shape)
    base = b.draft.whole_input(element, count * math.prod(counts), magnitude_of(element))
    if b.chance(0.7):
        base = b.add(cuda_tile.AssumeOp(base, cuda_tile.DivByAttr(DIVISOR))).result
    numbers = b.linear(shape)

    def at(body: Builder, indices: Sequence[SSAValue]) -> SSAValue:
        number: SSAValue = body.number(0, "i32")
        for index, extent in zip(indices, counts, strict=True):
            scaled = body.add(cuda_tile.MulIOp(number, body.number(extent, "i32"))).result
            number = body.add(cuda_tile.AddIOp(scaled, index)).result
        start = body.add(cuda_tile.MulIOp(number, body.number(count, "i32"))).result
        offsets = body.add(cuda_tile.AddIOp(body.spread(start, shape), numbers)).result
        return body.add(cuda_tile.LoadPtrTkoOp(body.offset(base, offsets))).result

    return at


_WIDER = {"f16": ("f32", "f8E5M2"), "bf16": ("f32",), "tf32": ("f32",), "f8E4M3FN": ("f32",)}


def _converted(b: Builder, element: str, shape: Shape, counts: Sequence[int]) -> TileAt:
    """Tiles of another type, converted after the load."""
    choices = [e for e in _WIDER.get(element, ()) if e not in b.draft.missing]
    if not choices:
        return _partition(b, element, shape, counts)
    inner = _partition(b, b.choose(choices), shape, counts)
    return lambda body, at: converted(body, inner(body, at), element)


_SOURCES = {
    _partition: 10,
    _permuted: 2,
    _lifted: 1,
    _strided: 2,
    _gathered: 2,
    _pointed: 2,
    _converted: 1,
}
"""The sources of tiles, with weights."""


def draw_source(b: Builder, element: str, shape: Shape, counts: Sequence[int]) -> TileAt:
    """A random source: it loads tiles of a new array, `counts` along each dimension."""
    kind = b.draft.random.choices(list(_SOURCES), list(_SOURCES.values()))[0]
    source = kind(b, element, shape, counts)

    def at(body: Builder, indices: Sequence[SSAValue]) -> SSAValue:
        value = source(body, indices)
        assert type_of(value) == tile(element, shape)
        return value

    return at
