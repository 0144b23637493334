"""Simplifications of dots whose input is selected between two tiles.

    dot (select true, x, y), b, c   ->  dot x, b, c
    dot (select %p, x, 0), b, c     ->  scf.if %p { dot x, b, c } else { c }      for integers

The first pattern needs a known condition, such as a comparison of known numbers. An example is the
mask of an array that has all columns of the tile. The second pattern needs one condition for all
elements of the tile. The second pattern applies to integers only, because zero times infinity is
not zero. Either input may be selected, and a dot may be asynchronous. Passes that build dots run
these patterns on them; `canonicalize` does not.
"""

from dataclasses import dataclass
from math import prod

from xdsl.builder import Builder
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType, i1
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.traits import is_side_effect_free

from tileir_xdsl.builders.arithmetic import known_number
from tileir_xdsl.builders.dots import (
    DotAttributes,
    DotInputs,
    build_async_dot,
    build_dot,
    build_predicated_dot,
)
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.arith import CmpIOp, SelectOp
from tileir_xdsl.dialects.element_interfaces import RepeatedElementsOpInterface
from tileir_xdsl.dialects.nv_tileaa.constraints import element_type
from tileir_xdsl.dialects.nv_tileaa.folding import constant_element
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.async_tokens import only_wait
from tileir_xdsl.dialects.nv_tileas.compute import AsyncDotOp, DotOp
from tileir_xdsl.dialects.tile import SelectOp as TileSelectOp
from tileir_xdsl.walking import ops_in

PREDICATES = arith.CMPI_COMPARISON_OPERATIONS
SELECTS = (SelectOp, TileSelectOp)


def repeated(value: SSAValue) -> SSAValue:
    """The value whose elements a tile repeats or reshapes."""
    while isinstance(value.owner, RepeatedElementsOpInterface):
        value = value.owner.repeated
    return value


def known_condition(condition: SSAValue) -> bool | None:
    """The value of all elements of a condition; None if unknown."""
    value = repeated(condition)
    constant = constant_element(value)
    if constant is not None:
        return bool(constant)
    comparison = value.owner
    if not isinstance(comparison, arith.CmpiOp | CmpIOp):
        return None
    ranges = [_range(operand) for operand in comparison.operands]
    if ranges[0] is None or ranges[1] is None:
        return None
    return _compared(PREDICATES[comparison.predicate.value.data], ranges[0], ranges[1])


def _range(value: SSAValue) -> range | None:
    """The range of the signed elements of a value: a constant, or consecutive numbers."""
    value = repeated(value)
    constant = constant_element(value)
    if isinstance(constant, int):
        return range(constant, constant + 1)
    owner = value.owner
    if isinstance(owner, nv_tileaa.MakeRangeOp):
        start, end = known_number(owner.start), known_number(owner.end)
        if start is not None and end is not None and start < end:
            return range(start, end)
    return None


SIGNED = ("slt", "sle", "sgt", "sge")
UNSIGNED = ("ult", "ule", "ugt", "uge")


def _compared(predicate: str, lhs: range, rhs: range) -> bool | None:
    """The result of a comparison for all numbers of two ranges; None if results differ."""
    if predicate in UNSIGNED:
        # Negative numbers are large ones here.
        if lhs[0] < 0 or rhs[0] < 0:
            return None
        predicate = SIGNED[UNSIGNED.index(predicate)]
    if predicate in ("sgt", "sge"):
        return _compared("slt" if predicate == "sgt" else "sle", rhs, lhs)
    if predicate == "slt":
        is_true, is_false = lhs[-1] < rhs[0], lhs[0] >= rhs[-1]
    elif predicate == "sle":
        is_true, is_false = lhs[-1] <= rhs[0], lhs[0] > rhs[-1]
    else:
        return None
    return is_true if is_true or is_false else None


def _erase_unused(value: SSAValue, rewriter: PatternRewriter) -> None:
    """Erases the ops that compute a value, if unused."""
    pending = [value]
    while pending:
        op = pending.pop().owner
        if not isinstance(op, Operation) or op.parent is None or not is_side_effect_free(op):
            continue
        if not any(result.uses for result in op.results):
            pending += op.operands
            rewriter.erase(op)


class SimplifyDotOfKnownSelect(RewritePattern):
    """Replaces a select with a known condition, also before transposes, in the inputs of a dot."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: DotOp | AsyncDotOp, rewriter: PatternRewriter, /) -> None:
        for value in (op.a, op.b):
            while isinstance(value.owner, nv_tileaa.PermuteOp):
                value = value.owner.source
            select = value.owner
            if not isinstance(select, SELECTS):
                continue
            condition, true_value, false_value = select.operands
            if (known := known_condition(condition)) is not None:
                rewriter.replace(select, (), [true_value if known else false_value])
                for operand in (condition, true_value, false_value):
                    _erase_unused(operand, rewriter)


class SimplifyDotOfSelectOfZero(RewritePattern):
    """Executes an integer dot only if no input is selected to be zero."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: DotOp | AsyncDotOp, rewriter: PatternRewriter, /) -> None:
        wait = only_wait(op.result) if isinstance(op, AsyncDotOp) else op
        if wait is None:
            return
        for selected in (op.a, op.b):
            guard = _guard(selected, rewriter)
            if guard is None:
                continue
            a, b = (guard.tile if value is selected else value for value in (op.a, op.b))
            build = build_dot if isinstance(op, DotOp) else build_async_dot
            inputs, attributes = DotInputs(a, b, op.scales), DotAttributes.of(op, op.atom)
            result = build_predicated_dot(
                rewriter, guard.condition, inputs, op.c, attributes, build, where=guard.where
            )
            assert isinstance(result.owner, Operation)
            for made in ops_in(result.owner):
                made.location = op.location
            rewriter.replace(wait, (), [result])
            if wait is not op:
                rewriter.erase(op)
            _erase_unused(selected, rewriter)
            return


@dataclass(frozen=True)
class _Guard:
    """A tile that is zeros unless a condition is `where`."""

    condition: SSAValue
    tile: SSAValue
    where: bool


def _guard(value: SSAValue, builder: Builder) -> _Guard | None:
    """The choice between an integer tile and zeros, by one condition for all elements."""
    select = value.owner
    if not isinstance(select, SELECTS) or not isinstance(element_type(value), IntegerType):
        return None
    condition, true_value, false_value = select.operands
    predicate = repeated(condition)
    if prod(tile_shape(predicate.type).shape) != 1:
        return None
    zero = [constant_element(choice) == 0 for choice in (true_value, false_value)]
    if not any(zero):
        return None
    if predicate.type != i1:
        predicate = builder.insert(nv_tileaa.ExtractOp(predicate)).result
    return _Guard(predicate, true_value if zero[1] else false_value, zero[1])


DOT_SIMPLIFICATIONS: tuple[RewritePattern, ...] = (
    SimplifyDotOfKnownSelect(),
    SimplifyDotOfSelectOfZero(),
)
