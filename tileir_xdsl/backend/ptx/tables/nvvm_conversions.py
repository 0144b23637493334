"""The `nvvm` conversions to tf32, and to and from pairs of floats of 8 and 4 bits."""

from xdsl.dialects.builtin import Float8E4M3FNType, VectorType
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.backend.ptx.forms import form
from tileir_xdsl.backend.ptx.instructions import Operand
from tileir_xdsl.backend.ptx.registers import RegisterClass
from tileir_xdsl.backend.ptx.selection import Rule, Selector
from tileir_xdsl.backend.ptx.tables.conversions import join_bytes, split_bytes
from tileir_xdsl.dialects.nvvm.attributes import SaturationMode
from tileir_xdsl.dialects.nvvm.conversions import (
    ConvertF4x2ToF16x2Op,
    ConvertF8x2ToBF16x2Op,
    ConvertF8x2ToF16x2Op,
    ConvertF16x2ToF8x2Op,
    ConvertF32x2ToF4x2Op,
    ConvertF32x2ToF8x2Op,
    ConvertF32x2ToUE5M3x2Op,
    ConvertFloat8Op,
    ConvertFloatToTF32Op,
    ConvertUE5M3x2ToBF16x2Op,
)


def _saturation(op: ConvertFloatToTF32Op) -> str:
    return ".satfinite" if op.sat.data is SaturationMode.SATFINITE else ""


def _format(op: ConvertFloat8Op) -> str:
    return "e4m3x2" if isinstance(op.float8, Float8E4M3FNType) else "e5m2x2"


def _relu(op: ConvertFloat8Op) -> str:
    return ".relu" if op.has_relu else ""


def _pair_of_bytes(selector: Selector, source: SSAValue) -> int:
    """Two bytes in one b16."""
    lower, upper = selector.components(source)
    pair = selector.fresh(RegisterClass.B16)
    join_bytes(selector, pair, lower, upper)
    return pair


def _to_bytes(selector: Selector, op: Operation, opcode: str, *operands: Operand) -> None:
    """A pair in two registers with a byte each."""
    lower, upper = selector.results(op)
    pair = selector.fresh(RegisterClass.B16)
    selector.emit(opcode, (pair,), *operands)
    split_bytes(selector, lower, upper, pair)


def _to_float8(
    selector: Selector,
    op: ConvertF32x2ToF8x2Op | ConvertF16x2ToF8x2Op,
    source: str,
    *operands: Operand,
) -> None:
    """The pair is one i16, or two registers with a byte each."""
    opcode = f"cvt.rn.satfinite{_relu(op)}.{_format(op)}.{source}"
    if not isinstance(op.dst.type, VectorType):
        selector.emit(opcode, (selector.result(op),), *operands)
        return
    _to_bytes(selector, op, opcode, *operands)


def _select_from_f32(selector: Selector, op: ConvertF32x2ToF8x2Op) -> None:
    _to_float8(selector, op, "f32", selector.operand(op.a), selector.operand(op.b))


def _select_from_f16(selector: Selector, op: ConvertF16x2ToF8x2Op) -> None:
    _to_float8(selector, op, "f16x2", selector.register(op.a))


def _select_to_f16(selector: Selector, op: ConvertF8x2ToF16x2Op) -> None:
    opcode = f"cvt.rn{_relu(op)}.f16x2.{_format(op)}"
    selector.emit(opcode, (selector.result(op),), _pair_of_bytes(selector, op.src))


def _select_to_bf16(selector: Selector, op: ConvertF8x2ToBF16x2Op) -> None:
    opcode = "cvt.rn.bf16x2.ue8m0x2"
    selector.emit(opcode, (selector.result(op),), _pair_of_bytes(selector, op.src))


def _select_to_ue5m3(selector: Selector, op: ConvertF32x2ToUE5M3x2Op) -> None:
    opcode = "cvt.rn.satfinite.ue5m3x2.f32"
    _to_bytes(selector, op, opcode, selector.operand(op.a), selector.operand(op.b))


def _select_from_ue5m3(selector: Selector, op: ConvertUE5M3x2ToBF16x2Op) -> None:
    opcode = "cvt.rn.bf16x2.ue5m3x2"
    selector.emit(opcode, (selector.result(op),), _pair_of_bytes(selector, op.src))


# Two floats of four bits are in a .b8 register, which converts to and from others and no more.


def _select_to_float4(selector: Selector, op: ConvertF32x2ToF4x2Op) -> None:
    relu = ".relu" if op.relu.value.data else ""
    byte = selector.fresh(RegisterClass.B8)
    opcode = f"cvt.rn.satfinite{relu}.e2m1x2.f32"
    selector.emit(opcode, (byte,), selector.operand(op.a), selector.operand(op.b))
    selector.emit("cvt.u16.u8", (selector.result(op),), byte)


def _select_from_float4(selector: Selector, op: ConvertF4x2ToF16x2Op) -> None:
    relu = ".relu" if op.relu.value.data else ""
    byte = selector.fresh(RegisterClass.B8)
    selector.emit("cvt.u8.u16", (byte,), selector.register(op.src))
    selector.emit(f"cvt.rn{relu}.f16x2.e2m1x2", (selector.result(op),), byte)


RULES: dict[type[Operation], Rule] = {
    ConvertFloatToTF32Op: form(
        "cvt.<rnd><sat>{.relu}.tf32.f32  d, src", has_effects=False, sat=_saturation
    ),
    ConvertF32x2ToF8x2Op: Rule(_select_from_f32),
    ConvertF16x2ToF8x2Op: Rule(_select_from_f16),
    ConvertF8x2ToF16x2Op: Rule(_select_to_f16),
    ConvertF8x2ToBF16x2Op: Rule(_select_to_bf16),
    ConvertF32x2ToUE5M3x2Op: Rule(_select_to_ue5m3),
    ConvertUE5M3x2ToBF16x2Op: Rule(_select_from_ue5m3),
    ConvertF32x2ToF4x2Op: Rule(_select_to_float4),
    ConvertF4x2ToF16x2Op: Rule(_select_from_float4),
}
