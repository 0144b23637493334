"""Loads and stores that threads make in vectors, under masks that differ within a vector."""

from __future__ import annotations

import math

from xdsl.ir import SSAValue

from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.testing.programs.accesses import any_token
from tileir_xdsl.testing.programs.builder import Builder
from tileir_xdsl.testing.programs.elements import MEMORY_ELEMENTS, Shape, tile
from tileir_xdsl.testing.programs.tensors import DIVISOR
from tileir_xdsl.testing.programs.values import is_equal

_SHAPES: tuple[Shape, ...] = ((512,), (1024,), (16, 64), (64, 8), (2, 256))
"""Shapes with several elements for each thread, whatever the program's scale."""


def emit_masked_vectors(b: Builder) -> None:
    """Loads part of an array under one mask, and stores it, or other values, under another."""
    element, shape = b.choose(MEMORY_ELEMENTS), b.choose(_SHAPES)
    numbers, type_ = _numbers(b, shape), tile(element, shape)
    pointers = _pointers(b, element, numbers, shape)
    masks = [_mask(b, numbers, shape) for _ in range(2)]
    load = b.add(cuda_tile.LoadPtrTkoOp(pointers, masks[0], b.value(type_), any_token(b)))
    b.keep(load.result)
    b.add(cuda_tile.StorePtrTkoOp(pointers, b.value(type_), masks[1], load.result_token))


def _numbers(b: Builder, shape: Shape) -> SSAValue:
    """The numbers of the elements, contiguous in the last dimension or in the first."""
    if len(shape) == 1:
        return b.linear(shape)
    strides = (shape[1], 1) if b.chance(0.7) else (1, shape[0])
    parts: list[SSAValue] = []
    for dim, stride in enumerate(strides):
        line = tuple(extent if at == dim else 1 for at, extent in enumerate(shape))
        along = b.add(cuda_tile.BroadcastOp(b.linear(line), tile("i32", shape))).result
        step = b.number(stride, "i32", shape)
        parts.append(along if stride == 1 else b.add(cuda_tile.MulIOp(along, step)).result)
    row, column = parts
    return b.add(cuda_tile.AddIOp(row, column)).result


def _pointers(b: Builder, element: str, numbers: SSAValue, shape: Shape) -> SSAValue:
    """Contiguous pointers to a new array, whose alignment is known."""
    array = b.output(element, math.prod(shape))
    aligned = b.add(cuda_tile.AssumeOp(array, cuda_tile.DivByAttr(DIVISOR))).result
    return b.offset(aligned, numbers)


def _mask(b: Builder, numbers: SSAValue, shape: Shape) -> SSAValue:
    """Bits from memory, of a constant, of an odd bound of the numbers, of their rest; or none."""
    match b.choose(("memory", "constant", "bound", "rest", "none")):
        case "memory":
            return b.load(_pointers(b, "i1", numbers, shape))
        case "constant":
            return b.constant("i1", shape)
        case "bound":
            bound = b.number(b.choose((1, 3, 129, math.prod(shape) - 1)), "i32", shape)
            predicate = b.choose(list(cuda_tile.ComparisonPredicate))
            unsigned = cuda_tile.Signedness.UNSIGNED
            return b.add(cuda_tile.CmpIOp(predicate, numbers, bound, unsigned)).result
        case "rest":
            period = b.number(b.choose((2, 3, 5)), "i32", shape)
            rest = cuda_tile.RemIOp(numbers, period, cuda_tile.Signedness.UNSIGNED)
            return is_equal(b, b.add(rest).result, b.integer(0, 1))
        case _:
            return b.number(0, "i1", shape)
