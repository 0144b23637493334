"""`llvm.call_intrinsic "llvm.nvvm...."`: instructions with a rounding mode or flush-to-zero.

The names follow one scheme, `llvm.nvvm.<operation>.<rounding>[.ftz][.sat].<type>`, so most of the
table is generated from it.
"""

from xdsl.dialects import llvm
from xdsl.ir import Operation

from tileir_xdsl.backend.ptx.forms import Form
from tileir_xdsl.backend.ptx.selection import Rule, Selector
from tileir_xdsl.backend.ptx.tables.floating_point import float_operand
from tileir_xdsl.dialects.llvm import TrapOp

_TYPES = {"f": "f32", "d": "f64"}
_ROUNDINGS = ("rn", "rz", "rm", "rp")


def _rounded() -> dict[str, str]:
    table: dict[str, str] = {}
    for operation in ("add", "mul", "fma", "div", "rcp", "sqrt"):
        for rounding in _ROUNDINGS:
            for letter, type in _TYPES.items():
                name = f"llvm.nvvm.{operation}.{rounding}"
                table[f"{name}.{letter}"] = f"{operation}.{rounding}.{type}"
                if type == "f32":
                    table[f"{name}.ftz.{letter}"] = f"{operation}.{rounding}.ftz.{type}"
    for rounding in _ROUNDINGS:
        for flush in ("", ".ftz"):
            name = f"fma.{rounding}{flush}.sat"
            table[f"llvm.nvvm.{name}.f"] = f"{name}.f32"
    return table


def _approximate() -> dict[str, str]:
    table: dict[str, str] = {}
    for operation in ("rsqrt", "sqrt", "div", "lg2", "sin", "cos"):
        for flush in ("", ".ftz"):
            table[f"llvm.nvvm.{operation}.approx{flush}.f"] = f"{operation}.approx{flush}.f32"
    for flush in ("", ".ftz"):
        table[f"llvm.nvvm.ex2.approx{flush}.f32"] = f"ex2.approx{flush}.f32"
        table[f"llvm.nvvm.div.full{flush}"] = f"div.full{flush}.f32"
    table["llvm.nvvm.rcp.approx.ftz.f"] = "rcp.approx.ftz.f32"
    table["llvm.nvvm.rcp.approx.ftz.d"] = "rcp.approx.ftz.f64"
    table["llvm.nvvm.rsqrt.approx.d"] = "rsqrt.approx.f64"
    return table


def _extrema() -> dict[str, str]:
    table: dict[str, str] = {}
    for operation in ("min", "max"):
        table[f"llvm.nvvm.f{operation}.d"] = f"{operation}.f64"
        for flush in ("", ".ftz"):
            for nan in ("", ".nan"):
                name = f"llvm.nvvm.f{operation}{flush}{nan}.f"
                table[name] = f"{operation}{flush}{nan.replace('nan', 'NaN')}.f32"
    return table


def _conversions() -> dict[str, str]:
    """The conversions between f32 or f64 and integers of 32 or 64 bits, and from f64 to f32."""
    table: dict[str, str] = {}
    integers = {"i": "s32", "ui": "u32", "ll": "s64", "ull": "u64"}
    for letter, type in _TYPES.items():
        for prefix, integer in integers.items():
            for rounding in _ROUNDINGS:
                name = f"llvm.nvvm.{prefix}2{letter}.{rounding}"
                table[name] = f"cvt.{rounding}.{type}.{integer}"
            table[f"llvm.nvvm.{letter}2{prefix}.rz"] = f"cvt.rzi.{integer}.{type}"
    for rounding in _ROUNDINGS:
        table[f"llvm.nvvm.d2f.{rounding}"] = f"cvt.{rounding}.f32.f64"
    table["llvm.nvvm.f2bf16.rz"] = "cvt.rz.bf16.f32"
    table["llvm.nvvm.ff2f16x2.rz"] = "cvt.rz.f16x2.f32"
    return table


OPCODES: dict[str, str] = {
    **_rounded(),
    **_approximate(),
    **_extrema(),
    **_conversions(),
    "llvm.nvvm.fabs.ftz.f": "abs.ftz.f32",
    "llvm.nvvm.mulhi.i": "mul.hi.s32",
    "llvm.nvvm.mulhi.ui": "mul.hi.u32",
    "llvm.nvvm.mulhi.ll": "mul.hi.s64",
    "llvm.nvvm.mulhi.ull": "mul.hi.u64",
    "llvm.nvvm.prmt": "prmt.b32",
}
"""The PTX opcode of each intrinsic; operands in the same order."""


def _select_intrinsic(selector: Selector, op: llvm.CallIntrinsicOp) -> None:
    name = op.intrin.data
    if (opcode := OPCODES.get(name)) is None:
        selector.unsupported(op, f"unknown intrinsic '{name}'")
    if not op.args:
        selector.unsupported(op, f"intrinsic '{name}' without an argument")
    destinations = selector.results(op) if op.ress is not None else ()
    first, *rest = (selector.component(argument) for argument in op.args)
    operands = (selector.in_register(first), *(float_operand(selector, other) for other in rest))
    selector.emit(opcode, destinations, *operands)


RULES: dict[type[Operation], Rule] = {
    llvm.CallIntrinsicOp: Rule(_select_intrinsic),
    TrapOp: Rule(Form("trap").select, has_effects=True),
}
