"""Vectors of registers, arrays by index, and declarations as they are written by hand."""

from pathlib import Path

import numpy as np
import pytest

from tests.unit.emulator.assembler import assemble
from tests.unit.emulator.kernels import HEADER
from tileir_xdsl import emulator

# The statements of a kernel that stores four words, what is before it, and what the words are.
BODIES: dict[str, tuple[str, str, list[int]]] = {
    "elements": (
        ".reg .v4 .b32 v; mov.b32 v.x, 1; mov.b32 v.y, 2; mov.b32 v.b, 3; add.u32 v.w, v.x, v.z;"
        "st.global.v4.b32 [%o], v;",
        "",
        [1, 2, 3, 4],
    ),
    "moves": (
        ".reg .v4 .b32 v, w; mov.v4.b32 v, {5, 6, 7, 8}; mov.v4.b32 w, v;"
        "mov.v4.b32 w, {w.w, w.z, w.y, w.x}; st.global.v4.b32 [%o], w;",
        "",
        [8, 7, 6, 5],
    ),
    "ranges": (
        ".reg .v2 .u32 v<3>; mov.v2.u32 v0, {1, 2}; mov.v2.u32 v2, {3, 4};"
        "st.global.v2.u32 [%o], v0; st.global.v2.u32 [%o + 8], v2;",
        "",
        [1, 2, 3, 4],
    ),
    "packing": (
        ".reg .v2 .b32 v; .reg .b64 %w; mov.v2.b32 v, {9, 10}; mov.b64 %w, v; st.global.b64 [%o], %w;"
        "mov.b64 v, %w; st.global.v2.b32 [%o + 8], {v.y, v.x};",
        "",
        [9, 10, 10, 9],
    ),
    "loads": (
        ".reg .v4 .b32 v; ld.global.v4.b32 v, [table + 16]; st.global.v4.b32 [%o], v;",
        ".global .v4 .b32 table[2] = {{1, 2, 3, 4}, {5, 6, 7, 8}};",
        [5, 6, 7, 8],
    ),
    "special registers": (
        ".reg .v4 .u32 v; mov.v4.u32 v, %ntid; mov.u32 v.w, %ctaid.w; st.global.v4.u32 [%o], v;",
        "",
        [1, 1, 1, 0],
    ),
    "scopes": (
        ".reg .v2 .b32 v; mov.v2.b32 v, {1, 2}; { .reg .v2 .b32 v; mov.v2.b32 v, {3, 4};"
        "st.global.v2.b32 [%o + 8], v; } st.global.v2.b32 [%o], v;",
        "",
        [1, 2, 3, 4],
    ),
    "an index": (
        ".reg .b32 %r<4>; .reg .b64 %t; ld.global.b32 %r0, table[2]; mov.u64 %t, table[1];"
        "ld.global.b32 %r1, [%t]; .shared .b64 s[4]; st.shared.b32 s[3], 77; ld.shared.b32 %r2, [s + 24];"
        "st.global.b32 [%o], %r0; st.global.b32 [%o + 4], %r1; st.global.b32 [%o + 8], %r2;",
        ".global .b32 table[4] = {10, 11, 12, 13};",
        [12, 11, 77, 0],
    ),
    "local variables": (
        ".local .align 16 .b32 l[8]; .reg .b32 %r<4>; .reg .b64 %t; st.local.b32 [l + 4 * 2], 5;"
        "mov.u64 %t, l + 8; ld.local.b32 %r0, [%t]; cvta.local.u64 %t, %t; ld.b32 %r1, [%t];"
        "st.global.b32 [%o], %r0; st.global.b32 [%o + 4], %r1;",
        "",
        [5, 5, 0, 0],
    ),
    "sums of registers and constants": (
        ".reg .b32 %r<3>; .reg .b16 %h<2>; mov.b32 %r0, 7 ; mov.b16 %h0, 65535;"
        "st.global.u32 [%o], %r0 + 1; mov.b16 %h1, %h0 + 3; cvt.u32.u16 %r1, %h1;"
        "st.global.u32 [%o + 4], %r1 + -1 + 4; add.s32 %r2, %r0 + (2 * 3), %r0 + 4294967295;"
        "st.global.u32 [%o + 8], %r2; add.s64 %o, %o + 4, 8; st.global.u32 [%o], %r0;",
        "",
        [8, 5, 19, 7],
    ),
    "elements by a register": (
        ".shared .b32 s[8]; .shared .v2 .b32 t[4]; .reg .b32 %r<4>; .reg .b64 %l; mov.b32 %r0, 2;"
        "st.shared.b32 s[3], 5; ld.shared.b32 %r1, s[%r0 + 1]; st.global.b32 [%o], %r1;"
        "mov.u64 %l, 0x100000003; ld.shared.b32 %r1, s[%l]; st.global.b32 [%o + 4], %r1;"
        "st.shared.v2.b32 t[%r0], {8, 9}; ld.shared.b32 %r2, [t + 20];"
        "st.global.b32 [%o + 8], %r2; mov.u64 %l, s[%r0]; ld.shared.b32 %r3, [%l + 4];"
        "st.global.b32 [%o + 12], %r3;",
        "",
        [5, 5, 9, 5],
    ),
    "constants beyond 64 bits": (
        ".reg .b64 %l<3>; mov.b64 %l0, 18446744073709551619; mov.b64 %l1, 0x1ffffffff00000005;"
        "st.global.b64 [%o], %l0; st.global.b64 [%o + 8], %l1;",
        "",
        [3, 0, 5, 0xFFFFFFFF],
    ),
    "qualifiers in another order": (
        ".reg .f32 %f<3>; .reg .b32 %r<2>; mov.f32 %f0, 3.0; mov.f32 %f1, 2.0;"
        "div.ftz.rn.f32 %f2, %f0, %f1; st.f32.global [%o], %f2; cvt.u32.rzi.f32 %r0, %f2;"
        "st.global.b32.relaxed.gpu [%o + 8], %r0; st.global.b32 [%o + 12], 4;"
        "atom.u32.add.global %r1, [%o + 4], 6;",
        "",
        [0x3FC00000, 6, 1, 4],
    ),
    "numbered variables": (
        ".shared .b32 s<3>; .reg .b32 %r; st.shared.b32 [s0], 1; st.shared.b32 [s2], 3;"
        "ld.shared.b32 %r, [s2]; st.global.b32 [%o], %r;",
        "",
        [3, 0, 0, 0],
    ),
    "an alias": (
        ".reg .b32 %r; call (%r), g, (41); st.global.b32 [%o], %r;",
        ".visible .func (.reg .b32 r) f(.reg .b32 a) { add.u32 r, a, 1; ret; }"
        ".visible .func (.reg .b32 r) g(.reg .b32 a); .alias g, f;",
        [42, 0, 0, 0],
    ),
    "a weak function": (
        ".reg .b32 %r; call.uni (%r), f, (41); st.global.b32 [%o], %r;",
        ".weak .func (.reg .b32 r) f(.reg .b32 a) { add.u32 r, a, 2; ret; }",
        [43, 0, 0, 0],
    ),
}


def kernel(body: str, before: str) -> str:
    return (
        f"{HEADER}{before}\n.visible .entry k(.param .u64 out) {{ .reg .b64 %o; "
        f"ld.param.u64 %o, [out];\n{body}\nret; }}"
    )


@pytest.mark.parametrize("name", BODIES)
def test_what_is_stored(name: str, tmp_path: Path):
    body, before, expected = BODIES[name]
    out = np.zeros(4, np.uint32)
    emulator.load(kernel(body, before)).launch(None, (1, 1, 1), [out], block=(1, 1, 1))
    assert list(out) == expected
    assert assemble(kernel(body, before), "sm_90", tmp_path) == ""


def test_bytes_of_an_address():
    """A mask selects one byte of an address in an initialiser."""
    before = (
        ".global .b32 g[4]; .global .u8 low = 0xff(g + 4); .global .u8 third = 0xff0000(g);"
        ".global .u64 whole = g;"
    )
    body = (
        ".reg .b32 %r<3>; .reg .b64 %w; ld.global.u8 %r0, [low]; ld.global.u8 %r1, [third];"
        "ld.global.u64 %w, [whole]; st.global.u64 [%o], %w; st.global.v2.b32 [%o + 8], {%r0, %r1};"
    )
    out = np.zeros(4, np.uint32)
    emulator.load(kernel(body, before)).launch(None, (1, 1, 1), [out], block=(1, 1, 1))
    address = int(out[:2].view(np.uint64)[0])
    assert out[2] == (address + 4) & 0xFF
    assert out[3] == address >> 16 & 0xFF


@pytest.mark.parametrize(
    ("declaration", "body", "message"),
    [
        (
            ".func (.reg .b32 r) f(.reg .b32 a) { call (r), f, (a); ret; }",
            ".reg .b32 %r; call (%r), f, (1);",
            "function 'f' is recursive, which is not supported",
        ),
        (
            ".func f() { ret; }",
            ".reg .b64 %t; mov.u64 %t, f;",
            "the address of function 'f': indirect calls are not supported",
        ),
        (
            ".func f() { ret; }",
            "p: .callprototype _ ();",
            "indirect calls are not supported",
        ),
    ],
)
def test_calls_that_are_refused(declaration: str, body: str, message: str):
    with pytest.raises(emulator.EmulatorError) as caught:
        emulator.load(kernel(body, declaration))
    assert caught.value.message == message
    assert caught.value.line is not None
