"""Tensor views, their tiled views, and the indices of tiles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import DenseArrayBase, i1
from xdsl.ir import SSAValue

from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.dialects.cuda_tile.types import INTEGERS, element_name
from tileir_xdsl.testing.programs.builder import Builder
from tileir_xdsl.testing.programs.elements import Shape, tile, type_of
from tileir_xdsl.testing.programs.targets import CPU
from tileir_xdsl.testing.programs.values import below, holding

DIVISOR = 16
"""The row stride, in elements, and the base alignment, in bytes, that bulk copies can read."""

_INDEX_ELEMENTS = ("i32", "i32", "i64", "i16", "i8")


@dataclass(frozen=True)
class Tensor:
    """A tensor view and its sizes at run time."""

    value: SSAValue
    type: cuda_tile.TensorViewType
    sizes: Shape

    def of(self, value: SSAValue) -> Tensor:
        """A tensor of the same sizes with another value."""
        return Tensor(value, self.type, self.sizes)


@dataclass(frozen=True)
class TiledView:
    """A view of tiles, with `counts[i]` tiles along dimension i.

    `inside[i]` means that all tiles are inside the tensor along i. `sparse` is the dimension with
    an index for every element, or None.
    """

    value: SSAValue
    tile: Shape
    counts: Shape
    inside: tuple[bool, ...]
    padded: bool
    sparse: int | None


def make_tensor(b: Builder, base: SSAValue, count: int) -> Tensor:
    """A tensor without overlaps in `count` elements at a pointer.

    Some tensors have rows known to begin at multiples of 16 elements, as bulk copies require.
    """
    rank = b.integer(1, 3)
    largest = b.draft.scale.sizes[rank]
    sizes = tuple(b.integer(1, largest[i]) for i in b.permutation(rank))
    strides = _strides(b, sizes, count)
    aligned = _divisible_strides(b, sizes)
    reach = sum((n - 1) * s for n, s in zip(sizes, aligned, strict=True))
    divisible = b.chance(0.3) and reach < count
    if divisible:
        strides = aligned
        base = b.add(cuda_tile.AssumeOp(base, cuda_tile.DivByAttr(DIVISOR))).result
    pointer = type_of(base).element_type
    assert isinstance(pointer, cuda_tile.PointerType)
    index = b.choose(holding(_INDEX_ELEMENTS, max(*sizes, *strides)))
    dynamic_sizes = [b.chance(0.5) for _ in sizes]
    dynamic_strides = [b.chance(0.3) for _ in strides]
    type_ = cuda_tile.TensorViewType(
        _with_dynamic(sizes, dynamic_sizes),
        pointer.pointee_type,
        _with_dynamic(strides, dynamic_strides),
    )
    steps = _extents(b, index, strides, dynamic_strides)
    if divisible:
        known = [s % DIVISOR == 0 for s, d in zip(strides, dynamic_strides, strict=True) if d]
        predicate = cuda_tile.DivByAttr(DIVISOR)
        steps = [
            b.add(cuda_tile.AssumeOp(step, predicate)).result if is_multiple else step
            for step, is_multiple in zip(steps, known, strict=True)
        ]
    extents = _extents(b, index, sizes, dynamic_sizes)
    value = b.add(cuda_tile.MakeTensorViewOp(base, extents, steps, type_)).result
    return Tensor(value, type_, sizes)


def _divisible_strides(b: Builder, sizes: Shape) -> Shape:
    """Strides of dimensions in any order: one, and multiples of `DIVISOR`."""
    strides = [0] * len(sizes)
    stride = 1
    for dim in b.permutation(len(sizes)):
        strides[dim] = stride
        stride = -(-stride * sizes[dim] // DIVISOR) * DIVISOR
    return tuple(strides)


def _strides(b: Builder, sizes: Shape, count: int) -> Shape:
    """Strides of dimensions in any order, with gaps if `count` allows them."""
    strides = [0] * len(sizes)
    stride = 1
    reach = math.prod(sizes)
    for dim in b.permutation(len(sizes)):
        gap = b.integer(1, 2)
        if reach * gap > count:
            gap = 1
        reach *= gap
        stride *= gap
        strides[dim] = stride
        stride *= sizes[dim]
    return tuple(strides)


def _with_dynamic(extents: Shape, dynamic: Sequence[bool]) -> list[int]:
    return [cuda_tile.DYNAMIC if d else extent for extent, d in zip(extents, dynamic, strict=True)]


def _extents(b: Builder, element: str, extents: Shape, dynamic: Sequence[bool]) -> list[SSAValue]:
    return [
        b.draft.scalar(element, (extent,)) if b.chance(0.5) else b.number(extent, element)
        for extent, d in zip(extents, dynamic, strict=True)
        if d
    ]


def make_view(b: Builder, tensor: Tensor, *, loads: bool, sparse: bool = True) -> TiledView:
    """A random tiled view; if it `loads`, tiles that are partly outside are padded."""
    rank = len(tensor.sizes)
    bits = b.draft.scale.tile_bits[rank]
    shape = tuple(1 << b.integer(0, bits) for _ in range(rank))
    sparse = sparse and b.draft.target != CPU
    kind = b.integer(0, 2 if sparse else 1)
    dims = list(range(rank)) if kind == 2 else b.permutation(rank)
    sizes = [tensor.sizes[dim] for dim in dims]
    match kind:
        case 0:
            steps = shape
        case 1:
            steps = tuple(b.integer(1, 2 * extent) for extent in shape)
        case _:
            steps = (1,) * rank
    counts = tuple(-(-size // step) for size, step in zip(sizes, steps, strict=True))
    inside = tuple(
        (count - 1) * step + extent <= size
        for count, step, extent, size in zip(counts, steps, shape, sizes, strict=True)
    )
    padding = None
    if loads and (not all(inside) or b.chance(0.5)):
        padding = b.choose(_paddings(element_name(tensor.type.element_type) or ""))
    sparse_dim = b.integer(0, rank - 1) if kind == 2 else None
    match kind:
        case 0:
            type_ = cuda_tile.PartitionViewType(shape, tensor.type, dims, padding)
            value = b.add(cuda_tile.MakePartitionViewOp(tensor.value, type_)).result
        case 1:
            type_ = cuda_tile.StridedViewType(shape, steps, tensor.type, dims, padding)
            value = b.add(cuda_tile.MakeStridedViewOp(tensor.value, type_)).result
        case _:
            assert sparse_dim is not None
            type_ = cuda_tile.GatherScatterViewType(shape, tensor.type, sparse_dim, padding)
            value = b.add(cuda_tile.MakeGatherScatterViewOp(tensor.value, type_)).result
    return TiledView(value, shape, counts, inside, padding is not None, sparse_dim)


def _paddings(element: str) -> tuple[cuda_tile.PaddingValue, ...]:
    """The padding values that an element type allows."""
    if element in INTEGERS:
        return (cuda_tile.PaddingValue.ZERO,)
    if element == "f8E8M0FNU":
        return (cuda_tile.PaddingValue.NAN,)
    if element == "f8E4M3FN":
        return (
            cuda_tile.PaddingValue.ZERO,
            cuda_tile.PaddingValue.NEG_ZERO,
            cuda_tile.PaddingValue.NAN,
        )
    return tuple(cuda_tile.PaddingValue)


def tile_indices(b: Builder, view: TiledView, *, loads: bool) -> list[SSAValue]:
    """The tile indices of a random access; along the sparse dimension, an index for each element.

    Indices of stored elements differ; indices of loaded elements may be outside the tensor if the
    view has padding.
    """
    element = b.choose(holding(_INDEX_ELEMENTS, max(view.counts)))
    return [
        _sparse_index(b, view, axis, loads) if axis == view.sparse else _index(b, element, count)
        for axis, count in enumerate(view.counts)
    ]


def _index(b: Builder, element: str, count: int) -> SSAValue:
    if b.chance(0.4):
        return b.number(b.integer(0, count - 1), element)
    return below(b, b.value(tile(element)), count)


def _sparse_index(b: Builder, view: TiledView, axis: int, loads: bool) -> SSAValue:
    shape = (view.tile[axis],)
    element = b.choose(holding(_INDEX_ELEMENTS, view.counts[axis] + view.tile[axis]))
    if not loads:
        start = b.number(b.integer(0, view.counts[axis] - 1), element, shape)
        return b.add(cuda_tile.AddIOp(b.linear(shape, element), start)).result
    beyond = 3 if view.padded else 0
    return below(b, b.value(tile(element, shape)), view.counts[axis] + beyond)


def promise(b: Builder, view: TiledView) -> DenseArrayBase | None:
    """The dimensions along which the tile is promised to be inside the tensor, or None."""
    if b.chance(0.6):
        return None
    sure = [inside and i != view.sparse for i, inside in enumerate(view.inside)]
    return DenseArrayBase.from_list(i1, [int(s and b.chance(0.8)) for s in sure])


def tile_type(view: TiledView, tensor: Tensor) -> cuda_tile.TileType:
    """The type of the view's tiles."""
    return tile(element_name(tensor.type.element_type) or "", view.tile)
