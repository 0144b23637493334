"""Matrix instructions of a warp (PTX ISA, "Warp-Level Matrix Instructions").

Index tables describe fragments: which element of which lane holds each matrix element. A dot is
computed in double precision and rounded once; the order and the internal precision of the hardware
are not modelled.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import ml_dtypes
import numpy as np

from tileir_xdsl.emulator import numerics
from tileir_xdsl.emulator.block_builder import BlockBuilder
from tileir_xdsl.emulator.errors import WARP_SIZE
from tileir_xdsl.emulator.groups import ThreadGroup
from tileir_xdsl.emulator.instructions.data_movement import memory_space
from tileir_xdsl.emulator.instructions.form import Collective, Form
from tileir_xdsl.emulator.instructions.match import Match
from tileir_xdsl.emulator.instructions.warp import by_warp
from tileir_xdsl.emulator.state_spaces import InstructionAccess
from tileir_xdsl.emulator.types import TYPES, Array, Mask, ScalarType, bits_type

_ROWS = 8
_LANES = np.arange(WARP_SIZE)


# ldmatrix, stmatrix, movmatrix: matrices of 8 rows of 16 bytes


def row_lanes(group: ThreadGroup, count: int) -> Mask:
    """The active lanes whose addresses count: one for each row of the matrices."""
    used = np.broadcast_to(np.tile(count > _LANES, group.shape[1] // WARP_SIZE), group.shape)
    return used if group.mask is None else used & group.mask


def _load_matrices(
    group: ThreadGroup,
    address: Array,
    offset: int,
    access: InstructionAccess,
    count: int,
    transposed: bool,
) -> list[Array]:
    """Loads one register per matrix: lane `4r + c` gets elements `2c` and `2c + 1` of row `r`."""
    shape = group.shape
    address = np.broadcast_to(address, shape)
    rows = group.memory.load(group, address, offset, row_lanes(group, _ROWS * count), access)
    matrices = rows.reshape(shape[0], -1, WARP_SIZE // _ROWS, _ROWS, _ROWS)
    if transposed:
        matrices = matrices.swapaxes(-1, -2)
    words = np.ascontiguousarray(matrices).view(np.uint32)
    return [words[:, :, index].reshape(shape) for index in range(count)]


def _store_matrices(
    group: ThreadGroup,
    address: Array,
    offset: int,
    registers: tuple[Array, ...],
    access: InstructionAccess,
    transposed: bool,
) -> None:
    shape, count = group.shape, len(registers)
    words = np.zeros((shape[0], shape[1] // WARP_SIZE, WARP_SIZE // _ROWS, WARP_SIZE), np.uint32)
    for index, register in enumerate(registers):
        words[:, :, index] = by_warp(group, register)
    matrices = words.view(np.uint16).reshape(*words.shape[:3], _ROWS, _ROWS)
    if transposed:
        matrices = matrices.swapaxes(-1, -2)
    rows = matrices.reshape(*shape, _ROWS)
    values = tuple(rows[..., column] for column in range(_ROWS))
    address = np.broadcast_to(address, shape)
    group.memory.store(group, address, offset, values, row_lanes(group, _ROWS * count), access)


def _transpose_matrix(group: ThreadGroup, register: Array) -> Array:
    words = np.ascontiguousarray(by_warp(group, register))
    matrices = words.view(np.uint16).reshape(*words.shape[:2], _ROWS, _ROWS)
    transposed = np.ascontiguousarray(matrices.swapaxes(-1, -2))
    return transposed.view(np.uint32).reshape(group.shape)


def _emit_load_matrices(builder: BlockBuilder, match: Match) -> None:
    count = int(match["count"][1:])
    space = memory_space(match)
    access = InstructionAccess(space, np.dtype(np.uint16), _ROWS, "read")
    base, offset = builder.address(match.operands["p"], space)
    function = partial(
        _load_matrices, offset=offset, access=access, count=count, transposed=match.has("trans")
    )
    builder.line(f"r = {builder.bind(function)}(group, {base})")
    for index, destination in enumerate(builder.elements(match.operands["r"], count)):
        builder.assign(destination, TYPES["b32"], f"r[{index}]")


def _emit_store_matrices(builder: BlockBuilder, match: Match) -> None:
    count = int(match["count"][1:])
    space = memory_space(match)
    access = InstructionAccess(space, np.dtype(np.uint16), _ROWS, "write")
    base, offset = builder.address(match.operands["p"], space)
    sources = builder.elements(match.operands["r"], count)
    registers = ", ".join(builder.source(source, TYPES["b32"]) for source in sources)
    function = partial(_store_matrices, offset=offset, access=access, transposed=match.has("trans"))
    builder.line(f"{builder.bind(function)}(group, {base}, registers=({registers},))")


def _emit_transpose_matrix(builder: BlockBuilder, match: Match) -> None:
    source = builder.source(match.operands["a"], TYPES["b32"])
    call = f"{builder.bind(_transpose_matrix)}(group, {source})"
    builder.assign(match.operands["d"], TYPES["b32"], call)


# mma: fragments of the operands and of the accumulator


_NARROW_BITS = {"s4": 4, "u4": 4, "b1": 1}


@dataclass(frozen=True)
class Element:
    """The layout of an operand type in registers: `per_register` elements in each.

    Arrays hold elements as `dtype`, which may be wider.
    """

    name: str
    dtype: np.dtype[Any]
    register: ScalarType
    per_register: int

    @property
    def bits(self) -> int:
        """The width of an element in a register, in bits."""
        return 8 * self.register.dtype.itemsize // self.per_register

    def unpack(self, words: Array) -> Array:
        """Unpacks words or bytes into elements, along the last axis."""
        if self.name not in _NARROW_BITS:
            return words.view(self.dtype)
        elements = _elements_of_bytes(self.name)[words.view(np.uint8)]
        return elements.reshape(*elements.shape[:-2], -1)


@cache
def _elements_of_bytes(name: str) -> Array:
    """The elements of 4 bits or 1 bit in each byte value, lowest bits first, `[256, 2 or 8]`."""
    bits = _NARROW_BITS[name]
    raw = np.arange(256)[:, None] >> np.arange(0, 8, bits) & ((1 << bits) - 1)
    signed = (raw ^ 8) - 8 if name == "s4" else raw
    return signed.astype(element_of(name).dtype)


def element_of(name: str) -> Element:
    """The layout in registers of an element type of `mma`."""
    if name == "f64":
        return Element(name, np.dtype(np.float64), TYPES["f64"], 1)
    dtypes: dict[str, Any] = {
        "f16": np.float16,
        "bf16": ml_dtypes.bfloat16,
        "tf32": np.float32,
        "f32": np.float32,
        "s32": np.int32,
        "s8": np.int8,
        "u8": np.uint8,
        "s4": np.int8,
        "u4": np.uint8,
        "b1": np.uint8,
        "e4m3": ml_dtypes.float8_e4m3fn,
        "e5m2": ml_dtypes.float8_e5m2,
    }
    dtype = np.dtype(dtypes[name])
    bits = _NARROW_BITS.get(name, 8 * dtype.itemsize)
    return Element(name, dtype, TYPES["b32"], 32 // bits)


@dataclass(frozen=True)
class Fragments:
    """Index tables for the fragments of an mma of shape `m x n x k`.

    `a` (`[m, k]`), `b` (`[k, n]`) and `c` (`[m, n]`) give the index of each matrix element among
    the elements of all lanes, lane by lane. `d` (`[32, elements]`) gives the row-major index of
    each element of each lane.
    """

    a: Array
    b: Array
    c: Array
    d: Array


@cache
def fragments(m: int, n: int, k: int, packed: int) -> Fragments:
    """Builds the tables for operands with `packed` elements in each register.

    In register `i`, lane `4g + t` holds row `g + 8 (i mod m/8)` of A, columns from `packed (t + 4
    (i div m/8))` on. Of B, register `i` holds column `g`, rows from `packed (t + 4i)` on. Element
    `e` of the accumulator is in row `g + 8 (e div 2)` and column `2t + e mod 2`.
    """
    lane = _LANES[:, None]
    group, thread = lane // 4, lane % 4

    def inverse(rows: Array, columns: Array, width: int) -> Array:
        linear = (rows * width + columns).ravel()
        table = np.empty(linear.size, np.int64)
        table[linear] = np.arange(linear.size)
        return table.reshape(-1, width)

    element = np.arange(m * k // WARP_SIZE)
    register, part = element // packed, element % packed
    tall = m // 8
    a = inverse(group + 8 * (register % tall), packed * (thread + 4 * (register // tall)) + part, k)
    element = np.arange(k * n // WARP_SIZE)
    register, part = element // packed, element % packed
    b = inverse(packed * (thread + 4 * register) + part, group + 0 * register, n)
    element = np.arange(m * n // WARP_SIZE)
    rows, columns = group + 8 * (element // 2), 2 * thread + element % 2
    return Fragments(a, b, inverse(rows, columns, n), rows * n + columns)


def gather(
    group: ThreadGroup, registers: tuple[Array, ...], element: Element, table: Array
) -> Array:
    """Collects a matrix from the registers of all lanes, `[blocks, warps, rows, columns]`."""
    stacked = np.stack([by_warp(group, register) for register in registers], axis=-1)
    elements = element.unpack(stacked)
    return elements.reshape(*elements.shape[:2], -1).take(table, axis=-1)


def _mma(match: Match) -> Callable[..., list[Array]]:
    m, n, k = (int(extent) for extent in re.findall(r"\d+", match["shape"]))
    first, second = element_of(match["a"]), element_of(match["b"])
    result, addend = element_of(match["d"]), element_of(match["c"])
    tables = fragments(m, n, k, first.per_register)
    saturate = match.has("satfinite")
    matmul = count_ones if match["bits"] == "xor" else np.matmul

    def mma(
        group: ThreadGroup, a: tuple[Array, ...], b: tuple[Array, ...], c: tuple[Array, ...]
    ) -> list[Array]:
        left = gather(group, a, first, tables.a)
        right = gather(group, b, second, tables.b)
        if match["a"] == "tf32":
            left, right = truncate_to_tf32(left), truncate_to_tf32(right)
        group.memory.work.mma_bits += operand_bits(a) * group.lanes * n
        start = gather(group, c, addend, tables.c).astype(np.float64)
        total = matmul(left.astype(np.float64), right.astype(np.float64)) + start
        rounded = round_result(total, result.dtype, saturate)
        # [blocks, warps, 32, elements] of the result, then one array per register.
        lanes = rounded.reshape(*total.shape[:2], -1).take(tables.d, axis=-1)
        words = lanes.view(result.register.dtype)
        return [words[..., i].reshape(group.shape) for i in range(words.shape[-1])]

    return mma


def operand_bits(registers: Sequence[Array]) -> int:
    """The width of a lane's part of an operand, in bits."""
    return sum(8 * register.dtype.itemsize for register in registers)


def count_ones(left: Array, right: Array) -> Array:
    """The mma of bit matrices with `xor`: counts the ones of `a xor b`."""
    return np.matmul(left, 1 - right) + np.matmul(1 - left, right)


def round_result(total: Array, dtype: np.dtype[Any], saturate: bool) -> Array:
    """Rounds double-precision sums to the result type; integers wrap unless they `saturate`."""
    if dtype.kind != "i":
        return numerics.narrow(total, dtype)
    limits = np.iinfo(dtype)
    if saturate:
        total = np.clip(total, limits.min, limits.max)
    return total.astype(np.int64).astype(dtype)


def truncate_to_tf32(x: Array) -> Array:
    """Clears the low bits of singles, which a tf32 mma ignores."""
    return (x.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)


def _emit_mma(builder: BlockBuilder, match: Match) -> None:
    if match["d"] != match["c"]:
        raise match.fail(
            f"D and C must have the same type, but have .{match['d']} and .{match['c']}"
        )
    m, n, k = (int(extent) for extent in re.findall(r"\d+", match["shape"]))
    sizes = {"d": m * n, "a": m * k, "b": k * n, "c": m * n}
    counts = {
        name: size // WARP_SIZE // element_of(match[name]).per_register
        for name, size in sizes.items()
    }

    def registers(name: str) -> str:
        type_ = register_type(match[name])
        operands = builder.elements(match.operands[name], counts[name])
        # Read as bits: the stack of registers is seen as elements afterwards.
        return "".join(f"{builder.source(operand, type_)}, " for operand in operands)

    function = builder.bind(_mma(match))
    call = ", ".join(f"({registers(name)})" for name in ("a", "b", "c"))
    builder.line(f"r = {function}(group, {call})")
    for index, destination in enumerate(builder.elements(match.operands["d"], counts["d"])):
        type_ = register_type(match["d"])
        builder.assign(destination, type_, f"r[{index}].view({builder.bind(type_.dtype)})")


def register_type(name: str) -> ScalarType:
    """The register type of a fragment of the named element type."""
    return TYPES[name] if name in ("f32", "f64", "s32") else bits_type(32)


_SHAPES = "mma.sync.aligned.<shape:{}>.row.col"

FORMS: tuple[Form, ...] = (
    Form(
        "ldmatrix.sync.aligned.m8n8.<count:x1|x2|x4>{.trans}{.<space:shared|shared::cta>}.b16 r, p",
        Collective(_emit_load_matrices),
    ),
    Form(
        "stmatrix.sync.aligned.m8n8.<count:x1|x2|x4>{.trans}{.<space:shared|shared::cta>}.b16 p, r",
        Collective(_emit_store_matrices),
    ),
    Form("movmatrix.sync.aligned.m8n8.trans.b16 d, a", Collective(_emit_transpose_matrix)),
    *(
        Form(f"{_SHAPES.format(shapes)}{types} d, a, b, c", Collective(_emit_mma))
        for shapes, types in (
            ("m16n8k8|m16n8k16", ".<d:f16|f32>.<a:f16>.<b:f16>.<c:f16|f32>"),
            ("m16n8k8|m16n8k16", ".<d:f32>.<a:bf16>.<b:bf16>.<c:f32>"),
            ("m16n8k4|m16n8k8", ".<d:f32>.<a:tf32>.<b:tf32>.<c:f32>"),
            ("m8n8k16|m16n8k16|m16n8k32", "{.satfinite}.<d:s32>.<a:s8|u8>.<b:s8|u8>.<c:s32>"),
            ("m8n8k32|m16n8k32|m16n8k64", "{.satfinite}.<d:s32>.<a:s4|u4>.<b:s4|u4>.<c:s32>"),
            (
                "m8n8k128|m16n8k128|m16n8k256",
                ".<d:s32>.<a:b1>.<b:b1>.<c:s32>.<bits:xor|and>.popc",
            ),
            ("m16n8k16|m16n8k32", ".<d:f16|f32>.<a:e4m3|e5m2>.<b:e4m3|e5m2>.<c:f16|f32>"),
            ("m8n8k4|m16n8k4|m16n8k8|m16n8k16", "{.rn}.<d:f64>.<a:f64>.<b:f64>.<c:f64>"),
        )
    ),
)
