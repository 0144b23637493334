"""Ops on elements, as llvm ops on scalars or on vectors of elements.

Floats of 16 bits are computed in f32 and rounded once more. The basic operations stay exactly
rounded, as f32 has more than twice the digits. Where the specification leaves a result open,
kernels compute the result of the interpreter. A division by zero sets all bits; a shift by at least
the width moves all bits out.
"""

from collections.abc import Callable, Mapping

from xdsl.dialects import arith, llvm, math
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    f32,
    f64,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.builders.llvm_code import LLVMCode, element_of, lanes_of, like
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.enumerations import RoundingMode, Signedness
from tileir_xdsl.dialects.llvm import FCmpOp, UIToFPOp
from tileir_xdsl.dialects.nv_tileaa.attributes import RoundingModeAttr
from tileir_xdsl.dialects.nv_tileaa.types import PointerType, tile_shape
from tileir_xdsl.dialects.tilecpu.types import element_bytes
from tileir_xdsl.rewriting import look_up

from .element_conversions import narrow_float, widen_float
from .elementary import ELEMENTARY
from .integer_powers import integer_power
from .intrinsics import intrinsic, select, suffix

Emit = Callable[..., SSAValue]
"""Emits an op: takes the code, the op and its operands, all with the same number of lanes."""

POINTER = llvm.LLVMPointerType()

INTEGER_WIDTHS = (1, 8, 16, 32, 64)


def llvm_element(element: Attribute) -> Attribute | None:
    """The type of an element in registers; None for unsupported types. Addresses are `i64`."""
    match element:
        case IntegerType():
            return element if element.width.data in INTEGER_WIDTHS else None
        case IndexType() | PointerType():
            return i64
        case Float16Type() | BFloat16Type() | Float32Type() | Float64Type():
            return element
        case _:
            return None


def _directly(op_class: Callable[[SSAValue, SSAValue], Operation]) -> Emit:
    """Emits one op of llvm on operands of the same types."""

    def emit(code: LLVMCode, op: Operation, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        return code.add(op_class(lhs, rhs))

    return emit


def _bits_of(value: SSAValue) -> int:
    element = element_of(value.type)
    assert isinstance(element, IntegerType)
    return element.width.data


# Floats.


def _in_f32(emit: Callable[..., SSAValue]) -> Emit:
    """Computes floats of 16 bits in f32."""

    def run(code: LLVMCode, op: Operation, *operands: SSAValue) -> SSAValue:
        element = element_of(operands[0].type)
        if not isinstance(element, Float16Type | BFloat16Type):
            return emit(code, op, *operands)
        wide = emit(code, op, *(widen_float(code, value) for value in operands))
        return narrow_float(code, wide, element)

    return run


def flushed(code: LLVMCode, value: SSAValue) -> SSAValue:
    """A value whose subnormal elements are replaced by zeros of the same sign."""
    magnitude = intrinsic(code, "fabs", value)
    least = code.constant(2.0**-126, value.type)
    zero = intrinsic(code, "copysign", code.constant(0.0, value.type), value)
    return select(code, code.add(FCmpOp(magnitude, least, "olt")), zero, value)


def _flushing(emit: Emit) -> Emit:
    """Flushes subnormal operands and results where the op has `flush_to_zero`."""

    def run(code: LLVMCode, op: Operation, *operands: SSAValue) -> SSAValue:
        if op.properties.get("flush_to_zero") is None:
            return emit(code, op, *operands)
        return flushed(code, emit(code, op, *(flushed(code, value) for value in operands)))

    return run


def _float(op_class: Callable[[SSAValue, SSAValue], Operation]) -> Emit:
    return _flushing(_in_f32(_directly(op_class)))


def _called(name: str) -> Emit:
    """Emits a call of an LLVM intrinsic on the operands."""

    def emit(code: LLVMCode, op: Operation, *operands: SSAValue) -> SSAValue:
        return intrinsic(code, name, *operands)

    return emit


def _unary(name: str) -> Emit:
    return _flushing(_in_f32(_called(name)))


def _divf(code: LLVMCode, op: Operation, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    quotient = code.add(llvm.FDivOp(lhs, rhs))
    mode = op.properties.get("rounding_mode")
    if not isinstance(mode, RoundingModeAttr) or mode.data != RoundingMode.APPROX:
        return quotient
    # The reciprocal of a divisor above 2**126 underflows to zero.
    kind = lhs.type
    magnitude = intrinsic(code, "fabs", rhs)
    infinity = code.constant(float("inf"), kind)
    above = code.add(FCmpOp(magnitude, code.constant(2.0**126, kind), "ogt"))
    finite = code.add(FCmpOp(magnitude, infinity, "olt"))
    number = code.add(FCmpOp(lhs, lhs, "ord"))
    huge = code.add(llvm.AndOp(code.add(llvm.AndOp(above, finite)), number))
    zero = intrinsic(code, "copysign", code.constant(0.0, kind), quotient)
    endless = code.add(FCmpOp(intrinsic(code, "fabs", lhs), infinity, "oeq"))
    vanished = select(code, endless, code.constant(float("nan"), kind), zero)
    return select(code, huge, vanished, quotient)


def _fma(code: LLVMCode, op: Operation, *operands: SSAValue) -> SSAValue:
    return intrinsic(code, "fma", *operands)


def _extremum(name: str) -> Emit:
    """Emits a maximum or minimum. Of a number and NaN the result is the number, unless NaN
    propagates.
    """

    def emit(code: LLVMCode, op: Operation, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        propagates = op.properties.get("propagate_nan") is not None
        return intrinsic(code, name if propagates else f"{name}num", lhs, rhs)

    return _flushing(_in_f32(emit))


def _clampf(code: LLVMCode, op: Operation, x: SSAValue, low: SSAValue, high: SSAValue) -> SSAValue:
    above = _extremum("maximum")(code, op, x, low)
    return _extremum("minimum")(code, op, above, high)


def _binary_intrinsic(name: str) -> Emit:
    return _in_f32(_called(name))


def _negf(code: LLVMCode, op: Operation, x: SSAValue) -> SSAValue:
    return code.add(llvm.FNegOp(x))


def _cmpf(code: LLVMCode, op: Operation, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    predicate = op.properties["predicate"]
    assert isinstance(predicate, IntegerAttr)
    number = IntegerAttr(predicate.value.data, i64)
    if _is_half(lhs):
        lhs, rhs = widen_float(code, lhs), widen_float(code, rhs)
    return code.add(FCmpOp(lhs, rhs, number))


def _is_half(value: SSAValue) -> bool:
    return isinstance(element_of(value.type), Float16Type | BFloat16Type)


def _fp_to_fp(code: LLVMCode, op: Operation, x: SSAValue) -> SSAValue:
    return convert_float(code, x, tile_shape(op.results[0].type).element)


def convert_float(code: LLVMCode, x: SSAValue, element: Attribute) -> SSAValue:
    """A float in another format, rounded to nearest even."""
    if element_of(x.type) == element:
        return x
    if isinstance(element, Float64Type):
        wide = widen_float(code, x) if _is_half(x) else x
        return code.add(llvm.FPExtOp(wide, like(x.type, f64)))
    if isinstance(element_of(x.type), Float64Type):
        if isinstance(element, Float32Type):
            return code.add(llvm.FPTruncOp(x, like(x.type, f32)))
        return narrow_float(code, _to_odd_f32(code, x), element)
    return narrow_float(code, widen_float(code, x), element)


def _to_odd_f32(code: LLVMCode, x: SSAValue) -> SSAValue:
    """An f64 as f32, rounded to odd: a later rounding to 16 bits then gives the same as one
    rounding.
    """
    word = like(x.type, IntegerType(32))
    near = code.add(llvm.FPTruncOp(x, like(x.type, f32)))
    back = code.add(llvm.FPExtOp(near, x.type))
    bits = code.add(llvm.BitcastOp(near, word))
    inexact = code.add(FCmpOp(back, x, "one"))
    one = code.constant(1, word)
    even = code.compare("eq", code.add(llvm.AndOp(bits, one)), code.constant(0, word))
    # Towards the other neighbour, which is odd: away from zero where the rounding went towards it.
    less = FCmpOp(intrinsic(code, "fabs", back), intrinsic(code, "fabs", x), "olt")
    step = select(code, code.add(less), one, code.constant(-1, word))
    moved = select(code, code.add(llvm.AndOp(inexact, even)), code.plus(bits, step), bits)
    return code.add(llvm.BitcastOp(moved, near.type))


# Integers.


def _divisor(code: LLVMCode, lhs: SSAValue, rhs: SSAValue, signed: bool) -> SSAValue:
    """A divisor, replaced by 1 where the division would trap."""
    kind = rhs.type
    traps = code.compare("eq", rhs, code.constant(0, kind))
    if signed and _bits_of(lhs) > 1:
        least = code.constant(-(1 << (_bits_of(lhs) - 1)), kind)
        minus_one = code.compare("eq", rhs, code.constant(-1, kind))
        both = code.add(llvm.AndOp(code.compare("eq", lhs, least), minus_one))
        traps = code.add(llvm.OrOp(traps, both))
    return select(code, traps, code.constant(1, kind), rhs)


def _divi(signed: bool, rounding: str = "zero") -> Emit:
    op_class = llvm.SDivOp if signed else llvm.UDivOp

    def emit(code: LLVMCode, op: Operation, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        kind = lhs.type
        divisor = _divisor(code, lhs, rhs, signed)
        quotient = code.add(op_class(lhs, divisor))
        if rounding != "zero":
            rest = code.add(llvm.SubOp(lhs, code.times(quotient, divisor)))
            inexact = code.compare("ne", rest, code.constant(0, kind))
            zero = code.constant(0, kind)
            signs = code.compare("slt", code.add(llvm.XOrOp(lhs, divisor)), zero)
            if rounding == "up":
                same = code.constant(1, signs.type)
                apply = code.add(llvm.XOrOp(signs, same)) if signed else same
            else:
                apply = signs
            amount = code.constant(1 if rounding == "up" else -1, kind)
            adjusted = code.plus(quotient, amount)
            quotient = select(code, code.add(llvm.AndOp(inexact, apply)), adjusted, quotient)
        is_zero = code.compare("eq", rhs, code.constant(0, kind))
        return select(code, is_zero, code.constant(-1, kind), quotient)

    return emit


def _remi(signed: bool) -> Emit:
    op_class = llvm.SRemOp if signed else llvm.URemOp

    def emit(code: LLVMCode, op: Operation, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        rest = code.add(op_class(lhs, _divisor(code, lhs, rhs, signed)))
        is_zero = code.compare("eq", rhs, code.constant(0, rhs.type))
        return select(code, is_zero, lhs, rest)

    return emit


def _shift(op_class: Callable[[SSAValue, SSAValue], Operation]) -> Emit:
    def emit(code: LLVMCode, op: Operation, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        bits = _bits_of(lhs)
        if bits == 1:
            inside = code.compare("eq", rhs, code.constant(0, rhs.type))
            outside = lhs if op_class is llvm.AShrOp else code.constant(0, lhs.type)
            return select(code, inside, lhs, outside)
        inside = code.compare("ult", rhs, code.constant(bits, rhs.type))
        if op_class is llvm.AShrOp:
            # All digits become those of the sign.
            amount = select(code, inside, rhs, code.constant(bits - 1, rhs.type))
            return code.add(op_class(lhs, amount))
        amount = select(code, inside, rhs, code.constant(0, rhs.type))
        return select(code, inside, code.add(op_class(lhs, amount)), code.constant(0, lhs.type))

    return emit


def _cmpi(code: LLVMCode, op: Operation, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    predicate = op.properties["predicate"]
    assert isinstance(predicate, IntegerAttr)
    return code.add(llvm.ICmpOp(lhs, rhs, IntegerAttr(predicate.value.data, i64)))


def _select(
    code: LLVMCode, op: Operation, condition: SSAValue, yes: SSAValue, no: SSAValue
) -> SSAValue:
    return select(code, condition, yes, no)


def resize_integer(code: LLVMCode, x: SSAValue, element: Attribute, signed: bool) -> SSAValue:
    """An integer extended to more bits, or truncated to its low bits."""
    assert isinstance(element, IntegerType)
    target, bits = like(x.type, element), _bits_of(x)
    if element.width.data == bits:
        return x
    if element.width.data < bits:
        return code.add(llvm.TruncOp(x, target))
    return code.add((llvm.SExtOp if signed else llvm.ZExtOp)(x, target))


def _resize(signed: bool) -> Emit:
    def emit(code: LLVMCode, op: Operation, x: SSAValue) -> SSAValue:
        element = llvm_element(tile_shape(op.results[0].type).element)
        assert element is not None
        return resize_integer(code, x, element, signed)

    return emit


def _from_integer(signed: bool) -> Emit:
    def emit(code: LLVMCode, op: Operation, x: SSAValue) -> SSAValue:
        element = tile_shape(op.results[0].type).element
        op_class = llvm.SIToFPOp if signed else UIToFPOp
        if not isinstance(element, Float16Type | BFloat16Type):
            return code.add(op_class(x, like(x.type, element)))
        if _bits_of(x) <= 16:
            return narrow_float(code, code.add(op_class(x, like(x.type, f32))), element)
        double = code.add(op_class(x, like(x.type, f64)))
        return narrow_float(code, _to_odd_f32(code, double), element)

    return emit


def _to_integer(code: LLVMCode, x: SSAValue, element: Attribute, signed: bool) -> SSAValue:
    """A float truncated towards zero, saturated; 0 for NaN."""
    value = widen_float(code, x) if _is_half(x) else x
    result = like(x.type, element)
    name = f"llvm.fpto{'s' if signed else 'u'}i.sat.{suffix(result)}.{suffix(value.type)}"
    converted = code.call_intrinsic(name, [value], result)
    assert converted is not None
    return converted


def _fp_to_int(code: LLVMCode, op: Operation, x: SSAValue) -> SSAValue:
    assert isinstance(op, nv_tileaa.FpToIntOp)
    element = tile_shape(op.result.type).element
    if element == IntegerType(1):
        value = widen_float(code, x) if _is_half(x) else x
        return code.add(FCmpOp(value, code.constant(0.0, value.type), "une"))
    return _to_integer(code, x, element, op.signedness.data is Signedness.SIGNED)


def _arith_to_int(signed: bool) -> Emit:

    def emit(code: LLVMCode, op: Operation, x: SSAValue) -> SSAValue:
        return _to_integer(code, x, tile_shape(op.results[0].type).element, signed)

    return emit


def _bitcast(code: LLVMCode, op: Operation, x: SSAValue) -> SSAValue:
    element = llvm_element(tile_shape(op.results[0].type).element)
    assert element is not None
    target = like(x.type, element)
    return x if target == x.type else code.add(llvm.BitcastOp(x, target))


def _same(code: LLVMCode, op: Operation, x: SSAValue) -> SSAValue:
    return x


def _addptr(code: LLVMCode, op: Operation, pointer: SSAValue, offset: SSAValue) -> SSAValue:
    wide = resize_integer(code, offset, i64, signed=True)
    element = tile_shape(op.operands[0].type).element
    assert isinstance(element, PointerType)
    size = code.constant(memory_bytes(element.pointee), wide.type)
    return code.plus(pointer, code.times(wide, size))


def memory_bytes(element: Attribute) -> int:
    """The bytes of an element in memory."""
    return element_bytes(element)


def _mulhi(signed: bool) -> Emit:
    def emit(code: LLVMCode, op: Operation, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        bits = _bits_of(lhs)
        wide = IntegerType(2 * bits)
        extend = llvm.SExtOp if signed else llvm.ZExtOp
        kind = like(lhs.type, wide)
        product = code.times(*(code.add(extend(value, kind)) for value in (lhs, rhs)))
        # Attributes of several elements have at most 64 bits each.
        amount = code.splat(code.constant(bits, wide), lanes_of(kind))
        high = code.add(llvm.LShrOp(product, amount))
        return code.add(llvm.TruncOp(high, lhs.type))

    return emit


def _absi(code: LLVMCode, op: Operation, x: SSAValue) -> SSAValue:
    negative = code.add(llvm.SubOp(code.constant(0, x.type), x))
    return intrinsic(code, "smax", x, negative) if _bits_of(x) > 1 else x


def _count(name: str) -> Emit:
    def emit(code: LLVMCode, op: Operation, x: SSAValue) -> SSAValue:
        false = code.constant(0, IntegerType(1))
        result = code.call_intrinsic(f"llvm.{name}.{suffix(x.type)}", [x, false], x.type)
        assert result is not None
        return result

    return emit


def _ctpop(code: LLVMCode, op: Operation, x: SSAValue) -> SSAValue:
    return intrinsic(code, "ctpop", x)


def _fpowi(code: LLVMCode, op: Operation, base: SSAValue, exponent: SSAValue) -> SSAValue:
    element = element_of(base.type)
    if _bits_of(exponent) < i32.width.data:
        exponent = resize_integer(code, exponent, i32, signed=True)
    wide = convert_float(code, base, f64)
    power = integer_power(code, wide, exponent, in_pairs=isinstance(element, Float64Type))
    return convert_float(code, power, element)


def _frem(code: LLVMCode, op: Operation, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    return code.add(llvm.FRemOp(lhs, rhs))


ELEMENTWISE: Mapping[type[Operation], Emit] = {
    **ELEMENTARY,
    arith.AddfOp: _float(llvm.FAddOp),
    arith.AddiOp: _directly(llvm.AddOp),
    arith.AndIOp: _directly(llvm.AndOp),
    arith.BitcastOp: _bitcast,
    arith.CeilDivSIOp: _divi(True, "up"),
    arith.CeilDivUIOp: _divi(False, "up"),
    arith.CmpfOp: _cmpf,
    arith.CmpiOp: _cmpi,
    arith.DivSIOp: _divi(True),
    arith.DivUIOp: _divi(False),
    arith.DivfOp: _float(llvm.FDivOp),
    arith.ExtFOp: _fp_to_fp,
    arith.ExtSIOp: _resize(True),
    arith.ExtUIOp: _resize(False),
    arith.FPToSIOp: _arith_to_int(True),
    arith.FPToUIOp: _arith_to_int(False),
    arith.FloorDivSIOp: _divi(True, "down"),
    arith.IndexCastOp: _resize(True),
    arith.MaxSIOp: _called("smax"),
    arith.MaxUIOp: _called("umax"),
    arith.MaximumfOp: _binary_intrinsic("maximum"),
    arith.MaxnumfOp: _binary_intrinsic("maximumnum"),
    arith.MinSIOp: _called("smin"),
    arith.MinUIOp: _called("umin"),
    arith.MinimumfOp: _binary_intrinsic("minimum"),
    arith.MinnumfOp: _binary_intrinsic("minimumnum"),
    arith.MulfOp: _float(llvm.FMulOp),
    arith.MuliOp: _directly(llvm.MulOp),
    arith.NegfOp: _negf,
    arith.OrIOp: _directly(llvm.OrOp),
    arith.RemSIOp: _remi(True),
    arith.RemUIOp: _remi(False),
    arith.SIToFPOp: _from_integer(True),
    arith.SelectOp: _select,
    arith.ShLIOp: _shift(llvm.ShlOp),
    arith.ShRSIOp: _shift(llvm.AShrOp),
    arith.ShRUIOp: _shift(llvm.LShrOp),
    arith.SubfOp: _float(llvm.FSubOp),
    arith.SubiOp: _directly(llvm.SubOp),
    arith.TruncFOp: _fp_to_fp,
    arith.TruncIOp: _resize(False),
    arith.UIToFPOp: _from_integer(False),
    arith.XOrIOp: _directly(llvm.XOrOp),
    math.AbsFOp: _called("fabs"),
    math.AbsIOp: _absi,
    math.CeilOp: _unary("ceil"),
    math.CountLeadingZerosOp: _count("ctlz"),
    math.CountTrailingZerosOp: _count("cttz"),
    math.CtPopOp: _ctpop,
    math.FloorOp: _unary("floor"),
    math.SqrtOp: _unary("sqrt"),
    math.TruncOp: _unary("trunc"),
    nv_tileaa.AddFOp: _float(llvm.FAddOp),
    nv_tileaa.AddIOp: _directly(llvm.AddOp),
    nv_tileaa.AddPtrOp: _addptr,
    nv_tileaa.AssumeOp: _same,
    nv_tileaa.BitcastOp: _bitcast,
    nv_tileaa.ClampFOp: _clampf,
    nv_tileaa.DivFOp: _flushing(_in_f32(_divf)),
    nv_tileaa.FPowIOp: _fpowi,
    nv_tileaa.FmaOp: _flushing(_fma),
    nv_tileaa.FpToFpOp: _fp_to_fp,
    nv_tileaa.FpToIntOp: _fp_to_int,
    nv_tileaa.IntToPtrOp: _same,
    nv_tileaa.MaxFOp: _extremum("maximum"),
    nv_tileaa.MinFOp: _extremum("minimum"),
    nv_tileaa.MulFOp: _float(llvm.FMulOp),
    nv_tileaa.MulHiUIOp: _mulhi(False),
    nv_tileaa.PtrToIntOp: _same,
    nv_tileaa.RemFOp: _in_f32(_frem),
    nv_tileaa.SqrtOp: _unary("sqrt"),
    nv_tileaa.SubFOp: _float(llvm.FSubOp),
    nv_tileaa.TruncIOp: _resize(False),
}
"""The emitter of each op on elements."""

_ONLY_NEAREST = (
    nv_tileaa.AddFOp,
    nv_tileaa.SubFOp,
    nv_tileaa.MulFOp,
    nv_tileaa.DivFOp,
    nv_tileaa.FmaOp,
    nv_tileaa.FpToFpOp,
    nv_tileaa.SqrtOp,
)


def is_covered(op: Operation) -> bool:
    """Whether an op on elements is supported, with its types and modifiers."""
    if isinstance(op, arith.ConstantOp):
        return isinstance(op.value, IntegerAttr | FloatAttr) and _has_elements(op)
    if look_up(ELEMENTWISE, op) is None or not _has_elements(op):
        return False
    mode = op.properties.get("rounding_mode")
    directed = (RoundingMode.ZERO, RoundingMode.NEGATIVE_INF, RoundingMode.POSITIVE_INF)
    is_directed = isinstance(mode, RoundingModeAttr) and mode.data in directed
    if is_directed and isinstance(op, _ONLY_NEAREST):
        return False
    if isinstance(op, nv_tileaa.FmaOp):
        # A product and a sum of 16 bits would be rounded twice.
        return isinstance(tile_shape(op.result.type).element, Float32Type | Float64Type)
    return True


def _has_elements(op: Operation) -> bool:
    types = (*op.operand_types, *op.result_types)
    return all(llvm_element(tile_shape(each).element) is not None for each in types)
