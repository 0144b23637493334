"""Float arithmetic, comparison, minimum and maximum, and the functions PTX approximates.

ptxas never contracts `add.rn.f32` and similar instructions; without `.rn` it may fuse them with a
product. So `.rn` is printed unless the op's fast-math flags hold `contract`.
"""

import math
from typing import NamedTuple

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    VectorType,
)
from xdsl.dialects.llvm import FCmpPredicateFlag
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Operation

from tileir_xdsl.backend.ptx import registers
from tileir_xdsl.backend.ptx.instructions import VectorOperand
from tileir_xdsl.backend.ptx.selection import Rule, Selector, element_type
from tileir_xdsl.dialects.llvm import (
    FCmpOp,
    FMulAddOp,
    MaximumOp,
    MinimumOp,
    RintOp,
    RoundEvenOp,
    TanhOp,
    TruncateOp,
)
from tileir_xdsl.dialects.nvvm.requirements import Requirement
from tileir_xdsl.targets import Feature

SUFFIXES: dict[type[Attribute], str] = {
    Float16Type: "f16",
    BFloat16Type: "bf16",
    Float32Type: "f32",
    Float64Type: "f64",
}
"""The PTX type of a float."""

BF16_ARITHMETIC = Requirement(feature=Feature.BF16_ARITHMETIC)
PACKED_F32 = Requirement(feature=Feature.PACKED_F32)


def suffix(selector: Selector, op: Operation, type: Attribute) -> str:
    """The PTX type of a float, or of a packed pair of 16-bit floats.

    Raises `DiagnosticException` for a type without one.
    """
    if (text := SUFFIXES.get(element_type(type).__class__)) is None:
        selector.unsupported(op, f"no PTX type for {type}")
    return text


def is_packed(selector: Selector, register: int, type: Attribute) -> bool:
    """Whether a register of a value of `type` holds a pair of 16-bit floats."""
    return selector.classes[register] is registers.B32 and isinstance(
        element_type(type), Float16Type | BFloat16Type
    )


def float_operand(selector: Selector, component: registers.Component) -> int | str:
    """A float as a source operand: only f32 and f64 have immediates."""
    if isinstance(component, registers.Constant) and component.register_class in (
        registers.B16,
        registers.B32,
    ):
        return selector.in_register(component)
    return selector.as_operand(component)


def fast_math(op: Operation) -> frozenset[FastMathFlag]:
    """The fast-math flags of an op."""
    flags = op.properties.get("fastmathFlags")
    return frozenset(flags.data) if isinstance(flags, llvm.FastMathAttr) else frozenset()


class _Arithmetic(NamedTuple):
    """An opcode that rounds to nearest even, and the fused multiply-add for bf16 on sm_80."""

    opcode: str
    may_contract: bool
    fused: tuple[str, str, str] | None = None
    """The operands of `fma.rn.bf16`: "a", "b", or a constant."""


ARITHMETIC: dict[type[Operation], _Arithmetic] = {
    llvm.FAddOp: _Arithmetic("add", True, ("a", "1.0", "b")),
    llvm.FSubOp: _Arithmetic("sub", True, ("b", "-1.0", "a")),
    llvm.FMulOp: _Arithmetic("mul", True, ("a", "b", "-0.0")),
    llvm.FMAOp: _Arithmetic("fma", False),
    FMulAddOp: _Arithmetic("fma", False),
}


def _select_arithmetic(selector: Selector, op: Operation) -> None:
    rule = ARITHMETIC[type(op)]
    type_ = op.results[0].type
    text = suffix(selector, op, type_)
    has_pairs = _is_of_pairs(type_) and PACKED_F32.is_met_by(selector.target)
    contracts = rule.may_contract and FastMathFlag.ALLOW_CONTRACT in fast_math(op)
    if text == "f32" and has_pairs and not contracts:
        _select_pairs_of_f32(selector, op, rule.opcode)
        return
    rounding = "" if contracts else ".rn"
    sources = [selector.components(operand) for operand in op.operands]
    for destination, *components in zip(selector.results(op), *sources, strict=True):
        packed = "x2" if is_packed(selector, destination, type_) else ""
        operands = [float_operand(selector, component) for component in components]
        if text == "bf16" and rule.fused is not None:
            if not BF16_ARITHMETIC.is_met_by(selector.target):
                _emit_fused(selector, destination, rule.fused, operands, packed)
                continue
            selector.require(op, BF16_ARITHMETIC)
        selector.emit(f"{rule.opcode}{rounding}.{text}{packed}", (destination,), *operands)


def _is_of_pairs(type: Attribute) -> bool:
    return isinstance(type, VectorType) and type.get_shape()[-1] % 2 == 0


def _select_pairs_of_f32(selector: Selector, op: Operation, opcode: str) -> None:
    """Computes neighbours in pairs by `fma.rn.f32x2` and similar; each rounds like `fma.rn.f32`."""
    selector.require(op, PACKED_F32)
    columns = [[*selector.results(op)], *map(selector.components, op.operands)]
    for first in range(0, len(columns[0]), 2):
        destination, *sources = (
            VectorOperand(tuple(selector.in_register(part) for part in column[first : first + 2]))
            for column in columns
        )
        result, *pairs = (selector.fresh(registers.B64) for _ in columns)
        for pair, source in zip(pairs, sources, strict=True):
            selector.emit("mov.b64", (pair,), source)
        selector.emit(f"{opcode}.rn.f32x2", (result,), *pairs)
        selector.emit("mov.b64", (destination,), result)


def _emit_fused(
    selector: Selector,
    destination: int,
    form: tuple[str, str, str],
    operands: list[int | str],
    packed: str,
) -> None:
    """A bf16 addition, subtraction or product as a fused multiply-add with a constant operand."""
    named = dict(zip("ab", operands, strict=True))
    sources: list[int | str] = []
    for part in form:
        if part in named:
            sources.append(named[part])
            continue
        bits = registers.float_bits(float(part), BFloat16Type())
        constant = (
            registers.Constant(bits << 16 | bits, registers.B32)
            if packed
            else registers.Constant(bits, registers.B16)
        )
        sources.append(selector.in_register(constant))
    selector.emit(f"fma.rn.bf16{packed}", (destination,), *sources)


# Division, square root and remainder: f32 and f64 exactly, 16-bit floats through f32.


def _select_divide(selector: Selector, op: llvm.FDivOp) -> None:
    text = suffix(selector, op, op.res.type)
    flags = fast_math(op)
    approximate = {FastMathFlag.ALLOW_RECIP, FastMathFlag.APPROX_FUNC} & flags
    opcode = "div.full.f32" if approximate and text != "f64" else f"div.rn.{_wide(text)}"
    lhs, rhs = selector.components(op.lhs), selector.components(op.rhs)
    _reject_packed(selector, op)
    for destination, a, b in zip(selector.results(op), lhs, rhs, strict=True):
        x, y = widened(selector, op, a, text), widened(selector, op, b, text)
        result = wide_result(selector, destination, text)
        selector.emit(opcode, (result,), x, y)
        narrow(selector, destination, result, text)


def _select_sqrt(selector: Selector, op: Operation) -> None:
    text = suffix(selector, op, op.results[0].type)
    approximate = FastMathFlag.APPROX_FUNC in fast_math(op) and text != "f64"
    opcode = "sqrt.approx.f32" if approximate else f"sqrt.rn.{_wide(text)}"
    _reject_packed(selector, op)
    for destination, a in zip(
        selector.results(op), selector.components(op.operands[0]), strict=True
    ):
        x = widened(selector, op, a, text)
        result = wide_result(selector, destination, text)
        selector.emit(opcode, (result,), x)
        narrow(selector, destination, result, text)


def _reject_packed(selector: Selector, op: Operation) -> None:
    if is_packed(selector, selector.results(op)[0], op.results[0].type):
        selector.unsupported(op, f"no PTX instruction on packed {op.results[0].type}")


def _wide(text: str) -> str:
    return "f64" if text == "f64" else "f32"


def widened(
    selector: Selector, op: Operation, component: registers.Component, text: str
) -> int | str:
    """A 16-bit float as f32; any other float as it is."""
    if text in ("f32", "f64"):
        return float_operand(selector, component)
    register = selector.fresh(registers.F32)
    extend_to_f32(selector, register, selector.in_register(component), text)
    return register


def extend_to_f32(selector: Selector, destination: int, source: int, text: str) -> None:
    """`cvt.f32.f16`, or for bf16, where the target lacks the conversion, a shift by 16 bits."""
    if text == "bf16" and not BF16_ARITHMETIC.is_met_by(selector.target):
        zero = selector.in_register(registers.Constant(0, registers.B16))
        selector.emit("mov.b32", (destination,), VectorOperand((zero, source)))
        return
    selector.emit(f"cvt.f32.{text}", (destination,), source)


def wide_result(selector: Selector, destination: int, text: str) -> int:
    """The register of the wide result before it is rounded to `text`."""
    return destination if text in ("f32", "f64") else selector.fresh(registers.F32)


def narrow(selector: Selector, destination: int, source: int, text: str) -> None:
    """Rounds an f32 to a 16-bit float, where `text` names one."""
    if text not in ("f32", "f64"):
        selector.emit(f"cvt.rn.{text}.f32", (destination,), source)


# Sign.


SIGNS: dict[type[Operation], str] = {llvm.FNegOp: "neg", llvm.FAbsOp: "abs"}


def _select_sign(selector: Selector, op: Operation) -> None:
    opcode = SIGNS[type(op)]
    type_ = op.results[0].type
    text = suffix(selector, op, type_)
    for destination, a in zip(
        selector.results(op), selector.components(op.operands[0]), strict=True
    ):
        packed = "x2" if is_packed(selector, destination, type_) else ""
        selector.emit(f"{opcode}.{text}{packed}", (destination,), float_operand(selector, a))


def _select_copysign(selector: Selector, op: llvm.FCopySignOp) -> None:
    text = suffix(selector, op, op.res.type)
    lhs, rhs = selector.components(op.lhs), selector.components(op.rhs)
    for destination, a, b in zip(selector.results(op), lhs, rhs, strict=True):
        if text not in ("f32", "f64"):
            _select_sign_bits(selector, destination, a, b)
            continue
        # PTX copies the sign of the first source.
        operands = (float_operand(selector, b), float_operand(selector, a))
        selector.emit(f"copysign.{text}", (destination,), *operands)


def _select_sign_bits(
    selector: Selector, destination: int, a: registers.Component, b: registers.Component
) -> None:
    """The magnitude of `a` and the sign of `b`, for one or two 16-bit floats."""
    register_class = selector.classes[destination]
    bits, ones = (16, 1) if register_class is registers.B16 else (32, 0x10001)
    magnitude, sign = selector.fresh(register_class), selector.fresh(register_class)
    for part, source, mask in ((magnitude, a, 0x7FFF * ones), (sign, b, 0x8000 * ones)):
        selector.emit(f"and.b{bits}", (part,), selector.in_register(source), str(mask))
    selector.emit(f"or.b{bits}", (destination,), magnitude, sign)


# Minimum and maximum.

EXTREMA: dict[type[Operation], str] = {
    llvm.VectorFMaxOp: "max",
    llvm.VectorFMinOp: "min",
    MaximumOp: "max.NaN",
    MinimumOp: "min.NaN",
}
"""`maxnum` returns the operand that is not NaN, `maximum` returns NaN."""


def _select_extremum(selector: Selector, op: Operation) -> None:
    opcode = EXTREMA[type(op)]
    type_ = op.results[0].type
    text = suffix(selector, op, type_)
    lhs, rhs = (selector.components(operand) for operand in op.operands)
    for destination, a, b in zip(selector.results(op), lhs, rhs, strict=True):
        if text == "f64" and opcode.endswith("NaN"):
            _select_double_extremum(selector, opcode.removesuffix(".NaN"), destination, a, b)
            continue
        packed = "x2" if is_packed(selector, destination, type_) else ""
        if isinstance(a, registers.Constant):
            a, b = b, a
        operands = (float_operand(selector, a), float_operand(selector, b))
        selector.emit(f"{opcode}.{text}{packed}", (destination,), *operands)


def _select_double_extremum(
    selector: Selector,
    opcode: str,
    destination: int,
    a: registers.Component,
    b: registers.Component,
) -> None:
    """The minimum or maximum of two f64, NaN if one of them is; PTX has no such instruction."""
    extremum, is_nan = selector.fresh(registers.F64), selector.fresh(registers.PREDICATE)
    x, y = selector.in_register(a), selector.in_register(b)
    selector.emit(f"{opcode}.f64", (extremum,), x, y)
    selector.emit("setp.nan.f64", (is_nan,), x, y)
    nan = selector.as_operand(
        registers.Constant(registers.float_bits(math.nan, Float64Type()), registers.F64)
    )
    selector.emit("selp.f64", (destination,), nan, extremum, is_nan)


# Functions.


class _Function(NamedTuple):
    """An approximation on f32."""

    opcode: str
    needs_flag: bool


FUNCTIONS: dict[type[Operation], _Function] = {
    llvm.FExp2Op: _Function("ex2.approx.f32", False),
    llvm.FLog2Op: _Function("lg2.approx.f32", False),
    llvm.FSinOp: _Function("sin.approx.f32", True),
    llvm.FCosOp: _Function("cos.approx.f32", True),
    TanhOp: _Function("tanh.approx.f32", True),
}
"""Ops whose PTX instruction is an approximation; some only under the fast-math flag `afn`."""


def _select_function(selector: Selector, op: Operation) -> None:
    function = FUNCTIONS[type(op)]
    text = suffix(selector, op, op.results[0].type)
    if text == "f64":
        selector.unsupported(op, "PTX has no such instruction on f64")
    if function.needs_flag and FastMathFlag.APPROX_FUNC not in fast_math(op):
        selector.unsupported(op, "PTX has an approximation only; it needs the fast-math flag afn")
    _reject_packed(selector, op)
    for destination, a in zip(
        selector.results(op), selector.components(op.operands[0]), strict=True
    ):
        x = widened(selector, op, a, text)
        result = wide_result(selector, destination, text)
        selector.emit(function.opcode, (result,), x)
        narrow(selector, destination, result, text)


ROUNDINGS: dict[type[Operation], str] = {
    llvm.FCeilOp: "rpi",
    llvm.FFloorOp: "rmi",
    TruncateOp: "rzi",
    RintOp: "rni",
    RoundEvenOp: "rni",
}
"""The modifier of `cvt` for each rounding to an integral value."""


def _select_rounding(selector: Selector, op: Operation) -> None:
    modifier = ROUNDINGS[type(op)]
    text = suffix(selector, op, op.results[0].type)
    _reject_packed(selector, op)
    for destination, a in zip(
        selector.results(op), selector.components(op.operands[0]), strict=True
    ):
        if text != "bf16":
            source = float_operand(selector, a)
            selector.emit(f"cvt.{modifier}.{text}.{text}", (destination,), source)
            continue
        rounded = wide_result(selector, destination, text)
        selector.emit(f"cvt.{modifier}.f32.f32", (rounded,), widened(selector, op, a, text))
        narrow(selector, destination, rounded, text)


# Comparison.

COMPARISONS: dict[FCmpPredicateFlag, str] = {
    FCmpPredicateFlag.OEQ: "eq",
    FCmpPredicateFlag.OGT: "gt",
    FCmpPredicateFlag.OGE: "ge",
    FCmpPredicateFlag.OLT: "lt",
    FCmpPredicateFlag.OLE: "le",
    FCmpPredicateFlag.ONE: "ne",
    FCmpPredicateFlag.ORD: "num",
    FCmpPredicateFlag.UEQ: "equ",
    FCmpPredicateFlag.UGT: "gtu",
    FCmpPredicateFlag.UGE: "geu",
    FCmpPredicateFlag.ULT: "ltu",
    FCmpPredicateFlag.ULE: "leu",
    FCmpPredicateFlag.UNE: "neu",
    FCmpPredicateFlag.UNO: "nan",
}
"""PTX comparisons: ordered ones are false on NaN, those that end in `u` are true."""


def _select_fcmp(selector: Selector, op: llvm.FCmpOp) -> None:
    predicate = FCmpPredicateFlag.from_int(op.predicate.value.data)
    destination = selector.result(op)
    if (comparison := COMPARISONS.get(predicate)) is None:
        always = int(predicate is FCmpPredicateFlag.TRUE)
        selector.move(destination, registers.Constant(always, registers.PREDICATE))
        return
    text = suffix(selector, op, op.lhs.type)
    a, b = selector.component(op.lhs), selector.component(op.rhs)
    if text == "bf16" and not BF16_ARITHMETIC.is_met_by(selector.target):
        x, y, text = widened(selector, op, a, text), widened(selector, op, b, text), "f32"
    else:
        x, y = selector.in_register(a), float_operand(selector, b)
    selector.emit(f"setp.{comparison}.{text}", (destination,), x, y)


RULES: dict[type[Operation], Rule] = {
    **{op: Rule(_select_arithmetic) for op in ARITHMETIC},
    **{op: Rule(_select_extremum) for op in EXTREMA},
    **{op: Rule(_select_function) for op in FUNCTIONS},
    **{op: Rule(_select_rounding) for op in ROUNDINGS},
    **{op: Rule(_select_sign) for op in SIGNS},
    llvm.FDivOp: Rule(_select_divide),
    llvm.FSqrtOp: Rule(_select_sqrt),
    llvm.FCopySignOp: Rule(_select_copysign),
    llvm.FCmpOp: Rule(_select_fcmp),
    FCmpOp: Rule(_select_fcmp),
}
