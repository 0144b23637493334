"""Tensors of small integers, mostly with strides divisible by 16, and their tiled views."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.testing.programs.builder import Builder
from tileir_xdsl.testing.programs.elements import Shape, type_of
from tileir_xdsl.testing.programs.tensors import DIVISOR


@dataclass(frozen=True)
class WholeTensor:
    """A view of the tiles of a tensor."""

    view: SSAValue


def new_whole_tensor(
    b: Builder, element: str, shape: Shape, counts: Sequence[int], magnitude: int
) -> WholeTensor:
    """A new array of `counts` tiles of a shape; the last tiles may be partial and padded."""
    sizes = tuple(
        (count - 1) * extent + (extent if b.chance(0.7) else b.integer(1, extent))
        for count, extent in zip(counts, shape, strict=True)
    )
    divisible = b.chance(0.88)
    strides = row_major_strides(sizes, DIVISOR if divisible else 1)
    base = b.draft.whole_input(element, sizes[0] * strides[0], magnitude)
    return _view(b, base, sizes, strides, shape, divisible, cuda_tile.PaddingValue.ZERO)


def output_tensor(
    b: Builder, element: str, shape: Shape, counts: Sequence[int], *, shared: bool = False
) -> WholeTensor:
    """A new output array; each tile block has its own part unless `shared`."""
    sizes = tuple(count * extent for count, extent in zip(counts, shape, strict=True))
    divisible = b.chance(0.88)
    strides = row_major_strides(sizes, DIVISOR if divisible else 1)
    make = b.draft.shared_output if shared else b.output
    base = make(element, sizes[0] * strides[0])
    return _view(b, base, sizes, strides, shape, divisible, None)


def rewritten_tensor(
    b: Builder, element: str, shape: Shape, counts: Sequence[int]
) -> tuple[WholeTensor, WholeTensor]:
    """Two views of a new array, in which each tile block reads and writes its own part.

    The views may be one value, two views of one parameter, or views of aliasing parameters.
    """
    sizes = tuple(count * extent for count, extent in zip(counts, shape, strict=True))
    divisible = b.chance(0.88)
    strides = row_major_strides(sizes, DIVISOR if divisible else 1)
    count = sizes[0] * strides[0]
    # Iterations that are left out read what no iteration has written.
    base = b.draft.whole_output(element, count)
    read = _view(b, b.block_pointer(base, count), sizes, strides, shape, divisible, None)
    if b.chance(0.4):
        return read, read
    other = b.draft.alias(base) if b.chance(0.5) else base
    written = _view(b, b.block_pointer(other, count), sizes, strides, shape, divisible, None)
    return read, written


def row_major_strides(sizes: Shape, divisor: int) -> Shape:
    """Row-major strides; all but the last are multiples of a divisor."""
    strides = [1]
    for size in reversed(sizes[1:]):
        strides.insert(0, -(-size * strides[0] // divisor) * divisor)
    return tuple(strides)


def _view(
    b: Builder,
    base: SSAValue,
    sizes: Shape,
    strides: Shape,
    shape: Shape,
    divisible: bool,
    padding: cuda_tile.PaddingValue | None,
) -> WholeTensor:
    tensor = make_whole_tensor(b, base, sizes, strides, divisible)
    assert isinstance(tensor.type, cuda_tile.TensorViewType)
    whole = all(size % extent == 0 for size, extent in zip(sizes, shape, strict=True))
    kept = None if whole and b.chance(0.3) else padding
    view = cuda_tile.PartitionViewType(shape, tensor.type, list(range(len(shape))), kept)
    return WholeTensor(b.add(cuda_tile.MakePartitionViewOp(tensor, view)).result)


def make_whole_tensor(
    b: Builder, base: SSAValue, sizes: Shape, strides: Shape, divisible: bool
) -> SSAValue:
    """A tensor view with last stride one; some extents are parameters.

    If `divisible`, the base and the other strides are assumed to be multiples of `DIVISOR`.
    """
    pointer = type_of(base).element_type
    assert isinstance(pointer, cuda_tile.PointerType)
    dynamic_sizes = [b.chance(0.4) for _ in sizes]
    # Scalars before the last dimension: the stride there is one, which is what makes rows.
    dynamic_strides = [b.chance(0.4) for _ in strides[:-1]]
    if divisible:
        base = b.add(cuda_tile.AssumeOp(base, cuda_tile.DivByAttr(DIVISOR))).result
    extents = [b.draft.scalar("i32", (n,)) for n, d in zip(sizes, dynamic_sizes, strict=True) if d]
    steps = [
        b.draft.scalar("i32", (n,)) for n, d in zip(strides, dynamic_strides, strict=False) if d
    ]
    if divisible:
        steps = [
            b.add(cuda_tile.AssumeOp(step, cuda_tile.DivByAttr(DIVISOR))).result for step in steps
        ]
    type_ = cuda_tile.TensorViewType(
        [cuda_tile.DYNAMIC if d else n for n, d in zip(sizes, dynamic_sizes, strict=True)],
        pointer.pointee_type,
        [
            cuda_tile.DYNAMIC if d else n
            for n, d in zip(strides, [*dynamic_strides, False], strict=True)
        ],
    )
    return b.add(cuda_tile.MakeTensorViewOp(base, extents, steps, type_)).result
