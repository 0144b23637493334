"""Float arithmetic in every rounding mode, minimum and maximum, signs, and comparisons.

`llvm` arithmetic rounds to nearest even; f32 and f64 have NVVM intrinsics for the other modes and
for flush-to-zero. 16-bit floats are computed in f32 and narrowed in the same direction. This equals
a single rounding, since f32 has more than twice the digits of a 16-bit float.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial

from xdsl.dialects import arith, llvm, math
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerAttr,
    f32,
    i64,
)
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.enumerations import RoundingMode
from tileir_xdsl.dialects.llvm import MaximumOp, MinimumOp, RoundEvenOp, TruncateOp
from tileir_xdsl.dialects.nv_tileas.strategies import Strategy, decided_strategy, strategy_of

from ..thread.builder import LLVMBuilder, build_op
from ..thread.elementwise import (
    Emitter,
    LowerElementwise,
    apply,
    apply_to_pairs,
    call_intrinsic,
    directly,
    element_of,
)
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ThreadRewriter
from .approximate_division import by_inverse, by_scaled_inverse, divide_by
from .bounded_division import divide_by_tested_inverse, divide_in_groups
from .common_divisor import divide_by_wide_inverse
from .float_formats import narrow_directed

ROUNDING_SUFFIXES = {
    RoundingMode.NEAREST_EVEN: "rn",
    RoundingMode.ZERO: "rz",
    RoundingMode.NEGATIVE_INF: "rm",
    RoundingMode.POSITIVE_INF: "rp",
}
"""The rounding modes' suffixes in PTX and in the names of NVVM intrinsics."""

INTRINSIC_TYPES: dict[type[Attribute], str] = {Float32Type: "f", Float64Type: "d"}
"""The element types for which LLVM's NVPTX backend has rounding intrinsics."""

APPROXIMATIONS = {
    ("div", RoundingMode.APPROX, False): "llvm.nvvm.div.approx.f",
    ("div", RoundingMode.APPROX, True): "llvm.nvvm.div.approx.ftz.f",
    ("div", RoundingMode.FULL, False): "llvm.nvvm.div.full",
    ("div", RoundingMode.FULL, True): "llvm.nvvm.div.full.ftz",
    ("sqrt", RoundingMode.APPROX, False): "llvm.nvvm.sqrt.approx.f",
    ("sqrt", RoundingMode.APPROX, True): "llvm.nvvm.sqrt.approx.ftz.f",
}
"""The f32 intrinsics by operation, accuracy, and flushing of subnormals."""


def fast_math(op: Operation) -> llvm.FastMathAttr:
    """Converts the fast-math flags of an op to those of `llvm` ops."""
    flags = op.properties.get("fastmath", op.attributes.get("fastmath"))
    if isinstance(flags, arith.FastMathFlagsAttr):
        return _flags(flags.data)
    return _flags(frozenset())


@cache
def _flags(flags: frozenset[FastMathFlag]) -> llvm.FastMathAttr:
    """A cached attribute for a set of flags, since `build_op` compares attributes by identity."""
    return llvm.FastMathAttr(flags)


@dataclass(frozen=True)
class Rounded:
    """An operation with a rounding mode: its llvm op for nearest even, and its intrinsics' name.

    Subtraction has no intrinsics: it adds the negated subtrahend.
    """

    nearest: type[Operation]
    name: str
    is_difference: bool = False

    def __call__(self, op: Operation, rewriter: ThreadRewriter, *values: SSAValue) -> SSAValue:
        """Lowers an op by its properties `rounding_mode` and `flush_to_zero`."""
        rounding = op.properties["rounding_mode"]
        assert isinstance(rounding, nv_tileaa.RoundingModeAttr)
        flush, element = "flush_to_zero" in op.properties, element_of(op.results[0])
        builder, mode = rewriter.builder, rounding.data
        # `llvm` ops first: upstream's optimiser knows them, and intrinsics only by name.
        if mode is RoundingMode.NEAREST_EVEN and not flush:
            return builder.insert(build_op(self.nearest, *values, fast_math=fast_math(op)))
        if (approximation := APPROXIMATIONS.get((self.name, mode, flush))) is not None:
            return call_intrinsic(builder, approximation, f32, *values)
        # Approximations exist for f32 alone (PTX ISA, `div` and `sqrt`).
        if (suffix := ROUNDING_SUFFIXES.get(mode)) is None:
            fail(op, f"'{op.name}' op does not support rounding {mode} of {element}")
        ftz = "ftz." if flush else ""
        if not isinstance(element, Float16Type | BFloat16Type):
            letter = INTRINSIC_TYPES[type(element)]
            return self._call(builder, f"{suffix}.{ftz}{letter}", element, *values)
        # PTX has no directed rounding for 16-bit floats.
        wide = [builder.compute(llvm.FPExtOp, value, f32) for value in values]
        result = self._call(builder, f"{suffix}.f", f32, *wide)
        return narrow_directed(builder, result, element, mode)

    def _call(
        self, builder: LLVMBuilder, suffix: str, type: Attribute, *values: SSAValue
    ) -> SSAValue:
        if self.is_difference:
            # Exact: a negation only changes the sign, so both round alike.
            values = (values[0], builder.compute(llvm.FNegOp, values[1]))
        return call_intrinsic(builder, f"llvm.nvvm.{self.name}.{suffix}", type, *values)


def _fast(emitted: type[Operation]) -> Emitter:
    """Emits an llvm op with the original's fast-math flags."""

    def emitter(op: Operation, rewriter: ThreadRewriter, *values: SSAValue) -> SSAValue:
        return rewriter.builder.insert(build_op(emitted, *values, fast_math=fast_math(op)))

    return emitter


def _absolute(_op: Operation, rewriter: ThreadRewriter, value: SSAValue) -> SSAValue:
    return rewriter.builder.insert(llvm.FAbsOp(value, value.type))


# Minimum and maximum.

EXTREMA: dict[tuple[str, bool], Callable[..., Operation]] = {
    ("max", False): llvm.VectorFMaxOp,
    ("max", True): MaximumOp,
    ("min", False): llvm.VectorFMinOp,
    ("min", True): MinimumOp,
}
"""`llvm.intr.maxnum` and similar ops, by whether NaN operands propagate."""


def _extremum(name: str) -> Emitter:
    def emitter(op: Operation, rewriter: ThreadRewriter, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        builder, propagates = rewriter.builder, "propagate_nan" in op.properties
        if "flush_to_zero" not in op.properties:
            return builder.insert(EXTREMA[name, propagates](lhs, rhs))
        intrinsic = f"llvm.nvvm.f{name}.ftz{'.nan' if propagates else ''}.f"
        return call_intrinsic(builder, intrinsic, f32, lhs, rhs)

    return emitter


def _clamp(
    op: nv_tileaa.ClampFOp,
    rewriter: ThreadRewriter,
    value: SSAValue,
    low: SSAValue,
    high: SSAValue,
) -> SSAValue:
    insert, propagates = rewriter.builder.insert, op.propagate_nan is not None
    raised = insert(EXTREMA["max", propagates](value, low))
    return insert(EXTREMA["min", propagates](raised, high))


def _compare(op: arith.CmpfOp, rewriter: ThreadRewriter, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """Converts the predicate; `arith.cmpf` and `llvm.fcmp` have the same numbering."""
    predicate = IntegerAttr(op.predicate.value.data, i64)
    return rewriter.builder.compute(llvm.FCmpOp, lhs, rhs, predicate)


EMITTERS: dict[type[Operation], Emitter] = {
    arith.AddfOp: _fast(llvm.FAddOp),
    arith.CmpfOp: _compare,
    arith.DivfOp: _fast(llvm.FDivOp),
    arith.MaximumfOp: directly(MaximumOp),
    arith.MaxnumfOp: directly(llvm.VectorFMaxOp),
    arith.MinimumfOp: directly(MinimumOp),
    arith.MinnumfOp: directly(llvm.VectorFMinOp),
    arith.MulfOp: _fast(llvm.FMulOp),
    arith.NegfOp: directly(llvm.FNegOp),
    arith.SubfOp: _fast(llvm.FSubOp),
    math.AbsFOp: _absolute,
    math.CeilOp: directly(llvm.FCeilOp),
    math.CopySignOp: directly(llvm.FCopySignOp),
    math.FloorOp: directly(llvm.FFloorOp),
    math.FmaOp: _fast(llvm.FMAOp),
    math.RoundEvenOp: directly(RoundEvenOp),
    math.SqrtOp: _fast(llvm.FSqrtOp),
    math.TruncOp: directly(TruncateOp),
    nv_tileaa.AddFOp: Rounded(llvm.FAddOp, "add"),
    nv_tileaa.ClampFOp: _clamp,
    nv_tileaa.DivFOp: Rounded(llvm.FDivOp, "div"),
    nv_tileaa.FmaOp: Rounded(llvm.FMAOp, "fma"),
    nv_tileaa.MaxFOp: _extremum("max"),
    nv_tileaa.MinFOp: _extremum("min"),
    nv_tileaa.MulFOp: Rounded(llvm.FMulOp, "mul"),
    nv_tileaa.SqrtOp: Rounded(llvm.FSqrtOp, "sqrt"),
    nv_tileaa.SubFOp: Rounded(llvm.FSubOp, "add", is_difference=True),
}
"""The function that lowers each float op."""


def _by_instruction(op: Operation, rewriter: ThreadRewriter) -> tuple[SSAValue, ...]:
    apply(op, rewriter, EMITTERS[type(op)])
    return rewriter.registers(op.results[0])


DIVISIONS: Mapping[Strategy, Callable[[Operation, ThreadRewriter], tuple[SSAValue, ...]]] = {
    Strategy.GROUPED: divide_in_groups,
    Strategy.INSTRUCTION: _by_instruction,
    Strategy.INVERSE: partial(divide_by, by_inverse),
    Strategy.SCALED_INVERSE: partial(divide_by, by_scaled_inverse),
    Strategy.TESTED_INVERSE: divide_by_tested_inverse,
    Strategy.WIDE_INVERSE: divide_by_wide_inverse,
}
"""The function for each division strategy, which returns the quotients register by register."""


class LowerFloatArithmetic(LowerElementwise):
    """Lowers an op element by element, or in pairs if its strategy is packed."""

    def lower(self, op: Operation, rewriter: ThreadRewriter) -> None:
        strategy = strategy_of(op)
        if strategy in (Strategy.PAIRS, Strategy.HALVES):
            apply_to_pairs(op, rewriter, self.emitter, of_halves=strategy is Strategy.HALVES)
        else:
            super().lower(op, rewriter)


class LowerFloatDivision(LowerOp[Operation]):
    """Lowers a division by the op's strategy."""

    def lower(self, op: Operation, rewriter: ThreadRewriter) -> None:
        strategy = decided_strategy(op)
        if strategy not in DIVISIONS:
            fail(op, f"'{op.name}' op cannot be computed by strategy {strategy.value}")
        rewriter.replace(op.results[0], DIVISIONS[strategy](op, rewriter))


PATTERNS: Patterns = {
    **{op: partial(LowerFloatArithmetic, emitter=each) for op, each in EMITTERS.items()},
    arith.DivfOp: LowerFloatDivision,
    nv_tileaa.DivFOp: LowerFloatDivision,
}
