"""Valid assumptions, and prints."""

from __future__ import annotations

import math

from tileir_xdsl.dialects.cuda_tile import (
    AndIOp,
    AssumeOp,
    BoundedAttr,
    DivByAttr,
    LoadViewTkoOp,
    PrintTkoOp,
    SameElementsAttr,
)
from tileir_xdsl.dialects.cuda_tile.types import INTEGERS, STANDARD_FLOATS
from tileir_xdsl.testing.programs.builder import Builder, Row, Rows
from tileir_xdsl.testing.programs.draft import PRINTER
from tileir_xdsl.testing.programs.elements import (
    MEMORY_ELEMENTS,
    WIDE_INTEGERS,
    Shape,
    element_of,
    is_float,
    shape_of,
)
from tileir_xdsl.testing.programs.tensors import make_tensor, make_view, tile_indices
from tileir_xdsl.testing.programs.values import below, holding

_FORMATS = {True: ("%f", "%e", "%g"), False: ("%d", "%i", "%u", "%x")}
"""Format strings for floats and for integers."""


def _assume_divisible(b: Builder) -> None:
    value = b.some_value(WIDE_INTEGERS)
    divisor = b.choose((2, 4, 16))
    mask = b.number(-divisor, element_of(value), shape_of(value))
    multiple = b.add(AndIOp(value, mask)).result
    b.keep(b.add(AssumeOp(multiple, DivByAttr(divisor))).result)


def _assume_divisible_groups(b: Builder) -> None:
    """Assumes the divisibility of a row of consecutive numbers."""
    shape = b.shape(lambda s: len(s) >= 1 and s[-1] >= 2)
    every = b.choose([n for n in (2, 4, 8) if n <= shape[-1]])
    numbers = b.linear(shape, b.choose(holding(WIDE_INTEGERS, math.prod(shape) - 1)))
    predicate = DivByAttr(every, every, len(shape) - 1)
    b.keep(b.add(AssumeOp(numbers, predicate)).result)


def _assume_bounded(b: Builder) -> None:
    value = b.some_value(WIDE_INTEGERS)
    bound = b.choose((1, 10, 100))
    limited = below(b, value, bound)
    lower, upper = b.choose(((0, bound - 1), (0, None), (None, bound), (-1, bound)))
    b.keep(b.add(AssumeOp(limited, BoundedAttr(lower, upper))).result)


def _assume_equal(b: Builder) -> None:
    shape = b.shape(lambda s: bool(s))
    scalar = b.some_value(INTEGERS, lambda s: not s)
    groups = [b.choose([n for n in (1, 2, extent) if n <= extent]) for extent in shape]
    spread = b.spread(scalar, shape)
    b.keep(b.add(AssumeOp(spread, SameElementsAttr(groups))).result)


def _assume_aligned(b: Builder) -> None:
    """Loads from an array whose address, or whose view's address, is assumed divisible by 16."""
    base = b.draft.input(b.choose(MEMORY_ELEMENTS))
    aligned_pointer = b.chance(0.5)
    if aligned_pointer:
        base = b.add(AssumeOp(base, DivByAttr(16))).result
    tensor = make_tensor(b, base, b.array)
    if not aligned_pointer:
        assumed = b.add(AssumeOp(tensor.value, DivByAttr(b.choose((8, 16))))).result
        tensor = tensor.of(assumed)
    view = make_view(b, tensor, loads=True)
    indices = tile_indices(b, view, loads=True)
    b.keep(b.add(LoadViewTkoOp(view.value, indices)).tile)


_ASSUMPTIONS = (
    _assume_divisible,
    _assume_divisible_groups,
    _assume_bounded,
    _assume_equal,
    _assume_aligned,
)


def _emit_assumption(b: Builder) -> None:
    b.choose(_ASSUMPTIONS)(b)


def _is_printed(shape: Shape) -> bool:
    """Whether a tile is small enough to print."""
    return len(shape) <= 1 and math.prod(shape) <= 64


def _emit_print(b: Builder) -> None:
    values = [
        b.some_value((*INTEGERS, *STANDARD_FLOATS), _is_printed) for _ in range(b.integer(0, 2))
    ]
    expressions = [b.choose(_FORMATS[is_float(element_of(value))]) for value in values]
    text = "; ".join(("100%%", *expressions)) + "\n"
    b.tokens[PRINTER] = b.add(PrintTkoOp(text, values, b.tokens[PRINTER])).result_token


ROWS: Rows = {
    AssumeOp: Row(2, _emit_assumption),
    PrintTkoOp: Row(1, _emit_print, lambda b: PRINTER in b.tokens),
}
