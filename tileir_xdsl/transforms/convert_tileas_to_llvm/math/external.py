"""Elementwise calls of external functions: of LLVM, of libdevice, and inline PTX.

LLVM and libdevice functions use the lowerings of the equivalent tile ops.
"""

from collections.abc import Mapping, Sequence

from xdsl.dialects import llvm, math
from xdsl.dialects.builtin import Float32Type, Float64Type, IntegerType, VectorType, i1
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.llvm import intrinsics

from .. import math as elementary
from ..arithmetic import floating_point
from ..arithmetic.integer import counting
from ..thread.builder import LLVMBuilder
from ..thread.elementwise import Emitter, apply, directly, element_of
from ..thread.packed_registers import element_bits
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ThreadRewriter, register_count, register_type

_OPS: Mapping[str, type[Operation]] = {
    "atan": math.AtanOp,
    "atan2": math.Atan2Op,
    "ceil": math.CeilOp,
    "copysign": math.CopySignOp,
    "cos": math.CosOp,
    "cosh": math.CoshOp,
    "exp": math.ExpOp,
    "exp2": math.Exp2Op,
    "fabs": math.AbsFOp,
    "floor": math.FloorOp,
    "fma": math.FmaOp,
    "log": math.LogOp,
    "log2": math.Log2Op,
    "pow": math.PowFOp,
    "roundeven": math.RoundEvenOp,
    "rsqrt": math.RsqrtOp,
    "sin": math.SinOp,
    "sinh": math.SinhOp,
    "sqrt": math.SqrtOp,
    "tan": math.TanOp,
    "tanh": math.TanhOp,
    "trunc": math.TruncOp,
}

FLOAT_FUNCTIONS: Mapping[str, Emitter] = {
    **{
        name: elementary.EMITTERS.get(op) or floating_point.EMITTERS[op]
        for name, op in _OPS.items()
    },
    # As in C: the number, if one operand is NaN; `maximum` returns NaN.
    "fmax": directly(llvm.VectorFMaxOp),
    "fmin": directly(llvm.VectorFMinOp),
    "maximum": directly(intrinsics.MaximumOp),
    "maxnum": directly(llvm.VectorFMaxOp),
    "minimum": directly(intrinsics.MinimumOp),
    "minnum": directly(llvm.VectorFMinOp),
    # They differ in floating-point exceptions alone, which GPUs do not have.
    "nearbyint": directly(intrinsics.RintOp),
    "rint": directly(intrinsics.RintOp),
}
"""The lowerings of float functions, by their names in C and LLVM."""


def _without_flag(emitter: Emitter) -> Emitter:
    """Wraps an emitter for a function whose last operand only marks an input as undefined."""

    def without(
        op: Operation, rewriter: ThreadRewriter, value: SSAValue, _flag: SSAValue
    ) -> SSAValue:
        return emitter(op, rewriter, value)

    return without


INTEGER_FUNCTIONS: Mapping[str, Emitter] = {
    "abs": _without_flag(directly(intrinsics.AbsOp)),
    "bitreverse": directly(intrinsics.BitReverseOp),
    "bswap": directly(intrinsics.ByteSwapOp),
    # The flag makes zero undefined; a defined result is one of those allowed.
    "ctlz": _without_flag(counting(intrinsics.CountLeadingZerosOp)),
    "ctpop": counting(intrinsics.CtPopOp),
    "cttz": _without_flag(counting(intrinsics.CountTrailingZerosOp)),
    "fshl": directly(intrinsics.FShlOp),
    "fshr": directly(intrinsics.FShrOp),
    "smax": directly(intrinsics.SMaxOp),
    "smin": directly(intrinsics.SMinOp),
    "umax": directly(intrinsics.UMaxOp),
    "umin": directly(intrinsics.UMinOp),
}
"""The lowerings of integer functions, by their names in LLVM."""


class LowerIntrinsic(LowerOp[nv_tileaa.CallElementwiseIntrinsicOp]):
    """Lowers an LLVM intrinsic, whose name may end with a type."""

    def lower(self, op: nv_tileaa.CallElementwiseIntrinsicOp, rewriter: ThreadRewriter) -> None:
        # `llvm.sin.f32` is overloaded by its suffix; the operands say the type as well.
        name = op.intrinsic.data.removeprefix("llvm.").split(".")[0]
        is_integer = isinstance(element_of(op.results[0]), IntegerType)
        emitter = (INTEGER_FUNCTIONS if is_integer else FLOAT_FUNCTIONS).get(name)
        if emitter is None or len(op.results) > 1:
            fail(op, f"'{op.name}' op does not support the intrinsic '{op.intrinsic.data}'")
        apply(op, rewriter, emitter)


class LowerLibraryFunction(LowerOp[nv_tileaa.ExternElementwiseOp]):
    """Lowers a libdevice function, of f32 if its name ends with `f`, otherwise of f64."""

    def lower(self, op: nv_tileaa.ExternElementwiseOp, rewriter: ThreadRewriter) -> None:
        symbol, element = op.symbol.data, element_of(op.results[0])
        name = symbol.removeprefix("__nv_")
        is_known = name != symbol and isinstance(element, Float32Type | Float64Type)
        if isinstance(element, Float32Type):
            is_known, name = is_known and name.endswith("f"), name.removesuffix("f")
        emitter = FLOAT_FUNCTIONS.get(name)
        # libdevice itself is NVIDIA's, and no part of this compiler.
        if not is_known or emitter is None or len(op.results) > 1:
            fail(op, f"'{op.name}' op does not support the function '{symbol}' on {element}")
        apply(op, rewriter, emitter)


class LowerInlineAssembly(LowerOp[nv_tileaa.ElementwiseInlineAsmOp]):
    """Emits the instructions once per element, or once per register of several elements."""

    def lower(self, op: nv_tileaa.ElementwiseInlineAsmOp, rewriter: ThreadRewriter) -> None:
        builder, packed = rewriter.builder, 1 if op.packed is None else op.packed.value.data
        elements = [register_type(op, element_of(value)) for value in op.outputs]
        types = [_bundle_type(op, element, packed) for element in elements]
        columns = [rewriter.registers(value) for value in op.args]
        for value in op.args:
            _bundle_type(op, register_type(op, element_of(value)), packed)
        count = register_count(op, op.outputs[0])
        results: list[list[SSAValue]] = [[] for _ in types]
        for first in range(0, count, packed):
            # Where a thread has fewer elements than fit, the last one is repeated.
            numbers = [min(number, count - 1) for number in range(first, first + packed)]
            operands = [_bundled(builder, [column[p] for p in numbers]) for column in columns]
            bundles = self._call(op, operands, types, rewriter)
            for found, bundle, element in zip(results, bundles, elements, strict=True):
                found += _separated(builder, bundle, element, packed)
        for value, found in zip(op.outputs, results, strict=True):
            rewriter.replace(value, tuple(found[:count]))

    @staticmethod
    def _call(
        op: nv_tileaa.ElementwiseInlineAsmOp,
        operands: Sequence[SSAValue],
        types: Sequence[Attribute],
        rewriter: ThreadRewriter,
    ) -> Sequence[SSAValue]:
        builder = rewriter.builder
        result = types[0] if len(types) == 1 else llvm.LLVMStructType.from_type_list(types)
        called = builder.insert(
            llvm.InlineAsmOp(
                op.asm.data,
                op.constraints.data,
                operands,
                [result],
                asm_dialect=0,
                # Assembly that does not say it is pure is not moved or merged.
                has_side_effects=op.pure is None,
            )
        )
        if len(types) == 1:
            return [called]
        return [builder.field(called, number) for number in range(len(types))]


def _bundle_type(op: Operation, element: Attribute, packed: int) -> Attribute:
    """The type of a register that packs elements; fails if they do not fill one."""
    bits = element_bits(element) * packed
    # Inline assembly has register constraints of these widths alone (PTX ISA, "Inline PTX").
    if bits not in (16, 32, 64) or element == i1:
        fail(
            op,
            f"'{op.name}' op packs {packed} elements of {element}, which do not fill "
            "a register of 16, 32 or 64 bits",
        )
    return element if packed == 1 else IntegerType(bits)


def _bundled(builder: LLVMBuilder, values: Sequence[SSAValue]) -> SSAValue:
    """Packs elements into one register, the first in its low bits."""
    if len(values) == 1:
        return values[0]
    bits = sum(element_bits(value.type) for value in values)
    return builder.insert(llvm.BitcastOp(builder.vector(values), IntegerType(bits)))


def _separated(
    builder: LLVMBuilder, bundle: SSAValue, element: Attribute, count: int
) -> list[SSAValue]:
    """Unpacks a register, the inverse of `_bundled`."""
    if count == 1:
        return [bundle]
    vector = builder.insert(llvm.BitcastOp(bundle, VectorType(element, (count,))))
    return builder.elements(vector, count)


PATTERNS: Patterns = {
    nv_tileaa.CallElementwiseIntrinsicOp: LowerIntrinsic,
    nv_tileaa.ElementwiseInlineAsmOp: LowerInlineAssembly,
    nv_tileaa.ExternElementwiseOp: LowerLibraryFunction,
}
"""The patterns of calls to external functions."""
