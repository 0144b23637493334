"""PTX text to syntax, and what is said about text that is not PTX."""

import pytest

from tests.unit.emulator.kernels import BLOCK_SUM, HEADER
from tileir_xdsl import emulator
from tileir_xdsl.emulator.parser import parse_module
from tileir_xdsl.emulator.syntax import (
    Address,
    Float,
    FloatBits,
    Guard,
    Instruction,
    Integer,
    LabelReference,
    Negated,
    Pair,
    Register,
    Sink,
    SpecialRegister,
    Symbol,
    Vector,
)


def body(text: str) -> list[Instruction]:
    declarations = ".reg .pred %p<4>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<4>;"
    source = f"{HEADER}.visible .entry k(.param .u64 x) {{ {declarations}\n{text}\n}}"
    statements = parse_module(source).kernels["k"].body
    return [statement for statement in statements if isinstance(statement, Instruction)]


@pytest.mark.parametrize(
    ("text", "operands"),
    [
        ("mov.u32 %r1, %tid.x;", (Register("%r1"), SpecialRegister("%tid.x"))),
        ("ld.param.u64 %rd1, [x];", (Register("%rd1"), Address(Symbol("x"), 0))),
        ("mov.u64 %rd1, x;", (Register("%rd1"), Symbol("x"))),
        ("mov.u64 %rd1, x+16;", (Register("%rd1"), Symbol("x", 16))),
        ("ld.u32 %r1, [%rd1+-8];", (Register("%r1"), Address(Register("%rd1"), -8))),
        ("ld.u32 %r1, [%rd1 + 0x10];", (Register("%r1"), Address(Register("%rd1"), 16))),
        ("ld.u32 %r1, [64];", (Register("%r1"), Address(Integer(0), 64))),
        ("add.f32 %f1, %f2, -1.5;", (Register("%f1"), Register("%f2"), Float(-1.5))),
        ("mov.f32 %f1, 0f3F800000;", (Register("%f1"), FloatBits(0x3F800000, 32))),
        ("mov.f32 %f1, -0f3F800000;", (Register("%f1"), FloatBits(0xBF800000, 32))),
        ("add.s32 %r1, %r2, -5;", (Register("%r1"), Register("%r2"), Integer(-5))),
        ("mov.u32 %r1, 0xFFU;", (Register("%r1"), Integer(255))),
        ("mov.u32 %r1, (7);", (Register("%r1"), Integer(7))),
        ("and.pred %p1, %p2, !%p3;", (Register("%p1"), Register("%p2"), Negated(Register("%p3")))),
        ("mov.b64 %rd1, {%r1, %r2};", (Register("%rd1"), Vector((Register("%r1"), Register("%r2"))))),
        ("mov.b64 {_, %r2}, %rd1;", (Vector((Sink(), Register("%r2"))), Register("%rd1"))),
        (
            "setp.eq.s32 %p1|%p2, %r1, 0;",
            (Pair(Register("%p1"), Register("%p2")), Register("%r1"), Integer(0)),
        ),
        (
            "cp.thing [%r1], [%rd1, {%r2, %r3}];",
            (
                Address(Register("%r1"), 0),
                Address(Register("%rd1"), 0, (Vector((Register("%r2"), Register("%r3"))),)),
            ),
        ),
        ("exit;", ()),
    ],
)  # fmt: skip
def test_operands(text: str, operands: tuple[object, ...]):
    (instruction,) = body(text)
    assert instruction.operands == operands
    assert instruction.text == text.rstrip(";")


def test_guards_labels_and_scopes():
    first, second, third, last = body(
        "@%p1 bra L;\n{ .reg .b32 t; .reg .b32 %r1;\nL: mov.u32 t, %r1;\n@!%p2 bra L; }\nL: mov.u32 %r2, %r1;"
    )
    assert first.guard == Guard("%p1", negated=False)
    assert first.operands == (LabelReference("L"),)
    assert second.operands == (Register("t@1"), Register("%r1@1"))
    assert third.guard == Guard("%p2", negated=True)
    assert third.operands == (LabelReference("L@1"),)
    assert last.operands == (Register("%r2"), Register("%r1"))
    assert [i.line for i in (first, second, third, last)] == [6, 8, 9, 10]


def test_kernel_declarations():
    kernel = parse_module(
        HEADER
        + """
.shared .align 8 .b8 first[12];
.extern .shared .align 16 .b8 dynamic[];
.visible .entry k(
    .param .u8 a,
    .param .align 64 .b8 map[128],
    .param .u64 .ptr .shared .align 8 p,
    .param .f32 f
)
.maxntid 256, 2
.reqntid 128, 2, 1
.minnctapersm 2
.pragma "nounroll";
{
  .shared .f64 second[2][3];
  .local .align 4 .b8 frame[20];
  .reg .b32 %r<3>, %x;
  .loc 1 2 3
  mov.b32 %r0, %r2;
  ret;
}
.section .debug_info { .b8 1, 2; }
"""
    ).kernels["k"]
    assert [(p.name, p.offset, p.size) for p in kernel.parameters] == [
        ("a", 0, 1),
        ("map", 64, 128),
        ("p", 192, 8),
        ("f", 200, 4),
    ]
    assert kernel.parameter_bytes == 204
    assert kernel.reqntid == (128, 2, 1)
    assert kernel.directives["maxntid"] == (256, 2)
    assert kernel.directives["minnctapersm"] == (2,)
    assert set(kernel.registers) == {"%r0", "%r2", "%x"}
    offsets = {name: variable.offset for name, variable in kernel.variables.items()}
    assert offsets == {"first": 0, "second": 16, "dynamic": 64, "frame": 0}
    assert kernel.shared_size == 64


def test_public_kernel_information():
    kernel = emulator.load(BLOCK_SUM).kernels["block_sum"]
    assert [p.type.name for p in kernel.parameters] == ["u64", "u64", "u32"]
    assert kernel.reqntid == (256, 1, 1)
    assert kernel.shared_size == 1024


def wrapped(text: str) -> str:
    return (
        f".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 x) {{\n"
        f".reg .pred %p; .reg .b32 %r; .reg .b64 %rd; .reg .f32 %f;\n{text}\nret;\n}}\n"
    )


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("add.s33 %r, %r, %r;", 6, "unknown instruction 'add.s33'"),
        ("frobnicate %r;", 6, "unknown instruction 'frobnicate'"),
        ("mul.s32.lo %r, %r, %r;", 6, "unknown instruction 'mul.s32.lo'"),
        ("add.s32 %r, %r;", 6, "'add.s32' takes the operands d, a, b, but has 2 operands"),
        ("\nadd.s32 %r, %r9, %r;", 7, "undeclared register '%r9'"),
        ("mov.u32 %r, thing;", 6, "undeclared name 'thing'"),
        ("@%q bra L;", 6, "undeclared register '%q'"),
        ("@%r bra L;", 6, "the guard '%r' is not a predicate"),
        ("bra L;", 6, "undeclared label 'L'"),
        ("L: ret; L: ret;", 6, "label 'L' is defined twice"),
        (".reg .b32 %r;", 6, "register '%r' is declared twice"),
        (".reg .b32 %laneid;", 6, "'%laneid' cannot be declared: it is the name of a special register"),
        (".reg .b33 %x;", 6, "unknown type '.b33'"),
        ("add.s32 %r, %r, %r", 7, "expected ',', found 'ret'"),
        ("add.s32 %r %r, %r;", 6, "expected ',', found '%r'"),
        ("mov.u32 %r, 08;", 6, "unexpected character '0'"),
        ("mov.u32 %r, ^;", 6, "expected an operand, found '^'"),
        ("mov.u32 %r, \\;", 6, "unexpected character '\\\\'"),
        ("mov.u32 %r, 1 / 0;", 6, "division of a constant by zero"),
        ("mov.u32 %r, 1 % (2 - 2);", 6, "division of a constant by zero"),
        ("mov.f32 %f, 1.0 / 0.0;", 6, "division of a constant by zero"),
        ("mov.u32 %r, 1 + 2.0;", 6, "the operands of '+' must be two integers or two floats"),
        ("mov.u32 %r, ~1.0;", 6, "the operand of '~' must be an integer"),
        ("mov.f32 %f, 1.0 << 2.0;", 6, "the operands of '<<' must be integers"),
        ("mov.u32 %r, (.s64) 1.0;", 6, "the operand of '(.s64)' must be an integer"),
        ("mov.u32 %r, 1 ? 2 : 3.0;", 6, "'?:' needs an integer as condition, then two integers or two floats"),
        ("mov.u32 %r, " + "(" * 99 + "1;", 6, "constant expressions are nested too deep"),
        (".reg .v4 .f32 v; .reg .f32 v;", 6, "register 'v' is declared twice"),
        (".reg .v4 .f32 v; .reg .v2 .f32 v;", 6, "register 'v' is declared twice"),
        (".reg .v2 .f32 v; mov.f32 %f, v.z;", 6, "undeclared name 'v.z'"),
        (".reg .v2 .f32 v<70000>;", 6, "expected a number of variables of at most 65536"),
        ("mov.b32 %r, %envreg7;", 6, "special register '%envreg7' is not supported"),
        ("mov.u32 %r, %pm3;", 6, "special register '%pm3' is not supported"),
        (".shared .b32 s[8]; ld.shared.u32 %r, s[%tid.x];", 6, "an index of 's' must be a constant or a register"),
        ("ld.param.u32 %r, x[1];", 6, "only variables can be indexed"),
        (".shared .b32 s[];", 6, "variable 's' has no extent"),
        (".shared .b32 s = 4;", 6, "variable 's' in .shared has an initial value"),
        (".global .b32 s[2] = 4;", 6, "initial values of the array or vector 's' must be in braces"),
        (".shared .pred s;", 6, "a predicate must be a register, not a variable in .shared"),
        (".reg .v2 .pred v;", 6, "a vector cannot have predicates as elements"),
        (".reg .v4 .b64 v;", 6, "a vector must have at most 128 bits"),
        (".reg .bf16 h;", 6, "'.bf16' can be the type of an instruction, but not of a register or variable"),
        (".reg .b32 _;", 6, "'_' is not an identifier"),
        ("mov.b32 %r, 99999999999999999999;", 6, "expected an integer constant of at most 18446744073709551615"),
        ("add.f32 %f, %f + 1, %f;", 6, "cannot add to '%f', which is not an integer of 16, 32 or 64 bits"),
        (".frame 12;", 6, "unknown directive '.frame'"),
        ("/* a\nb */ bad %r;", 7, "unknown instruction 'bad'"),
        ("5;", 6, "expected an instruction, found '5'"),
        ("@%p ret", 7, "undeclared name 'ret'"),
        ("L: .branchtargets M;", 6, "undeclared label 'M'"),
        ("brx.idx %r, L; L:", 6, "the targets of an indexed branch must be the name of a .branchtargets list"),
        ("bra %r;", 6, "the target of a branch must be a label"),
    ],
)  # fmt: skip
def test_errors_in_a_body(text: str, line: int, message: str):
    with pytest.raises(emulator.EmulatorError) as caught:
        emulator.load(wrapped(text))
    assert caught.value.message == message
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "the PTX text has no .version directive"),
        ("hello", 1, "expected a directive, found 'hello'"),
        (".version 8.0\n.entry k {", 2, "unexpected end of the PTX text"),
        (".version 8.0\n.address_size 32", 2, "only 64-bit addresses are supported"),
        (".version 8.0\n.func f() { ret; }\n.func f() { ret; }", 3, "function 'f' is defined twice"),
        (".version 8.0\n.entry k(.reg .u32 x) { ret; }", 2, "parameter 'x' of a kernel must not be a register"),
        (".version 8.0\n.entry k() { ret; }\n.entry k() { ret; }", 3, "kernel 'k' is defined twice"),
        (".version 8.0\n.global .b8 g;\n.global .b8 g;", 3, "variable 'g' is declared twice"),
        (".version 8.0\n.global .b8 g[2] = {1, 2, 3};", 2, "too many initial values for 'g'"),
        (".version 8.0\n.global .b32 g = g;", 2, "an address as initial value needs a 64-bit element"),
        (".version 8.0\n.global .u32 g = 0xff0(g);", 2, "the mask '0xff0' must select exactly one byte"),
        (".version 8.0\n.global .texref t;", 2, "textures and surfaces ('.texref') are not supported"),
        (".version 8.0\n.global .surfref t;", 2, "textures and surfaces ('.surfref') are not supported"),
        (".version 8.0\n.global .samplerref t;", 2, "textures and surfaces ('.samplerref') are not supported"),
        (".version 8.0\n.tex .u64 t;", 2, "textures and surfaces ('.tex') are not supported"),
        (".version 8.0\n.global .u32 g =", 2, "unexpected end of the PTX text"),
        (".version 8.0\n.global .u32 g = {1, 0xff", 2, "unexpected end of the PTX text"),
        (".version 8.0\n.global .u64 g = {generic(", 2, "expected a variable name, found 'end of text'"),
        (".version 8.0\n.alias f, g;", 2, "function 'g' must be defined, with a body, before its alias"),
        (".version 8.0\n.entry k(.u32 x) { ret; }", 2, "expected '.param', found '.u32'"),
        (".version 8.0\n.entry k(.param x) { ret; }", 2, "parameter 'x' has no type"),
        (".version 8.0\n.entry k() .wrong { ret; }", 2, "unknown directive '.wrong'"),
        (".version 8.0\n.entry k() .reqntid { ret; }", 2, "expected an integer, found '{'"),
        (".version 8.0\n.entry k() { .reg .pred %p; @%p ret }", 2, "expected an operand, found '}'"),
    ],
)  # fmt: skip
def test_errors_in_a_module(text: str, line: int, message: str):
    with pytest.raises(emulator.EmulatorError) as caught:
        emulator.load(text)
    assert caught.value.message == message
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("add.s32 %r, %f, %r;", "register '%f' of type .f32 does not fit an operand of type .s32"),
        ("add.f32 %f, %r, 1;", "this constant does not fit an operand of type .f32"),
        (
            "add.s64 %rd, %r, %rd;",
            "register '%r' of type .b32 does not fit an operand of type .s64",
        ),
        ("add.s32 7, %r, %r;", "a result operand must be a register or '_'"),
        ("add.s32 %r, %r, 1.5;", "this constant does not fit an operand of type .s32"),
        ("add.s32 %r, %r, {%r, %r};", "expected an operand of type .s32"),
        ("mov.f32 %f, %tid.x;", "'%tid.x' cannot be read as .f32"),
        ("ld.shared.u32 %r, [x];", "'x' is in state space .param, not in .shared"),
        ("ld.global.u32 %r, [%f];", "register '%f' of type .f32 cannot hold an address"),
        ("ld.global.u32 %r, %rd;", "a memory operand must be in brackets"),
        ("ld.global.v2.u32 %r, [%rd];", "expected a vector of 2 operands, found 1"),
        ("mov.b32 %r, {%r, %r, %r};", "a vector of 3 operands cannot be packed into .b32"),
        ("setp.lo.s32 %p, %r, %r;", "'.lo' does not compare operands of type .s32"),
        ("setp.lt.b32 %p, %r, %r;", "'.lt' does not compare operands of type .b32"),
        ("lop3.b32 %r, %r, %r, %r, 256;", "the table of lop3 must be a constant from 0 to 255"),
    ],
)
def test_operands_that_do_not_fit(text: str, message: str):
    module = emulator.load(wrapped(text))
    with pytest.raises(emulator.EmulatorError) as caught:
        module.launch(None, (1, 1, 1), [0], block=(32, 1, 1))
    assert caught.value.message == message
    assert caught.value.line == 6
    assert caught.value.instruction == text.rstrip(";")
