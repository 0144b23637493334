"""The choice of f32 arithmetic: additions, subtractions, multiplications and fused multiply-adds,
one by one or two at once. The target needs instructions for pairs.

A pair is two consecutive registers; each element is rounded as in a single operation. Neighbours
are in consecutive registers if they are loaded, come from tensor memory, or are results of pairs.
Values computed register by register, such as by a select, may be in any registers. So pairs in a
reduction, or of exponents of powers of two computed in place, take one element from each half of
the registers. A reduction then adds the same numbers in the same order as without pairs.
"""

from dataclasses import dataclass

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import Float32Type
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.analysis.layouts.tile_layouts import layout_of
from tileir_xdsl.analysis.layouts.uniform_bits import UniformBits
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.enumerations import RoundingMode
from tileir_xdsl.dialects.nv_tileaa.collectives import ReductionOp
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.strategies import Strategy
from tileir_xdsl.layout.linear import dimension_bases
from tileir_xdsl.targets import Target
from tileir_xdsl.targets.throughput import throughput_of

from .functions import FUNCTIONS, is_in_place
from .strategies import Family, Row, always

ARITHMETIC = (
    arith.AddfOp,
    arith.MulfOp,
    arith.SubfOp,
    math.FmaOp,
    nv_tileaa.AddFOp,
    nv_tileaa.FmaOp,
    nv_tileaa.MulFOp,
    nv_tileaa.SubFOp,
)


@dataclass(frozen=True)
class Arithmetic:
    """Arithmetic on f32 in which a thread computes several results."""

    op: Operation
    results: int
    target: Target

    @property
    def reduction(self) -> Operation | None:
        """The reduction whose body contains the op, if any."""
        parent = self.op.parent_op()
        return parent if isinstance(parent, ReductionOp) else None


def arithmetic_of(op: Operation, target: Target) -> Arithmetic | None:
    """The facts about an op; None for scalars, other formats, and targets without pairs."""
    if not isinstance(tile_shape(op.results[0].type).element, Float32Type):
        return None
    if not throughput_of(target).has_packed_f32:
        return None
    parent = op.parent_op()
    results = _combined(parent) if isinstance(parent, ReductionOp) else _computed(op)
    return None if results < 2 else Arithmetic(op, results, target)


def _computed(op: Operation) -> int:
    """How many results of an op a thread computes; 1 for a scalar."""
    layout = layout_of(op, op.results[0])
    return 1 if layout is None else layout.registers


def _combined(reduction: ReductionOp) -> int:
    """How many times a reduction combines two registers of a thread."""
    layout = layout_of(reduction, reduction.operands[0])
    if layout is None:
        return 0
    along = dimension_bases(layout.shape, reduction.axis.value.data)
    folded = sum(base in along for base in layout.register)
    return layout.registers - (layout.registers >> folded)


def _not_in_pairs(arithmetic: Arithmetic) -> str | None:
    op = arithmetic.op
    rounding = op.properties.get("rounding_mode")
    is_rounded = isinstance(rounding, nv_tileaa.RoundingModeAttr)
    if is_rounded and rounding.data is not RoundingMode.NEAREST_EVEN:
        return "the op rounds otherwise"
    if "flush_to_zero" in op.properties:
        return "the op flushes"
    flags = op.properties.get("fastmath", op.attributes.get("fastmath"))
    if isinstance(flags, arith.FastMathFlagsAttr) and flags.data:
        return "the assembler may fuse the op with another one"
    return None


def _no_pairs(arithmetic: Arithmetic) -> str | None:
    if (problem := _not_in_pairs(arithmetic)) is not None:
        return problem
    if arithmetic.reduction is not None:
        return "neighbours along the axis are combined with each other"
    return (
        "exponents are taken from both halves"
        if _takes_halves(arithmetic.op, arithmetic.target)
        else None
    )


def _no_halves(arithmetic: Arithmetic) -> str | None:
    if (problem := _not_in_pairs(arithmetic)) is not None:
        return problem
    if (reduction := arithmetic.reduction) is None:
        return (
            None
            if _takes_halves(arithmetic.op, arithmetic.target)
            else "neighbours lie side by side"
        )
    (block,) = reduction.regions[0].blocks
    if len(reduction.operands) > 1 or len(block.ops) > 2:
        return "the op is not all that the reduction computes"
    # Others would have to be moved side by side, which takes what a pair saves.
    return (
        None
        if _is_free(reduction.operands[0], arithmetic.target)
        else "neighbours lie side by side"
    )


def _is_free(tile: SSAValue, target: Target) -> bool:
    """Whether the assembler may choose any registers for the elements of a tile."""
    owner = tile.owner
    if isinstance(owner, FUNCTIONS):
        return not is_in_place(owner, target) or _is_free(owner.operands[0], target)
    if isinstance(owner, ARITHMETIC):
        return _takes_halves(owner, target)
    return isinstance(owner, arith.SelectOp)


def _takes_halves(op: Operation, target: Target) -> bool:
    """Whether an op computes exponents of powers from free elements, and from values that several
    elements share.
    """
    if not any(is_in_place(use.operation, target) for use in op.results[0].uses):
        return False
    uniform = UniformBits()
    most = uniform.registers(op, *op.operands)
    moving = [each for each in op.operands if uniform.registers(op, each) == most]
    return all(_is_free(each, target) for each in moving)


FAMILY = Family(
    arithmetic_of,
    (
        Row(
            Strategy.INSTRUCTION,
            always,
            lambda arithmetic: arithmetic.results,
            "PTX ISA, add, sub, mul and fma",
        ),
        Row(
            Strategy.PAIRS,
            _no_pairs,
            lambda arithmetic: (arithmetic.results + 1) // 2,
            "PTX ISA, add, sub, mul and fma on .f32x2; targets/throughput.py",
        ),
        Row(
            Strategy.HALVES,
            _no_halves,
            lambda arithmetic: (arithmetic.results + 1) // 2,
            "PTX ISA, add, sub, mul and fma on .f32x2; targets/throughput.py",
        ),
    ),
)
