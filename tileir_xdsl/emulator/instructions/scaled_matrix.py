"""mma of operands with 8, 6 and 4 bits, and with scales (PTX ISA, "mma" with `.kind`).

Each row of A and each column of B has one, two or four scales along k. As for other mma, sums are
computed in double precision and rounded once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np

from tileir_xdsl.emulator.block_builder import BlockBuilder
from tileir_xdsl.emulator.errors import WARP_SIZE
from tileir_xdsl.emulator.groups import ThreadGroup
from tileir_xdsl.emulator.instructions.form import Collective, Form
from tileir_xdsl.emulator.instructions.match import Match
from tileir_xdsl.emulator.instructions.matrix import (
    element_of,
    fragments,
    gather,
    operand_bits,
    register_type,
    round_result,
)
from tileir_xdsl.emulator.instructions.warp import by_warp
from tileir_xdsl.emulator.syntax import Integer, Operand
from tileir_xdsl.emulator.types import TYPES, Array

_WORD = TYPES["b32"]
_SELECTOR = TYPES["u16"]
PACKED_KINDS = ("mxf4", "mxf4nvf4")
"""Kinds whose 4-bit elements are packed; other kinds have a byte for each element."""

# Types of operands: numpy's, and how far the bits are from the low end of their byte.
NARROW_FLOATS: Mapping[str, tuple[Any, int]] = {
    "e4m3": (ml_dtypes.float8_e4m3fn, 0),
    "e5m2": (ml_dtypes.float8_e5m2, 0),
    "e3m2": (ml_dtypes.float6_e3m2fn, 0),
    "e2m3": (ml_dtypes.float6_e2m3fn, 0),
    "e2m1": (ml_dtypes.float4_e2m1fn, 2),
}
_WIDTHS = {"e4m3": 8, "e5m2": 8, "e3m2": 6, "e2m3": 6, "e2m1": 4}
SCALES: Mapping[str, tuple[Any, int]] = {
    "ue8m0": (ml_dtypes.float8_e8m0fnu, 0xFF),
    "ue4m3": (ml_dtypes.float8_e4m3fn, 0x7F),
}
_DEFAULT_SCALES = {"mxf8f6f4": 1, "mxf4": 2, "mxf4nvf4": 4}


@cache
def byte_values(name: str, shift: int) -> Array:
    """The number that each byte value encodes, `[256]`."""
    bits = (np.arange(256) >> shift) & ((1 << _WIDTHS[name]) - 1)
    return bits.astype(np.uint8).view(NARROW_FLOATS[name][0]).astype(np.float64)


def narrow_floats(
    group: ThreadGroup, registers: tuple[Array, ...], name: str, packed: int
) -> Array:
    """Decodes the elements of all lanes, `[blocks, warps, elements]`, `packed` in each register."""
    words = np.stack([by_warp(group, register) for register in registers], axis=-1)
    octets = np.ascontiguousarray(words).view(np.uint8)
    shift = NARROW_FLOATS[name][1]
    if packed == 8:
        octets = np.stack([octets & 0xF, octets >> 4], axis=-1)
        shift = 0
    return byte_values(name, shift)[octets.reshape(*octets.shape[:2], -1)]


def scales(
    group: ThreadGroup,
    data: Array,
    selector: tuple[Array, Array],
    name: str,
    count: int,
    *,
    rows: bool,
) -> Array:
    """The scales of the rows of A or of the columns of B, `[blocks, warps, extent, count]`.

    The scales of row `m` are in lane `4 (m mod 8) + 2 thread + m div 8`, those of column `n` in
    lane `4n + thread`, from the selected byte on.
    """
    dtype, mask = SCALES[name]
    octets = np.ascontiguousarray(by_warp(group, data)).view(np.uint8).reshape(-1, WARP_SIZE, 4)
    byte, thread = (by_warp(group, each).reshape(-1, WARP_SIZE)[:, :1] for each in selector)
    index = np.arange(16 if rows else 8)
    lanes = 4 * (index % 8) + index // 8 + thread.astype(np.int64) * (2 if rows else 1)
    first = byte.astype(np.int64)[..., None] + np.arange(count)
    chosen = octets[np.arange(len(octets))[:, None, None], lanes[..., None] % WARP_SIZE, first % 4]
    found = (chosen & np.uint8(mask)).view(dtype).astype(np.float64)
    return found.reshape(group.shape[0], -1, len(index), count)


def _mma(match: Match) -> Callable[..., list[Array]]:
    m, n, k = (int(extent) for extent in re.findall(r"\d+", match["shape"]))
    packed = 8 if kind_of(match) in PACKED_KINDS else 4
    tables = fragments(m, n, k, packed)
    result = element_of(match["d"])
    count = scale_count(match)

    def mma(
        group: ThreadGroup,
        a: tuple[Array, ...],
        b: tuple[Array, ...],
        c: tuple[Array, ...],
        *scaling: Array,
    ) -> list[Array]:
        left = narrow_floats(group, a, match["a"], packed).take(tables.a, axis=-1)
        right = narrow_floats(group, b, match["b"], packed).take(tables.b, axis=-1)
        if scaling:
            a_data, a_byte, a_thread, b_data, b_byte, b_thread = scaling
            name = match["scales"]
            of_a = scales(group, a_data, (a_byte, a_thread), name, count, rows=True)
            of_b = scales(group, b_data, (b_byte, b_thread), name, count, rows=False)
            left = left * np.repeat(of_a, k // count, axis=-1)
            right = right * np.repeat(of_b, k // count, axis=-1).swapaxes(-1, -2)
        group.memory.work.mma_bits += operand_bits(a) * group.lanes * n
        start = gather(group, c, result, tables.c).astype(np.float64)
        rounded = round_result(np.matmul(left, right) + start, result.dtype, saturate=False)
        lanes = rounded.reshape(*start.shape[:2], -1).take(tables.d, axis=-1)
        words = lanes.view(result.register.dtype)
        return [words[..., i].reshape(group.shape) for i in range(words.shape[-1])]

    return mma


def kind_of(match: Match) -> str:
    return match["kind"].removeprefix("kind::")


def scale_count(match: Match) -> int:
    """The number of scales that a row has along k."""
    vector = re.search(r"\d", match["vector"])
    return int(vector.group()) if vector else _DEFAULT_SCALES.get(kind_of(match), 1)


def scale_arguments(builder: BlockBuilder, match: Match) -> list[str]:
    """For A, then for B: the words with scales, the first byte, and the thread that has them."""
    arguments: list[str] = []
    for data, selector in (("a_scales", "a_select"), ("b_scales", "b_select")):
        arguments.append(builder.source(match.operands[data], _WORD))
        chosen = builder.elements(match.operands[selector], 2)
        _check_selector(match, chosen)
        arguments += [builder.source(each, _SELECTOR) for each in chosen]
    return arguments


def _check_selector(match: Match, chosen: tuple[Operand, ...]) -> None:
    """Checks that two or four scales begin at a multiple of their size (PTX ISA, "scale-data")."""
    first, step = chosen[0], scale_count(match)
    if isinstance(first, Integer) and (first.value % step or not 0 <= first.value < 4):
        allowed = " or ".join(str(byte) for byte in range(0, 4, step))
        raise match.fail(f"{step} scales must begin at byte {allowed}, not {first.value}")


def _emit_mma(builder: BlockBuilder, match: Match) -> None:
    m, n, k = (int(extent) for extent in re.findall(r"\d+", match["shape"]))
    packed = 8 if kind_of(match) in PACKED_KINDS else 4
    accumulators = m * n // WARP_SIZE // element_of(match["d"]).per_register
    counts = {
        "a": m * k // WARP_SIZE // packed,
        "b": k * n // WARP_SIZE // packed,
        "c": accumulators,
    }
    type_ = register_type(match["d"])

    def registers(name: str) -> str:
        operands = builder.elements(match.operands[name], counts[name])
        as_type = type_ if name == "c" else _WORD
        return "".join(f"{builder.source(operand, as_type)}, " for operand in operands)

    arguments = [f"({registers(name)})" for name in ("a", "b", "c")]
    if match.has("block_scale"):
        arguments += scale_arguments(builder, match)
    builder.line(f"r = {builder.bind(_mma(match))}(group, {', '.join(arguments)})")
    for index, destination in enumerate(builder.elements(match.operands["d"], accumulators)):
        builder.assign(destination, type_, f"r[{index}].view({builder.bind(type_.dtype)})")


_COLLECTIVE = Collective(_emit_mma)
_ANY = "|".join(NARROW_FLOATS)
_PAIR = f".<d:f32>.<a:{_ANY}>.<b:{_ANY}>.<c:f32>"
_FOUR_BITS = ".<d:f32>.<a:e2m1>.<b:e2m1>.<c:f32>"

# Kinds with scales, their extent along k in a dense dot, and their types.
SCALED_KINDS = (
    (
        ".<kind:kind::mxf8f6f4>.block_scale{.<vector:scale_vec::1X>}",
        32,
        f"{_PAIR}.<scales:ue8m0>",
    ),
    (".<kind:kind::mxf4>.block_scale{.<vector:scale_vec::2X>}", 64, f"{_FOUR_BITS}.<scales:ue8m0>"),
    (
        ".<kind:kind::mxf4nvf4>.block_scale.<vector:scale_vec::2X>",
        64,
        f"{_FOUR_BITS}.<scales:ue8m0>",
    ),
    (
        ".<kind:kind::mxf4nvf4>.block_scale.<vector:scale_vec::4X>",
        64,
        f"{_FOUR_BITS}.<scales:ue4m3|ue8m0>",
    ),
)
SCALE_OPERANDS = ", a_scales, a_select, b_scales, b_select"


def mnemonics(opcode: str, shape: str, kind: str, types: str) -> tuple[str, ...]:
    """The two spellings that the assembler accepts: the kind after the layouts, or before."""
    positions = (f".<shape:{shape}>.row.col{kind}", f"{kind}.<shape:{shape}>.row.col")
    return tuple(f"{opcode}.sync.aligned{position}{types}" for position in positions)


FORMS: tuple[Form, ...] = (
    *(
        Form(f"{mnemonic} d, a, b, c", _COLLECTIVE)
        for mnemonic in mnemonics(
            "mma",
            "m16n8k32",
            ".<kind:kind::f8f6f4>",
            f".<d:f16|f32>.<a:{_ANY}>.<b:{_ANY}>.<c:f16|f32>",
        )
    ),
    *(
        Form(f"{mnemonic} d, a, b, c{SCALE_OPERANDS}", _COLLECTIVE)
        for kind, k, types in SCALED_KINDS
        for mnemonic in mnemonics("mma", f"m16n8k{k}", kind, types)
    ),
)
