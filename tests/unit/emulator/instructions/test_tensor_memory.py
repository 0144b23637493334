"""Tensor memory: allocation, and which cell each register of each lane is loaded from."""

from collections.abc import Callable

import numpy as np
import pytest

from tests.unit.emulator.instructions.cases import Array
from tileir_xdsl import emulator

HEADER = ".version 8.8\n.target sm_100a\n.address_size 64\n"
_GROUP = "cta_group::1.sync.aligned"
ALLOCATE = f"tcgen05.alloc.{_GROUP}.shared::cta.b32"
FREE = f"tcgen05.dealloc.{_GROUP}.b32"
CLOSE = f"tcgen05.relinquish_alloc_permit.{_GROUP};"
COLUMNS = 64


def vector(name: str, count: int) -> str:
    return "{" + ", ".join(f"%{name}{i}" for i in range(count)) + "}"


def kernel(body: str, registers: int = 1, *, threads: int = 128, filled: bool = True) -> str:
    """Lane l and column c hold `1000 l + c` before the body; each thread stores `%v0` and on.

    `%t` is the address of the first lane of the warp, `%w` the warp and `%p` whether it is the
    first one.
    """
    fill = "\n".join(
        f"mad.lo.u32 %x, %i, 1000, {column}; tcgen05.st.sync.aligned.32x32b.x1.b32 [%t+{column}], {{%x}};"
        for column in range(COLUMNS)
    )
    stores = "\n".join(f"st.global.b32 [%o+{4 * i}], %v{i};" for i in range(registers))
    return f"""{HEADER}
.visible .entry k(.param .u64 out) .reqntid {threads}
{{
  .shared .align 4 .b8 word[8];
  .reg .pred %p, %q; .reg .b64 %o; .reg .b32 %i, %w, %t, %x, %y, %v<{max(registers, COLUMNS)}>;
  mov.u32 %i, %tid.x; shr.u32 %w, %i, 5; setp.eq.u32 %p, %w, 0;
  @%p {ALLOCATE} [word], {COLUMNS};
  bar.sync 0;
  ld.shared.u32 %t, [word]; and.b32 %x, %w, 3; shl.b32 %x, %x, 21; add.u32 %t, %t, %x;
  {fill if filled else ""}
  tcgen05.wait::st.sync.aligned;
  {body}
  ld.param.u64 %o, [out]; mad.wide.u32 %o, %i, {4 * registers}, %o;
  {stores}
  bar.sync 0;
  ld.shared.u32 %t, [word];
  @%p {CLOSE}
  @%p {FREE} %t, {COLUMNS};
  ret;
}}
"""


# The lane within a warp and the column of register j of thread t.
Place = Callable[[int, int], tuple[int, int]]
LOCATIONS: dict[str, tuple[int, Place]] = {
    "32x32b": (1, lambda t, j: (t, j)),
    "16x32bx2": (1, lambda t, j: (t % 16, j + 5 * (t // 16))),
    "16x64b": (1, lambda t, j: (t // 4 + 8 * (t % 2), 2 * j + t // 2 % 2)),
    "16x128b": (2, lambda t, j: (t // 4 + 8 * (j % 2), 4 * (j // 2) + t % 4)),
    "16x256b": (4, lambda t, j: (t // 4 + 8 * (j // 2 % 2), 8 * (j // 4) + 2 * (t % 4) + j % 2)),
}
# Shape, repetitions, first lane of the warp's, first column, whether halves are packed.
ACCESSES: tuple[tuple[str, int, int, int, bool], ...] = (
    *((shape, count, 0, 0, False) for shape in LOCATIONS for count in (1, 4)),
    *((shape, 2, 16 * (shape != "32x32b"), 3, False) for shape in LOCATIONS),
    *((shape, 2, 0, 4, True) for shape in LOCATIONS),
    ("32x32b", 64, 0, 0, False),
)


def place(shape: str, thread: int, j: int, packed: bool) -> tuple[int, int]:
    lane, column = LOCATIONS[shape][1](thread % 32, j)
    if not packed:
        return lane, column
    # The upper half of a warp is five words further, which are not packed.
    extra = 5 * (thread % 32 // 16) if shape == "16x32bx2" else 0
    return lane, 2 * (column - extra) + extra


def access_kernel(shape: str, count: int, lane: int, column: int, packed: bool, load: bool) -> str:
    registers = LOCATIONS[shape][0] * count
    added, values = (lane << 16) + column, vector("v", registers)
    split = ", 5" if shape == "16x32bx2" else ""
    address = f"[%t+{added}]"
    if load:
        suffix = ".pack::16b" if packed else ""
        body = f"tcgen05.ld.sync.aligned.{shape}.x{count}{suffix}.b32 {values}, {address}{split};"
        return kernel(f"{body} tcgen05.wait::ld.sync.aligned;", registers)
    suffix = ".unpack::16b" if packed else ""
    numbers = " ".join(
        f"mad.lo.u32 %v{j}, %i, {registers}, {j + 0x70007};" for j in range(registers)
    )
    body = f"tcgen05.st.sync.aligned.{shape}.x{count}{suffix}.b32 {address}{split}, {values};"
    dump = f"tcgen05.ld.sync.aligned.32x32b.x{COLUMNS}.b32 {vector('v', COLUMNS)}, [%t];"
    waits = "tcgen05.wait::st.sync.aligned;", "tcgen05.wait::ld.sync.aligned;"
    return kernel(f"{numbers} {body} {waits[0]} {dump} {waits[1]}", COLUMNS)


def run(text: str, registers: int, *, late: bool = False) -> Array:
    out = np.zeros((128, registers), np.uint32)
    emulator.load(text).launch("k", (1, 1, 1), [out], late=late, warp_seed=1 if late else None)
    return out


@pytest.mark.one_in(3)
@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("access", ACCESSES, ids=str)
def test_load(access: tuple[str, int, int, int, bool], late: bool):
    shape, count, first, column, packed = access
    registers = LOCATIONS[shape][0] * count
    expected = np.zeros((128, registers), np.uint32)
    for thread, j in np.ndindex(expected.shape):
        lane, offset = place(shape, thread, j, packed)
        word = 1000 * (thread // 32 * 32 + first + lane) + column + offset
        expected[thread, j] = word & 0xFFFF | (word + 1 & 0xFFFF) << 16 if packed else word
    found = run(access_kernel(*access, load=True), registers, late=late)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("access", ACCESSES, ids=str)
def test_store(access: tuple[str, int, int, int, bool], late: bool):
    shape, count, first, column, packed = access
    registers = LOCATIONS[shape][0] * count
    expected = 1000 * np.arange(128)[:, None] + np.arange(COLUMNS)
    for thread, j in np.ndindex(128, registers):
        lane, offset = place(shape, thread, j, packed)
        lane += thread // 32 * 32 + first
        word = thread * registers + j + 0x70007
        expected[lane, column + offset] = word & 0xFFFF if packed else word
        if packed:
            expected[lane, column + offset + 1] = word >> 16
    found = run(access_kernel(*access, load=False), COLUMNS, late=late)
    np.testing.assert_array_equal(found, expected)


def test_a_load_without_its_wait_comes_too_late():
    text = access_kernel("32x32b", 1, 0, 0, packed=False, load=True)
    text = text.replace("tcgen05.wait::ld.sync.aligned;", "")
    assert (run(text, 1)[:, 0] == 1000 * np.arange(128)).all()
    with pytest.raises(emulator.EmulatorError, match="column 0 of tensor memory is not allocated"):
        run(text, 1, late=True)


# Allocations by the first warp before its own: which addresses they get.
_ANOTHER = f"@%p {ALLOCATE} [word+4], {{}}; bar.sync 0; ld.shared.u32 %v0, [word+4];"
_FREE_IT = f"@%p {FREE} %v0, {{}};"
ALLOCATIONS = {
    _ANOTHER.format(32) + _FREE_IT.format(32): 64,
    _ANOTHER.format(128) + _FREE_IT.format(128): 128,
    "mov.u32 %y, 256;" + _ANOTHER.format("%y") + _FREE_IT.format("%y"): 256,
    _ANOTHER.format(64) + _FREE_IT.format(64) + _ANOTHER.format(64) + _FREE_IT.format(64): 64,
}


@pytest.mark.parametrize("body", ALLOCATIONS)
def test_allocation(body: str):
    assert (run(kernel(body, filled=False), 1) == ALLOCATIONS[body]).all()


def built_kernels() -> list[str]:
    texts = [access_kernel(*access, load=load) for access in ACCESSES for load in (True, False)]
    return texts + [kernel(body, filled=False) for body in ALLOCATIONS]


_LOAD = "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%v0}, "
FAULTS: dict[str, str] = {
    _ANOTHER.format(48): "48 columns of tensor memory cannot be allocated, only powers of two",
    _ANOTHER.format(16): "16 columns of tensor memory cannot be allocated, only powers of two",
    _ANOTHER.format(
        512
    ): "64 columns of tensor memory are in use, and no aligned 512 columns are free",
    f"@%p {CLOSE} bar.sync 0;" + _ANOTHER.format(32): "has given up the right to allocate",
    _FREE_IT.format(32): "32 columns at 0x",
    f"@%p {FREE} %t, 32;": "32 columns at 0x0 are not one whole allocation of tensor memory",
    f"{_LOAD}[%t+64];": "column 64 of tensor memory is not allocated",
    # The second of two packed columns.
    f"{_LOAD.replace('x1', 'x1.pack::16b')}[%t+63];": "column 64 of tensor memory is not allocated",
    f"{_LOAD}[%t+600];": "is outside of tensor memory",
    f"{_LOAD}[%t+0x200000];": "a warp has lanes 0 to 31 of tensor memory, it cannot begin at lane",
    f"{_LOAD}[%t+0x100000];": "it cannot begin at lane 16",
    f"add.u32 %t, %t, %i; {_LOAD}[%t];": "the threads of a warp have different addresses",
    f"@%p bra OVER; exit; OVER: {CLOSE} exit;": "its 64 columns of tensor memory",
}


@pytest.mark.parametrize("body", FAULTS)
def test_fault(body: str):
    with pytest.raises(emulator.EmulatorError) as raised:
        run(kernel(f"mov.u32 %v0, 7; {body}", filled=False), 1)
    assert FAULTS[body] in raised.value.message
    assert raised.value.location is not None
