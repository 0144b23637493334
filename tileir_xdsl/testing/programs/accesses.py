"""Common parts of memory operations: memory order, hints, and disjoint addresses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypedDict

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, i64
from xdsl.ir import SSAValue

from tileir_xdsl.dialects.cuda_tile import (
    AddIOp,
    JoinTokensOp,
    MakeTokenOp,
    MemoryOrderingSemantics,
    MemoryScope,
    OptimizationHintsAttr,
    SubIOp,
    XOrIOp,
)
from tileir_xdsl.dialects.cuda_tile.pointer_accesses import LOAD_SEMANTICS, STORE_SEMANTICS
from tileir_xdsl.testing.programs.builder import Builder, ShapeRule
from tileir_xdsl.testing.programs.draft import Chain
from tileir_xdsl.testing.programs.elements import WIDE_INTEGERS, Shape
from tileir_xdsl.testing.programs.values import holding

ATOMIC_SEMANTICS = tuple(s for s in MemoryOrderingSemantics if s is not s.WEAK)


class AccessOptions(TypedDict):
    """Keyword arguments of loads and stores."""

    semantics: MemoryOrderingSemantics
    scope: MemoryScope | None
    hints: OptimizationHintsAttr | None


def load_options(b: Builder) -> AccessOptions:
    """Random memory semantics, scope and hints of a load."""
    return _options(b, LOAD_SEMANTICS)


def store_options(b: Builder) -> AccessOptions:
    """Random memory semantics, scope and hints of a store."""
    return _options(b, STORE_SEMANTICS)


def _options(b: Builder, allowed: Sequence[MemoryOrderingSemantics]) -> AccessOptions:
    semantics = MemoryOrderingSemantics.WEAK if b.chance(0.6) else b.choose(allowed)
    weak = semantics is MemoryOrderingSemantics.WEAK
    hints = None
    if b.chance(0.15):
        latency = DictionaryAttr({"latency": IntegerAttr(b.integer(1, 10), i64)})
        hints = OptimizationHintsAttr({b.choose(("sm_90", "sm_100", "default")): latency})
    return AccessOptions(
        semantics=semantics, scope=None if weak else b.choose(list(MemoryScope)), hints=hints
    )


def any_token(b: Builder) -> SSAValue | None:
    """An optional token for an access that may have any: none, a new one, or that of a chain."""
    if b.chance(0.5):
        return None
    if b.tokens and b.chance(0.5):
        return b.tokens[b.choose(list(b.tokens))]
    return b.add(MakeTokenOp()).result


def follow(b: Builder, chain: Chain, tokens: Sequence[SSAValue]) -> None:
    """Makes later operations of a chain wait for all of `tokens`."""
    joined = tokens[0] if len(tokens) == 1 else b.add(JoinTokensOp(tokens)).result
    b.tokens[chain] = joined


def maybe_follow(b: Builder, token: SSAValue) -> None:
    """Perhaps makes later operations of a chain wait for a token too."""
    if b.tokens and b.chance(0.2):
        chain = b.choose(list(b.tokens))
        follow(b, chain, [b.tokens[chain], token])


def distinct_offsets(b: Builder, shape: Shape, size: int) -> SSAValue:
    """Different offsets below `size`, a power of two; the shape has at most `size` elements."""
    element = b.choose(holding(WIDE_INTEGERS, size - 1))
    numbers, count = b.linear(shape, element), math.prod(shape)
    match b.integer(0, 3):
        case 0:
            start = b.number(b.integer(0, size - count), element, shape)
            return b.add(AddIOp(numbers, start)).result
        case 1:
            return b.add(SubIOp(b.number(count - 1, element, shape), numbers)).result
        case 2:
            flipped = b.number(b.integer(0, size - 1), element, shape)
            return b.add(XOrIOp(numbers, flipped)).result
        case _:
            return numbers


def fits(size: int) -> ShapeRule:
    """A rule that holds for shapes of at most `size` elements."""
    return lambda shape: math.prod(shape) <= size
