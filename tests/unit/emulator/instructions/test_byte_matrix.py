"""Copies of matrices of bytes against the fragment tables of the manual."""

import itertools

import numpy as np
import pytest

from tests.unit.emulator.instructions.cases import Array
from tileir_xdsl import emulator

_LOADS = [
    *((f"m8n16.x{n}.shared.b8x16.{kind}", n) for n in (1, 2, 4) for kind in ("b6x16_p32",)),
    *((f"m8n16.x{n}.shared::cta.b8x16.{kind}", n) for n in (1, 2, 4) for kind in ("b4x16_p64",)),
    *(
        (f"m16n16.x{n}.trans.shared.{kind}", 2 * n)
        for n in (1, 2)
        for kind in ("b8", "b8x16.b6x16_p32", "b8x16.b4x16_p64")
    ),
]
_STORES = [(f"m16n8.x{n}.trans.shared.b8", n) for n in (1, 2, 4)]


def kernel(body: str) -> str:
    """One warp with 32 rows of 16 bytes; lane l owns row l, and `%s` is its address.

    `%w` of four words are loaded from the row before `body`, and stored after it.
    """
    return f""".version 8.6
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) .reqntid 32
{{
  .shared .align 16 .b8 buffer[512];
  .reg .b64 %a, %o; .reg .b32 %i, %s, %w<4>;
  mov.u32 %i, %tid.x; mov.u32 %s, buffer; mad.lo.u32 %s, %i, 16, %s;
  ld.param.u64 %a, [in]; mad.wide.u32 %a, %i, 16, %a;
  ld.param.u64 %o, [out]; mad.wide.u32 %o, %i, 16, %o;
  ld.global.v4.b32 {{%w0, %w1, %w2, %w3}}, [%a];
  {body}
  st.global.v4.b32 [%o], {{%w0, %w1, %w2, %w3}};
  ret;
}}
"""


def load_kernel(form: str, registers: int) -> str:
    vector = ", ".join(f"%w{i}" for i in range(registers))
    return kernel(
        "st.shared.v4.b32 [%s], {%w0, %w1, %w2, %w3}; bar.warp.sync -1;\n"
        f"  ldmatrix.sync.aligned.{form} {{{vector}}}, [%s];"
    )


def store_kernel(form: str, registers: int) -> str:
    vector = ", ".join(f"%w{i}" for i in range(registers))
    return kernel(
        f"stmatrix.sync.aligned.{form} [%s], {{{vector}}}; bar.warp.sync -1;\n"
        "  ld.shared.v4.b32 {%w0, %w1, %w2, %w3}, [%s];"
    )


def built_kernels() -> list[str]:
    return [
        *(load_kernel(form, registers) for form, registers in _LOADS),
        *(store_kernel(form, registers) for form, registers in _STORES),
    ]


def run(text: str) -> tuple[Array, Array]:
    """The rows of bytes that the lanes begin with, and those that they end with."""
    data = np.random.default_rng(len(text)).integers(0, 256, (32, 16)).astype(np.uint8)
    out = np.zeros_like(data)
    emulator.load(text).launch("k", (1, 1, 1), [data, out])
    return data, out


def element(row: Array, column: int, form: str) -> int:
    """The byte that stands for an element of a row."""
    if "p32" in form:
        return int.from_bytes(row[:12].tobytes(), "little") >> 6 * column & 0x3F
    if "p64" in form:
        return (int.from_bytes(row[:8].tobytes(), "little") >> 4 * column & 0xF) << 2
    return int(row[column])


def loaded(data: Array, form: str, registers: int) -> Array:
    """The bytes that lanes get, `[32, 4 * registers]`, from rows `[32, 16]` of the lanes."""
    out = np.zeros((32, 4 * registers), np.uint8)
    for lane, register, byte in itertools.product(range(32), range(registers), range(4)):
        group, thread = divmod(lane, 4)
        if "trans" in form:
            row = 16 * (register // 2) + 4 * thread + byte
            column = group + 8 * (register % 2)
        else:
            row, column = 8 * register + group, 4 * thread + byte
        out[lane, 4 * register + byte] = element(data[row], column, form)
    return out


def stored(data: Array, registers: int) -> Array:
    """The rows that lanes store, `[8 * registers, 16]`, from their bytes."""
    rows = np.zeros((8 * registers, 16), np.uint8)
    for lane, register, byte in itertools.product(range(32), range(registers), range(4)):
        group, thread = divmod(lane, 4)
        row, column = 8 * register + 2 * thread + byte % 2, group + 8 * (byte // 2)
        rows[row, column] = data[lane, 4 * register + byte]
    return rows


@pytest.mark.parametrize(("form", "registers"), _LOADS)
def test_load(form: str, registers: int):
    data, out = run(load_kernel(form, registers))
    np.testing.assert_array_equal(out[:, : 4 * registers], loaded(data, form, registers))


@pytest.mark.parametrize(("form", "registers"), _STORES)
def test_store(form: str, registers: int):
    data, out = run(store_kernel(form, registers))
    np.testing.assert_array_equal(out[: 8 * registers], stored(data, registers))


@pytest.mark.parametrize(("form", "registers"), [*_LOADS, *_STORES])
def test_the_rows_of_used_lanes_alone_are_checked(form: str, registers: int):
    text = (store_kernel if (form, registers) in _STORES else load_kernel)(form, registers)
    before = text.replace(".reg .b64 %a", ".reg .pred %p; .reg .b64 %a")
    access = "stmatrix" if (form, registers) in _STORES else "ldmatrix"

    def misplaced(lane: int) -> str:
        moved = f"setp.eq.u32 %p, %i, {lane};\n  @%p add.u32 %s, %s, 4;\n  {access}"
        return before.replace(f"{access}.sync", f"{moved}.sync")

    used = 8 * registers
    with pytest.raises(emulator.EmulatorError, match="misaligned 16-byte"):
        run(misplaced(used - 1))
    if used < 32 and access == "ldmatrix":
        run(misplaced(used))
