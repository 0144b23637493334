"""Products of a warpgroup: random matrices in shared memory, or A in registers."""

from collections.abc import Iterator, Mapping

import numpy as np

from tests.unit.backend.ptx.instruction_values.value import (
    Loaded,
    Stored,
    Value,
    fetch,
    no_value,
)
from tests.unit.emulator.instructions.cases import Array
from tests.unit.emulator.instructions.fragments import DTYPES, bits_of, packed, random_matrix

COLUMNS = tuple(range(8, 257, 8))
INTEGER_COLUMNS = (8, 16, 24, *range(32, 257, 16))

_ROW_BYTES = 32
"""How much of a row of A, or of a column of B, one instruction takes."""
_CORES = 128 >> 4 << 16 | 256 >> 4 << 32
"""Matrices without swizzling: cores of 8 rows of 16 bytes, two along k, then the next 8 rows."""


def _image(matrix: Array, type_: str) -> Array:
    """The bytes of rows along k, as cores."""
    octets = np.ascontiguousarray(packed(matrix, type_)).view(np.uint8)
    cores = octets.reshape(-1, 8, _ROW_BYTES // 16, 16).swapaxes(1, 2)
    return np.ascontiguousarray(cores).ravel()


def _of_threads(d: Array) -> Array:
    """`[128, n / 2]`: the elements of the accumulator `[64, n]` that each thread holds."""
    thread, element = np.arange(128)[:, None], np.arange(d.shape[1] // 2)[None]
    warp, lane = thread // 32, thread % 32
    rows = 16 * warp + lane // 4 + element // 2 % 2 * 8
    return d[rows, element // 4 * 8 + lane % 4 * 2 + element % 2]


def _registers(a: Array, type_: str) -> Array:
    """`[128, 4]`: the registers of A that each thread holds, as for mma.sync."""
    words = np.ascontiguousarray(packed(a, type_)).view(np.uint32)
    thread, register = np.arange(128)[:, None], np.arange(4)[None]
    warp, lane = thread // 32, thread % 32
    return words[16 * warp + lane // 4 + register % 2 * 8, lane % 4 + register // 2 * 4]


_COMMIT = "nvvm.wgmma.commit.group.sync.aligned\n"
_WAIT = "nvvm.wgmma.wait.group.sync.aligned "


def _value(d: str, a: str, b: str, n: int, *, groups: int = 1) -> tuple[str, Value]:
    """The narrowest adds to the accumulator; the next one has A in registers, and negates it.

    With two groups another product is still pending when the result is used.
    """
    k = _ROW_BYTES * 8 // bits_of(a)
    left, right = random_matrix(a, (64, k), n), random_matrix(b, (n, k), n + 1)
    start = random_matrix(d, (64, n), n + 2) if n == 8 else np.zeros((64, n), DTYPES[d])
    in_registers = n == 16
    negated = in_registers and d != "s32"
    total = left.astype(np.float64) @ right.T.astype(np.float64) * (-1 if negated else 1)
    expected = (total + start.astype(np.float64)).astype(DTYPES[d])
    images = [_image(right, b)] if in_registers else [_image(left, a), _image(right, b)]
    image = np.concatenate(images)
    element = "f32" if d == "f32" else "i32"
    count = n // 4 if d == "f16" else n // 2
    struct = f"!llvm.struct<({', '.join([element] * count)})>"
    first_b = 0 if in_registers else 64 * _ROW_BYTES
    operands = "A[%a0, %a1, %a2, %a3], %second, %c" if in_registers else "%first_, %second, %c"
    dot = f"""nvvm.wgmma.mma_async{".register" if in_registers else ""} {operands},
  <m = 64, n = {n}, k = {k}>, D[<{d}>, <{"one" if n == 8 else "zero"}>],
  A[<{a}>, <{"neg" if negated else "one"}>, <row>], B[<{b}>, <one>, <col>] : {struct} -> {struct}"""
    ops = f"""{fetch(image.size)}
%address = llvm.ptrtoint %smem : !llvm.ptr<3> to i32
%start = llvm.lshr %address, %c4_i32 : i32
%wide = llvm.zext %start : i32 to i64
%cores = llvm.mlir.constant({_CORES} : i64) : i64
%first_ = llvm.add %wide, %cores : i64
%behind = llvm.mlir.constant({first_b >> 4} : i64) : i64
%second = llvm.add %first_, %behind : i64
{"" if n == 8 else f"%c = llvm.mlir.undef : {struct}"}
nvvm.wgmma.fence.aligned
%d = {dot}
{_COMMIT}{"" if groups == 1 else f"%more = {dot}{chr(10)}{_COMMIT}"}{_WAIT}{groups - 1}"""
    loads: dict[str, Loaded] = {}
    if in_registers:
        loads["a"] = Loaded("i32", _registers(left, a), 4)
    if n == 8:
        loads["c"] = Loaded(struct, _of_threads(start))
    value = Value(
        ops,
        lambda _: {"d": _of_threads(expected)},
        loads=loads,
        stores={"d": Stored(struct, np.zeros((128, n // 2), DTYPES[d]))},
        memory={"image": image},
        threads=128,
        late=True,
    )
    counted = ".and.popc" if a == "b1" else ""
    return f"wgmma.mma_async.sync.aligned.m64n{n}k{k}.{d}.{a}.{b}{counted}", value


_FLOATS = (
    *(("f16", "f16", "f16"), ("f32", "f16", "f16"), ("f32", "bf16", "bf16")),
    ("f32", "tf32", "tf32"),
    *((d, a, b) for d in ("f16", "f32") for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2")),
)
_INTEGERS = (("s32", "b1", "b1"), *(("s32", a, b) for a in ("s8", "u8") for b in ("s8", "u8")))


def _dots() -> Iterator[tuple[str, Value]]:
    yield from (_value(*types, n) for types in _FLOATS for n in COLUMNS)
    yield from (_value(*types, n) for types in _INTEGERS for n in INTEGER_COLUMNS)


VALUES: Mapping[str, Value] = {
    **dict(_dots()),
    "wgmma.fence.sync.aligned;": no_value("nvvm.wgmma.fence.aligned", threads=128),
    "wgmma.commit_group.sync.aligned;": _value("f32", "f16", "f16", 32)[1],
    "wgmma.wait_group.sync.aligned 1;": _value("f32", "f16", "f16", 32, groups=2)[1],
}
