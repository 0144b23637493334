"""Dots of a selected input of which one choice is known.

    dot (select true, x, y), b, c   ->  dot x, b, c
    dot (select %p, x, 0), b, c     ->  scf.if %p { dot x, b, c } else { c }      for integers

The second is for integers only: zero times infinity is no zero. A pass that builds dots runs
these patterns over them; `canonicalize` does not.
"""

from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerAttr, IntegerType, i1
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from tileir_xdsl.builders.dots import DotAttributes, DotInputs, build_predicated_dot
from tileir_xdsl.dialects.arith import SelectOp
from tileir_xdsl.dialects.nv_tileaa.constraints import element_type
from tileir_xdsl.dialects.nv_tileaa.shapes import SplatOp
from tileir_xdsl.dialects.nv_tileas.compute import DotOp
from tileir_xdsl.dialects.tile import SelectOp as TileSelectOp

SELECTS = (SelectOp, TileSelectOp)


def constant_element(value: SSAValue) -> int | float | None:
    """The element of a constant scalar, or of a tile of which all elements are one constant."""
    owner = value.owner
    if isinstance(owner, SplatOp):
        return constant_element(owner.value)
    if not isinstance(owner, arith.ConstantOp):
        return None
    attribute: Attribute = owner.value
    if isinstance(attribute, DenseIntOrFPElementsAttr):
        elements = set(attribute.get_values())
        element = next(iter(elements)) if len(elements) == 1 else None
        return element if isinstance(element, int | float) else None
    return attribute.value.data if isinstance(attribute, IntegerAttr) else None


def _with_inputs(op: DotOp, a: SSAValue, b: SSAValue) -> DotOp:
    """The same dot of other inputs."""
    return DotOp(
        a,
        b,
        op.c,
        scales=op.scales,
        properties=dict(op.properties),
        result_type=op.result.type,
    )


class SimplifyDotOfKnownSelect(RewritePattern):
    """A dot of a choice that is known is the dot of what is chosen."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: DotOp, rewriter: PatternRewriter, /) -> None:
        chosen = [_chosen(op.a), _chosen(op.b)]
        if chosen != [op.a, op.b]:
            dot = _with_inputs(op, *chosen)
            dot.location = op.location
            rewriter.replace(op, dot)


def _chosen(value: SSAValue) -> SSAValue:
    """What a select gives, if its condition is known."""
    select = value.owner
    if not isinstance(select, SELECTS):
        return value
    condition, true_value, false_value = select.operands
    known = constant_element(condition)
    if known is None:
        return value
    return true_value if known else false_value


class SimplifyDotOfSelectOfZero(RewritePattern):
    """A dot of integers that adds nothing where the input is zero is done where it is not."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: DotOp, rewriter: PatternRewriter, /) -> None:
        select = op.a.owner
        if not isinstance(select, SELECTS) or not isinstance(element_type(op.a), IntegerType):
            return
        condition, true_value, false_value = select.operands
        if condition.type != i1:
            return
        is_zero = [constant_element(value) == 0 for value in (true_value, false_value)]
        if not any(is_zero):
            return
        chosen = true_value if is_zero[1] else false_value
        inputs = DotInputs(chosen, op.b, op.scales)
        attributes = DotAttributes.of(op, op.atom)
        result = build_predicated_dot(
            rewriter, condition, inputs, op.c, attributes, where=is_zero[1]
        )
        assert isinstance(result.owner, Operation)
        for made in result.owner.walk():
            made.location = op.location
        rewriter.replace(op, (), [result])


DOT_SIMPLIFICATIONS: tuple[RewritePattern, ...] = (
    SimplifyDotOfKnownSelect(),
    SimplifyDotOfSelectOfZero(),
)
