"""Numbers that no register, table or memory can hold, and texts that nest without end."""

import numpy as np
import pytest

from tests.unit.emulator.kernels import HEADER
from tileir_xdsl import emulator
from tileir_xdsl.emulator import EmulatorError
from tileir_xdsl.emulator.parser import parse_module
from tileir_xdsl.lint import lint

HUGE = 10**26


def kernel(body: str = "", directives: str = "", parameters: str = "", outside: str = "") -> str:
    return (
        f"{HEADER}{outside}\n.visible .entry k({parameters})\n{directives}\n{{\n{body}\nret;\n}}\n"
    )


REFUSED = {
    kernel(f".shared .b8 x[{HUGE}];"): "expected an integer constant of at most",
    kernel(".shared .b8 x[-1];"): "expected an extent that is not negative, found -1",
    kernel(".shared .align 3 .b8 x[4];"): "an alignment must be a power of two, not 3",
    kernel(".local .align 0 .b8 x[4];"): "an alignment must be a power of two, not 0",
    kernel(
        parameters=".param .align 4294967296 .b8 x[4]"
    ): "expected an alignment of at most 2147483648",
    kernel(parameters=".param .b8 x[32765]"): "the parameters of a kernel have at most 32764",
    kernel(f".reg .b32 %r<{HUGE}>;"): "expected a number of registers of at most",
    kernel(f".reg .b64 %r; mov.u64 %r, {HUGE};"): "expected an integer constant of at most",
    kernel(f".reg .b64 %r; mov.u64 %r, {'9' * 5000};"): "expected an integer constant of at most",
    kernel(".reg .f32 %r; mov.f32 %r, 1e999;"): "'1e999' is out of the range of double precision",
    kernel(".reg .b32 %r; mov.u32 %r, 1\u0663;"): "unexpected character",
    kernel(directives=".reqntid 0"): "'.reqntid' takes at most 3 numbers, each at least 1",
    kernel(directives=".maxntid 1, 1, 1, 1"): "'.maxntid' takes at most 3 numbers, each at least 1",
    kernel(directives=".maxnreg 8, 8"): "'.maxnreg' takes at most 1 numbers, each at least 1",
    kernel(directives=f".maxnreg {2**32}"): "expected a number of .maxnreg of at most 4294967295",
    kernel(".reg .b32 %r; mov.u32 %r, " + "(" * 5000): "operands are nested too deeply",
    kernel(".reg .b32 %r; mov.u32 %r, " + "!" * 5000): "operands are nested too deeply",
}


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: REFUSED[text])
def test_refused_when_parsed(text: str):
    with pytest.raises(EmulatorError) as caught:
        parse_module(text)
    assert REFUSED[text] in caught.value.message and caught.value.line is not None


REFUSED_WHEN_LOADED = {
    kernel(".shared .b8 x[232449];"): "kernel 'k' has 232449 bytes of shared variables",
    kernel(
        f".local .b8 x[{2**40}];"
    ): "bytes of local variables, more than the 524288 bytes that a thread can have",
    kernel(outside=f".global .b8 x[{2**63}];"): "bytes exceed the addresses of global memory",
}


@pytest.mark.parametrize("text", REFUSED_WHEN_LOADED, ids=lambda text: REFUSED_WHEN_LOADED[text])
def test_refused_when_loaded(text: str):
    """The assembler takes some of these, so that the static checks do, too."""
    assert lint(text) == []
    with pytest.raises(EmulatorError) as caught:
        emulator.load(text)
    assert REFUSED_WHEN_LOADED[text] in caught.value.message


def chain_of_calls(depth: int) -> str:
    functions = [".func f0() { ret; }"]
    functions += [f".func f{i}() {{ call f{i - 1}; ret; }}" for i in range(1, depth)]
    return kernel(f"call f{depth - 1};", outside="\n".join(functions))


def test_deep_calls():
    emulator.load(chain_of_calls(200)).launch("k", (1, 1, 1), [], block=(1,))
    with pytest.raises(EmulatorError, match="function calls are nested more than 200 deep"):
        emulator.load(chain_of_calls(201))


RANGES = kernel(
    ".reg .b32 %r<9223372036854775808>;\n"
    ".reg .b64 %rd<2>;\n"
    "ld.param.u64 %rd1, [p];\n"
    "mov.u32 %r9223372036854775807, 7;\n"
    "{ .reg .b64 %r<2>; mov.u64 %r1, 5; }\n"
    "add.u32 %r1, %r9223372036854775807, 1;\n"
    "st.global.u32 [%rd1], %r1;",
    parameters=".param .u64 p",
)


def test_a_range_of_registers_costs_nothing():
    out = np.zeros(1, np.uint32)
    emulator.load(RANGES).launch("k", (1, 1, 1), [out], block=(1,))
    assert out[0] == 8
    registers = parse_module(RANGES).kernels["k"].registers
    assert set(registers) == {"%rd1", "%r9223372036854775807", "%r1", "%r1@1"}


@pytest.mark.parametrize(
    ("declarations", "is_clash"),
    [
        (".reg .b32 %r<3>; .reg .b32 %r2;", True),
        (".reg .b32 %r<3>; .reg .b32 %r3, %r02, %r;", False),
        (".reg .b32 %r2; .reg .b32 %r<3>;", True),
        (".reg .b32 %r3; .reg .b32 %r<3>;", False),
        (".reg .b32 %r<3>; .reg .b32 %r<1>;", True),
        (".reg .b32 %r<11>; .reg .b32 %r1<1>;", True),
        (".reg .b32 %r1<1>; .reg .b32 %r<11>;", True),
        (".reg .b32 %r<10>; .reg .b32 %r1<9>;", False),
        (".reg .b32 %r0<9>; .reg .b32 %r<11>;", False),
        (".reg .b32 %r<0>; .reg .b32 %r<1>;", False),
    ],
)
def test_registers_declared_twice(declarations: str, is_clash: bool):
    if is_clash:
        with pytest.raises(EmulatorError, match="is declared twice"):
            parse_module(kernel(declarations))
    else:
        parse_module(kernel(declarations))


OFFSETS = kernel(
    ".reg .b64 %a; .reg .b32 %x;\n"
    "ld.param.u64 %a, [p]; add.u64 %a, %a, 4;\n"
    "ld.global.u32 %x, [%a+18446744073709551612];\n"
    "st.global.u32 [%a], %x;",
    parameters=".param .u64 p",
)


def test_offsets_of_64_bits_wrap():
    out = np.array([3, 0], np.uint32)
    emulator.load(OFFSETS).launch("k", (1, 1, 1), [out], block=(1,))
    assert out.tolist() == [3, 3]


@pytest.mark.parametrize("offset", [2**63, 2**63 - 1, -(2**63), 2**64 - 1])
@pytest.mark.parametrize("space", ["global", "shared", "local", "const"])
def test_far_addresses_are_faults(space: str, offset: int):
    outside = "".join(f".{each} .b8 {each}_bytes[8];\n" for each in ("global", "shared", "const"))
    body = f".local .b8 local_bytes[8]; .reg .b32 %x; ld.{space}.u32 %x, [{space}_bytes+{offset}];"
    with pytest.raises(EmulatorError, match=r"out-of-bounds|misaligned"):
        emulator.load(kernel(body, outside=outside)).launch("k", (1, 1, 1), [], block=(1,))


def test_grids_beyond_those_of_a_device():
    module = emulator.load(kernel())
    with pytest.raises(EmulatorError, match="a grid has at most"):
        module.launch("k", (2**31, 1, 1), [], block=(1,))
    with pytest.raises(EmulatorError, match="the step limit"):
        module.launch("k", (2**31 - 1, 65535, 65535), [], block=(1024,), step_limit=100)


GENERIC = kernel(
    ".shared .align 4 .b8 word[4]; .reg .pred %p; .reg .b32 %i, %x, %s; .reg .b64 %o, %s64;\n"
    "mov.u32 %i, %tid.x; setp.ge.u32 %p, %i, 3; mov.u32 %x, 0;\n"
    "st.shared.u32 [word], 7; bar.sync 0;\n"
    "@%p ld.u32 %x, [word];\n"
    "ld.param.u64 %o, [p]; mad.wide.u32 %o, %i, 4, %o; st.global.u32 [%o], %x;",
    parameters=".param .u64 p",
)


def test_a_variable_at_a_generic_address_in_some_threads():
    out = np.zeros(5, np.uint32)
    emulator.load(GENERIC).launch("k", (1, 1, 1), [out], block=(5,))
    assert out.tolist() == [0, 0, 0, 7, 7]


def test_a_register_of_128_bits_is_no_wide_word():
    text = kernel(".reg .b128 %x; .reg .b64 %a; ld.global.u32 %x, [%a];")
    with pytest.raises(EmulatorError, match=r"'%x' of type \.b128 does not fit"):
        emulator.load(text).launch("k", (1, 1, 1), [], block=(1,))
