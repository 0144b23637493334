"""mma of a warp with a sparse operand A (PTX ISA, "mma.sp").

A is stored as half of its elements, in the fragments of a dense operand that has half as many
columns. B and the accumulator are as in the dense mma. Scales cover all elements along k, stored or
not. As for other mma, sums are computed in double precision and rounded once.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from tileir_xdsl.emulator.block_builder import BlockBuilder
from tileir_xdsl.emulator.errors import WARP_SIZE
from tileir_xdsl.emulator.groups import ThreadGroup
from tileir_xdsl.emulator.instructions import scaled_matrix
from tileir_xdsl.emulator.instructions.form import Collective, Form
from tileir_xdsl.emulator.instructions.match import Match
from tileir_xdsl.emulator.instructions.matrix import (
    element_of,
    fragments,
    gather,
    operand_bits,
    register_type,
    round_result,
    truncate_to_tf32,
)
from tileir_xdsl.emulator.instructions.sparse import (
    DISTINCT,
    ORDERED,
    positions_in_rows,
    selected_metadata,
    sparse_mma,
    sparsity,
)
from tileir_xdsl.emulator.types import TYPES, Array

_WORD = TYPES["b32"]


def _shape(match: Match) -> tuple[int, int, int]:
    m, n, k = (int(extent) for extent in re.findall(r"\d+", match["shape"]))
    return m, n, k


def _packed(match: Match, name: str) -> int:
    """How many elements of an operand fill a register; 6- and 4-bit elements may fill bytes."""
    if name in scaled_matrix.NARROW_FLOATS:
        return 8 if scaled_matrix.kind_of(match) in scaled_matrix.PACKED_KINDS else 4
    return element_of(name).per_register


def _operand(
    group: ThreadGroup, registers: tuple[Array, ...], name: str, packed: int, table: Array
) -> Array:
    """The matrix in the registers of all lanes, in double precision."""
    if name in scaled_matrix.NARROW_FLOATS:
        return scaled_matrix.narrow_floats(group, registers, name, packed).take(table, axis=-1)
    matrix = gather(group, registers, element_of(name), table)
    return (truncate_to_tf32(matrix) if name == "tf32" else matrix).astype(np.float64)


def _mma(match: Match) -> Callable[..., list[Array]]:
    m, n, k = _shape(match)
    paired = scaled_matrix.kind_of(match) in scaled_matrix.PACKED_KINDS
    meaningful = ORDERED if match.has("ordered") else DISTINCT
    stored = sparsity(match["a"], meaningful, paired=paired)
    where = selected_metadata(match, match["a"], k // stored.width)
    a_packed, b_packed = _packed(match, match["a"]), _packed(match, match["b"])
    left_table = fragments(m, n, k // 2, a_packed).a
    tables = fragments(m, n, k, b_packed)
    count = scaled_matrix.scale_count(match)
    result = element_of(match["d"])
    saturate = match.has("satfinite")

    def mma(
        group: ThreadGroup,
        a: tuple[Array, ...],
        b: tuple[Array, ...],
        c: tuple[Array, ...],
        metadata: Array,
        *scaling: Array,
    ) -> list[Array]:
        positions = positions_in_rows(group, metadata, where, stored)
        left = _operand(group, a, match["a"], a_packed, left_table)
        right = _operand(group, b, match["b"], b_packed, tables.b)
        if scaling:
            a_data, a_byte, a_thread, b_data, b_byte, b_thread = scaling
            name = match["scales"]
            of_a = scaled_matrix.scales(group, a_data, (a_byte, a_thread), name, count, rows=True)
            of_b = scaled_matrix.scales(group, b_data, (b_byte, b_thread), name, count, rows=False)
            left = left * np.take_along_axis(of_a, positions // (k // count), axis=-1)
            right = right * np.repeat(of_b, k // count, axis=-1).swapaxes(-1, -2)
        group.memory.work.mma_bits += operand_bits(a) * group.lanes * n
        start = gather(group, c, result, tables.c).astype(np.float64)
        total = sparse_mma(left, positions, right) + start
        rounded = round_result(total, result.dtype, saturate)
        lanes = rounded.reshape(*total.shape[:2], -1).take(tables.d, axis=-1)
        words = lanes.view(result.register.dtype)
        return [words[..., i].reshape(group.shape) for i in range(words.shape[-1])]

    return mma


def _emit_mma(builder: BlockBuilder, match: Match) -> None:
    m, n, k = _shape(match)
    counts = {
        "a": m * k // 2 // WARP_SIZE // _packed(match, match["a"]),
        "b": k * n // WARP_SIZE // _packed(match, match["b"]),
        "c": m * n // WARP_SIZE // element_of(match["d"]).per_register,
    }
    type_ = register_type(match["d"])

    def registers(name: str) -> str:
        operands = builder.elements(match.operands[name], counts[name])
        as_type = type_ if name == "c" else _WORD
        return "".join(f"{builder.source(operand, as_type)}, " for operand in operands)

    function = builder.bind(_mma(match))
    operands = ", ".join(f"({registers(name)})" for name in ("a", "b", "c"))
    words = [builder.source(match.operands["metadata"], _WORD)]
    if match.has("block_scale"):
        words += scaled_matrix.scale_arguments(builder, match)
    builder.line(f"r = {function}(group, {operands}, {', '.join(words)})")
    for index, destination in enumerate(builder.elements(match.operands["d"], counts["c"])):
        builder.assign(destination, type_, f"r[{index}].view({builder.bind(type_.dtype)})")


_COLLECTIVE = Collective(_emit_mma)
_ANY_ORDER, _ORDERED = "mma.sp", "mma.<ordered:sp::ordered_metadata>"
_TYPES = (
    ("m16n8k16|m16n8k32", ".<d:f16>.<a:f16>.<b:f16>.<c:f16>"),
    ("m16n8k16|m16n8k32", ".<d:f32>.<a:f16>.<b:f16>.<c:f32>"),
    ("m16n8k16|m16n8k32", ".<d:f32>.<a:bf16>.<b:bf16>.<c:f32>"),
    ("m16n8k8|m16n8k16", ".<d:f32>.<a:tf32>.<b:tf32>.<c:f32>"),
    ("m16n8k32|m16n8k64", "{.satfinite}.<d:s32>.<a:s8|u8>.<b:s8|u8>.<c:s32>"),
    ("m16n8k64|m16n8k128", "{.satfinite}.<d:s32>.<a:s4|u4>.<b:s4|u4>.<c:s32>"),
    ("m16n8k64", ".<d:f32>.<a:e4m3|e5m2>.<b:e4m3|e5m2>.<c:f32>"),
)
_ANY = "|".join(scaled_matrix.NARROW_FLOATS)
_OPERANDS = " d, a, b, c, metadata, selector"

FORMS: tuple[Form, ...] = (
    *(
        Form(f"{opcode}.sync.aligned.<shape:{shapes}>.row.col{types}{_OPERANDS}", _COLLECTIVE)
        for opcode in (_ANY_ORDER, _ORDERED)
        for shapes, types in _TYPES
    ),
    Form(
        f"{_ORDERED}.sync.aligned.<shape:m16n8k64>.row.col"
        f".<d:f16>.<a:e4m3|e5m2>.<b:e4m3|e5m2>.<c:f16>{_OPERANDS}",
        _COLLECTIVE,
    ),
    *(
        Form(f"{mnemonic}{_OPERANDS}", _COLLECTIVE)
        for accumulators in ("f16", "f32")
        for mnemonic in scaled_matrix.mnemonics(
            _ORDERED,
            "m16n8k64",
            ".<kind:kind::f8f6f4>",
            f".<d:{accumulators}>.<a:{_ANY}>.<b:{_ANY}>.<c:{accumulators}>",
        )
    ),
    *(
        Form(f"{mnemonic}{_OPERANDS}{scaled_matrix.SCALE_OPERANDS}", _COLLECTIVE)
        for kind, k, types in scaled_matrix.SCALED_KINDS
        for mnemonic in scaled_matrix.mnemonics(_ORDERED, f"m16n8k{2 * k}", kind, types)
    ),
)
