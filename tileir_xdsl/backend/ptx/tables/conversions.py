"""Conversions between integers and floats of different widths, and bit casts.

Source: PTX ISA, `cvt`. Integers come from and go to registers of at least 16 bits; `cvt.f32.s8`
reads the low byte of one.
"""

from xdsl.dialects import llvm
from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.backend.ptx.forms import join_bytes, split_bytes
from tileir_xdsl.backend.ptx.instructions import Guard, VectorOperand
from tileir_xdsl.backend.ptx.lanes import extracted_lane, unpack
from tileir_xdsl.backend.ptx.registers import B16, B32, F32, PREDICATE, bit_width
from tileir_xdsl.backend.ptx.selection import Rule, Selector, integer_width
from tileir_xdsl.backend.ptx.tables.floating_point import (
    BF16_ARITHMETIC,
    extend_to_f32,
    float_operand,
    is_packed,
    narrow,
    suffix,
)
from tileir_xdsl.backend.ptx.tables.integer import (
    clear_high_byte,
    held_width,
    sign_extended,
)
from tileir_xdsl.dialects.llvm import ExtractElementOp, FPToSIOp, FPToUIOp, UIToFPOp


def _select_trunc(selector: Selector, op: llvm.TruncOp) -> None:
    width = integer_width(op.res.type)
    _reject_packed_integers(selector, op)
    for destination, component in zip(
        selector.results(op), selector.components(op.arg), strict=True
    ):
        source = selector.in_register(component)
        bits = selector.classes[source].bits
        if width == 1:
            low = selector.fresh(selector.classes[source])
            selector.emit(f"and.b{bits}", (low,), source, "1")
            selector.emit(f"setp.ne.b{bits}", (destination,), low, "0")
        elif width == 8 and bits == 16:
            selector.emit("and.b16", (destination,), source, "255")
        else:
            selector.emit(f"cvt.u{held_width(width)}.u{bits}", (destination,), source)
            if width == 8:
                clear_high_byte(selector, destination)


def _select_extension(selector: Selector, op: llvm.ZExtOp | llvm.SExtOp) -> None:
    width, from_width = integer_width(op.res.type), integer_width(op.arg.type)
    is_signed = isinstance(op, llvm.SExtOp)
    _reject_packed_integers(selector, op)
    held = held_width(width)
    for destination, component in zip(
        selector.results(op), selector.components(op.arg), strict=True
    ):
        source = selector.in_register(component)
        if from_width == 1:
            one = str((1 << width) - 1 if width == 8 else -1) if is_signed else "1"
            selector.emit(f"selp.b{held}", (destination,), one, "0", source)
        elif is_signed:
            selector.emit(f"cvt.s{held}.s{from_width}", (destination,), source)
        elif held == selector.classes[source].bits:
            selector.move(destination, source)
        else:
            selector.emit(f"cvt.u{held}.u{held_width(from_width)}", (destination,), source)


def _reject_packed_integers(selector: Selector, op: Operation) -> None:
    """Rejects packed elements of 8 or 16 bits: each conversion is of one element."""
    for value in (op.operands[0], op.results[0]):
        components = selector.components(value)
        is_narrow = 0 < integer_width(value.type) < 32
        if is_narrow and len(components) < _count(value.type):
            selector.unsupported(op, f"no PTX instruction on packed {value.type}")


def _count(type: Attribute) -> int:
    return type.get_shape()[0] if isinstance(type, VectorType) else 1


def _select_integer_to_float(selector: Selector, op: llvm.SIToFPOp | UIToFPOp) -> None:
    result = op.results[0]
    text = suffix(selector, op, result.type)
    width = integer_width(op.arg.type)
    is_signed = isinstance(op, llvm.SIToFPOp)
    _reject_packed_integers(selector, op)
    for destination, component in zip(
        selector.results(op), selector.components(op.arg), strict=True
    ):
        source = selector.in_register(component)
        if width == 1:
            selector.emit("selp.b32", (wide := selector.fresh(B32),), "1", "0", source)
            source, kind = wide, "s32"
            if is_signed:
                selector.emit("neg.s32", (source := selector.fresh(B32),), wide)
        else:
            kind = f"{'s' if is_signed else 'u'}{width if is_signed else held_width(width)}"
        if text == "bf16" and not BF16_ARITHMETIC.is_met_by(selector.target):
            if width > 16:
                wide = _rounded_to_odd(selector, source, kind, f"cvt.rzi.{kind}.f32")
            else:
                selector.emit(f"cvt.rn.f32.{kind}", (wide := selector.fresh(F32),), source)
            narrow(selector, destination, wide, text)
            continue
        if text == "bf16" and kind == "s8":
            # There is no cvt from s8 to bf16.
            source, kind = selector.in_register(sign_extended(selector, source)), "s16"
        selector.emit(f"cvt.rn.{text}.{kind}", (destination,), source)


def _rounded_to_odd(selector: Selector, source: int, kind: str, back: str) -> int:
    """A number as f32, rounded to odd: its last bit is set if the conversion is inexact.

    Rounding the result to bf16 equals rounding the number directly.
    """
    wide, again = selector.fresh(F32), selector.fresh(selector.classes[source])
    is_inexact = selector.fresh(PREDICATE)
    selector.emit(f"cvt.rz.f32.{kind}", (wide,), source)
    selector.emit(back, (again,), wide)
    selector.emit(f"setp.ne.{kind}", (is_inexact,), source, again)
    selector.emit("or.b32", (wide,), wide, "1", guard=Guard(is_inexact))
    return wide


def _select_float_to_integer(selector: Selector, op: FPToSIOp | FPToUIOp) -> None:
    text = suffix(selector, op, op.arg.type)
    width = integer_width(op.res.type)
    kind = "s" if isinstance(op, FPToSIOp) else "u"
    _reject_packed_integers(selector, op)
    for destination, component in zip(
        selector.results(op), selector.components(op.arg), strict=True
    ):
        source, from_text = selector.in_register(component), text
        if text == "bf16" and not BF16_ARITHMETIC.is_met_by(selector.target):
            extend_to_f32(selector, wide := selector.fresh(F32), source, text)
            source, from_text = wide, "f32"
        if width == 1:
            converted = selector.fresh(B32)
            selector.emit(f"cvt.rzi.{kind}32.{from_text}", (converted,), source)
            selector.emit("setp.ne.b32", (destination,), converted, "0")
            continue
        selector.emit(f"cvt.rzi.{kind}{held_width(width)}.{from_text}", (destination,), source)
        if width == 8:
            clear_high_byte(selector, destination)


def _select_fpext(selector: Selector, op: llvm.FPExtOp) -> None:
    text = suffix(selector, op, op.arg.type)
    to = suffix(selector, op, op.result.type)
    for destination, source in zip(selector.results(op), _unpacked(selector, op.arg), strict=True):
        if text in ("f16", "bf16") and to == "f32":
            extend_to_f32(selector, destination, source, text)
        elif text == "bf16":
            extend_to_f32(selector, wide := selector.fresh(F32), source, text)
            selector.emit(f"cvt.{to}.f32", (destination,), wide)
        else:
            selector.emit(f"cvt.{to}.{text}", (destination,), source)


def _unpacked(selector: Selector, value: SSAValue) -> list[int]:
    """The elements of a float or a vector of floats, each in a register of its own."""
    registers: list[int] = []
    for component in selector.components(value):
        register = selector.in_register(component)
        if is_packed(selector, register, value.type):
            low, high = selector.fresh(B16), selector.fresh(B16)
            selector.emit("mov.b32", (VectorOperand((low, high)),), register)
            registers += [low, high]
        else:
            registers.append(register)
    return registers


def _select_fptrunc(selector: Selector, op: llvm.FPTruncOp) -> None:
    text = suffix(selector, op, op.arg.type)
    to = suffix(selector, op, op.result.type)
    destinations, sources = selector.results(op), selector.components(op.arg)
    if is_packed(selector, destinations[0], op.result.type):
        if text != "f32":
            selector.unsupported(op, f"no PTX instruction from {op.arg.type}")
        for position, destination in enumerate(destinations):
            # The first source becomes the high half.
            low, high = (
                float_operand(selector, c) for c in sources[2 * position : 2 * position + 2]
            )
            selector.emit(f"cvt.rn.{to}x2.f32", (destination,), high, low)
        return
    for destination, component in zip(destinations, sources, strict=True):
        if text == "f64" and to == "bf16" and not BF16_ARITHMETIC.is_met_by(selector.target):
            source = selector.in_register(component)
            wide = _rounded_to_odd(selector, source, "f64", "cvt.f64.f32")
            narrow(selector, destination, wide, to)
            continue
        if text == "f64" and to == "bf16":
            selector.require(op, BF16_ARITHMETIC)
        selector.emit(f"cvt.rn.{to}.{text}", (destination,), float_operand(selector, component))


# Bit casts.


def _select_bitcast(selector: Selector, op: llvm.BitcastOp) -> None:
    destinations = selector.results(op)
    sources = [selector.in_register(component) for component in selector.components(op.arg)]
    fewer, more = sorted((destinations, sources), key=len)
    if len(fewer) == 1 and [selector.classes[register] for register in more] == [B16, B16]:
        if len(destinations) == 1:
            join_bytes(selector, destinations[0], sources[0], sources[1])
        else:
            split_bytes(selector, destinations[0], destinations[1], sources[0])
        return
    ratio = len(more) // len(fewer)
    bits = selector.classes[fewer[0]].bits
    if ratio * selector.classes[more[0]].bits != bits or ratio * len(fewer) != len(more):
        selector.unsupported(op, f"no PTX instruction from {op.arg.type} to {op.result.type}")
    for position, single in enumerate(fewer):
        parts = tuple(more[position * ratio : (position + 1) * ratio])
        group = parts[0] if ratio == 1 else VectorOperand(parts)
        if len(destinations) <= len(sources):
            selector.emit(f"mov.b{bits}", (single,), group)
        else:
            selector.emit(f"mov.b{bits}", (group,), single)


def _select_extract_element(selector: Selector, op: ExtractElementOp) -> None:
    component, position = extracted_lane(selector, op)
    assert isinstance(component, int) and position is not None
    width = bit_width(op.res.type)
    unpack(selector, component, position, width, into=selector.result(op))


RULES: dict[type[Operation], Rule] = {
    llvm.TruncOp: Rule(_select_trunc),
    llvm.ZExtOp: Rule(_select_extension),
    llvm.SExtOp: Rule(_select_extension),
    llvm.SIToFPOp: Rule(_select_integer_to_float),
    UIToFPOp: Rule(_select_integer_to_float),
    FPToSIOp: Rule(_select_float_to_integer),
    FPToUIOp: Rule(_select_float_to_integer),
    llvm.FPExtOp: Rule(_select_fpext),
    llvm.FPTruncOp: Rule(_select_fptrunc),
    llvm.BitcastOp: Rule(_select_bitcast),
    ExtractElementOp: Rule(_select_extract_element),
}
