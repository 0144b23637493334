"""The registers that a kernel uses at once."""

from dataclasses import replace

import pytest

from tileir_xdsl.emulator.instructions.table import FORM_TABLE
from tileir_xdsl.emulator.parser import parse_module
from tileir_xdsl.emulator.program import build_program
from tileir_xdsl.emulator.register_use import live_registers

KERNEL = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p) {{
  .reg .b32 %a, %b, %c;
  .reg .b64 %p, %q;
  .reg .pred %t;
  {body}
  ret;
}}
"""

CASES = {
    "nothing": ("", 0),
    "never read": ("mov.u32 %a, 1;", 0),
    "one after the other": ("mov.u32 %a, 1; add.u32 %b, %a, 1; add.u32 %c, %b, 1;", 1),
    "together": ("mov.u32 %a, 1; mov.u32 %b, 2; add.u32 %c, %a, %b;", 2),
    "64 bits": ("ld.param.u64 %p, [p]; mov.u32 %a, 1; st.global.u32 [%p], %a;", 3),
    "guarded": ("mov.u32 %a, 1; setp.eq.u32 %t, %a, 1; @%t mov.u32 %b, 2; add.u32 %a, %b, 1;", 2),
    "around a loop": (
        "mov.u32 %a, 1; mov.u32 %b, 0;\nAGAIN: add.u32 %b, %b, 1; setp.lt.u32 %t, %b, 4;\n"
        "@%t bra AGAIN; add.u32 %c, %a, 1;",
        2,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_live_registers(name: str):
    body, expected = CASES[name]
    kernel = parse_module(KERNEL.format(body=body)).kernels["k"]
    assert live_registers(kernel, build_program(kernel, FORM_TABLE)) == expected


WORDS = {
    **dict.fromkeys(("b8", "u8", "s8", "b16", "u16", "s16", "f16"), 1),
    **dict.fromkeys(("b32", "u32", "s32", "f32", "f16x2"), 1),
    **dict.fromkeys(("b64", "u64", "s64", "f64"), 2),
    "b128": 4,
    "pred": 0,
}
"""Registers of 32 bits that a value of each type takes: a narrow one has a whole register."""


@pytest.mark.parametrize("type_", WORDS)
def test_words_of_a_value(type_: str):
    kernel = parse_module(KERNEL.format(body=f".reg .{type_} %x, %y;")).kernels["k"]
    # Only the flow matters here, which is that of a move.
    move = parse_module(KERNEL.format(body="mov.b32 %a, 1; mov.b32 %b, %a;")).kernels["k"]
    registers = {"%a": kernel.registers["%x"], "%b": kernel.registers["%y"]}
    held = replace(kernel, registers=registers)
    assert live_registers(held, build_program(move, FORM_TABLE)) == WORDS[type_]
