"""Matrix instructions of a warp with opaque fragments (PTX ISA, "wmma").

The manual does not define which lane holds which element of a fragment. Here each lane holds a run
of elements in row-major order, repeated if the registers have room for more.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from tileir_xdsl.emulator.block_builder import BlockBuilder
from tileir_xdsl.emulator.errors import WARP_SIZE
from tileir_xdsl.emulator.groups import ThreadGroup
from tileir_xdsl.emulator.instructions.data_movement import memory_space
from tileir_xdsl.emulator.instructions.form import Collective, Form
from tileir_xdsl.emulator.instructions.match import Match
from tileir_xdsl.emulator.instructions.matrix import (
    element_of,
    gather,
    register_type,
    round_result,
    truncate_to_tf32,
)
from tileir_xdsl.emulator.state_spaces import InstructionAccess
from tileir_xdsl.emulator.types import TYPES, Array


@dataclass(frozen=True)
class _Fragment:
    """One operand: `rows x columns` elements of a type, in `registers` registers of each lane."""

    type: str
    rows: int
    columns: int
    registers: int

    @property
    def size(self) -> int:
        return self.rows * self.columns

    @property
    def per_lane(self) -> int:
        """How many elements a lane holds."""
        return self.registers * element_of(self.type).per_register

    @property
    def places(self) -> Array:
        """The row-major index of each element of each lane, `[32, per_lane]`."""
        return np.arange(WARP_SIZE * self.per_lane).reshape(WARP_SIZE, -1) % self.size


def _fragment(match: Match, role: str, type_: str) -> _Fragment:
    """The fragment for a role (`a`, `b`, `c` or `d`) in the shape of an instruction."""
    m, n, k = (int(extent) for extent in re.findall(r"\d+", match["shape"]))
    rows, columns = {"a": (m, k), "b": (k, n)}.get(role, (m, n))
    exact = rows * columns // WARP_SIZE // element_of(type_).per_register
    # Halves of an operand fill eight registers in every shape.
    return _Fragment(type_, rows, columns, 8 if type_ == "f16" and role in "ab" else exact)


def _element_offsets(
    group: ThreadGroup, stride: Array, fragment: _Fragment, *, by_rows: bool
) -> list[Array]:
    """The byte offset in memory of each element of a lane, `[blocks, threads]` each."""
    lanes = np.arange(group.shape[1]) % WARP_SIZE
    rows, columns = np.divmod(fragment.places, fragment.columns)
    outer, inner = (rows, columns) if by_rows else (columns, rows)
    size = element_of(fragment.type).dtype.itemsize
    step = np.broadcast_to(stride, group.shape).astype(np.int64)
    return [
        (outer[lanes, e] * step + inner[lanes, e]) * size for e in range(fragment.places.shape[1])
    ]


def _load(
    group: ThreadGroup,
    address: Array,
    stride: Array,
    *,
    offset: int,
    access: InstructionAccess,
    fragment: _Fragment,
    by_rows: bool,
) -> list[Array]:
    elements = [
        group.memory.load(group, address + at, offset, group.mask, access)
        for at in _element_offsets(group, stride, fragment, by_rows=by_rows)
    ]
    registers = np.stack(elements, axis=-1).view(element_of(fragment.type).register.dtype)
    return [registers[..., i] for i in range(fragment.registers)]


def _store(
    group: ThreadGroup,
    address: Array,
    stride: Array,
    registers: tuple[Array, ...],
    *,
    offset: int,
    access: InstructionAccess,
    fragment: _Fragment,
    by_rows: bool,
) -> None:
    stacked = np.stack([np.broadcast_to(x, group.shape) for x in registers], axis=-1)
    elements = stacked.view(access.dtype)
    for e, at in enumerate(_element_offsets(group, stride, fragment, by_rows=by_rows)):
        value = (elements[..., e],)
        group.memory.store(group, address + at, offset, value, group.mask, access)


def _emit_access(builder: BlockBuilder, match: Match) -> None:
    """`wmma.load`, `wmma.store`: the stride counts elements; by default the matrix is dense."""
    role, type_ = match["role"], match["type"]
    fragment, by_rows = _fragment(match, role, type_), match["layout"] == "row"
    dtype = np.dtype(f"u{element_of(type_).dtype.itemsize}")
    loads = match["action"] == "load"
    space = memory_space(match)
    access = InstructionAccess(space, dtype, 1, "read" if loads else "write")
    base, offset = builder.address(match.operands["p"], space)
    if "stride" in match.operands:
        stride = builder.source(match.operands["stride"], TYPES["u32"])
    else:
        dense = fragment.columns if by_rows else fragment.rows
        stride = builder.bind(np.full((1, 1), dense, np.uint32))
    keywords = {"offset": offset, "access": access, "fragment": fragment, "by_rows": by_rows}
    registers = builder.elements(match.operands["r"], fragment.registers)
    register = register_type(type_)
    if not loads:
        values = "".join(f"{builder.source(each, register)}, " for each in registers)
        function = builder.bind(partial(_store, **keywords))
        builder.line(f"{function}(group, {base}, {stride}, ({values}))")
        return
    builder.line(f"r = {builder.bind(partial(_load, **keywords))}(group, {base}, {stride})")
    view = builder.bind(register.dtype)
    for index, destination in enumerate(registers):
        builder.assign(destination, register, f"r[{index}].view({view})")


def _mma(match: Match, fragments: dict[str, _Fragment]) -> Callable[..., list[Array]]:
    tables = {
        name: np.arange(fragment.size).reshape(fragment.rows, fragment.columns)
        for name, fragment in fragments.items()
    }
    result = element_of(fragments["d"].type)
    left = fragments["a"]
    bits = left.size * element_of(left.type).bits * fragments["b"].columns
    saturate = match.has("satfinite")

    def matrix(group: ThreadGroup, name: str, registers: tuple[Array, ...]) -> Array:
        type_ = fragments[name].type
        found = gather(group, registers, element_of(type_), tables[name])
        return (truncate_to_tf32(found) if type_ == "tf32" else found).astype(np.float64)

    def mma(
        group: ThreadGroup, a: tuple[Array, ...], b: tuple[Array, ...], c: tuple[Array, ...]
    ) -> list[Array]:
        group.memory.work.mma_bits += bits * group.lanes // WARP_SIZE
        total = np.matmul(matrix(group, "a", a), matrix(group, "b", b)) + matrix(group, "c", c)
        rounded = round_result(total, result.dtype, saturate)
        lanes = rounded.reshape(*total.shape[:2], -1).take(fragments["d"].places, axis=-1)
        words = lanes.view(result.register.dtype)
        return [words[..., i].reshape(group.shape) for i in range(words.shape[-1])]

    return mma


def _emit_mma(builder: BlockBuilder, match: Match) -> None:
    types = {"d": match["d"], "a": match["a"] or "f16", "b": match["b"] or "f16", "c": match["c"]}
    fragments = {role: _fragment(match, role, type_) for role, type_ in types.items()}

    def registers(role: str) -> str:
        found = builder.elements(match.operands[role], fragments[role].registers)
        type_ = register_type(types[role])
        return "".join(f"{builder.source(operand, type_)}, " for operand in found)

    arguments = ", ".join(f"({registers(role)})" for role in "abc")
    builder.line(f"r = {builder.bind(_mma(match, fragments))}(group, {arguments})")
    type_ = register_type(types["d"])
    destinations = builder.elements(match.operands["d"], fragments["d"].registers)
    for index, destination in enumerate(destinations):
        builder.assign(destination, type_, f"r[{index}].view({builder.bind(type_.dtype)})")


_LAYOUT = "<layout:row|col>"
_SPACE = "{.<space:global|shared|shared::cta>}"
_WIDE = "<shape:m16n16k16|m8n32k16|m32n8k16>"
_SINGLE = "<shape:m16n16k8>"
_DOUBLE = "<shape:m8n8k4>"
_ROLES = "<action:load>.<role:a|b>"
_ACCUMULATORS = ("<action:load>.<role:c>", "<action:store>.<role:d>")
_MMA = "wmma.mma.sync.aligned.<left:row|col>.<right:row|col>"


def _access(role: str, shape: str, types: str) -> Form:
    operands = " p, r{, stride}" if "store" in role else " r, p{, stride}"
    syntax = f"wmma.{role}.sync.aligned.{_LAYOUT}.{shape}{_SPACE}.<type:{types}>{operands}"
    return Form(syntax, Collective(_emit_access))


def _multiplication(shape: str, types: str) -> Form:
    return Form(f"{_MMA}.{shape}{types} d, a, b, c", Collective(_emit_mma))


FORMS: tuple[Form, ...] = (
    _access(_ROLES, _WIDE, "f16|bf16|s8|u8"),
    _access(_ROLES, _SINGLE, "tf32"),
    _access(_ROLES, _DOUBLE, "f64"),
    *(_access(role, _WIDE, "f16|f32|s32") for role in _ACCUMULATORS),
    *(_access(role, _SINGLE, "f32") for role in _ACCUMULATORS),
    *(_access(role, _DOUBLE, "f64") for role in _ACCUMULATORS),
    _multiplication(_WIDE, ".<d:f16|f32>.<c:f16|f32>{.satfinite}"),
    _multiplication(_WIDE, ".<d:f32>.<a:bf16>.<b:bf16>.<c:f32>"),
    _multiplication(_WIDE, ".<d:s32>.<a:s8|u8>.<b:s8|u8>.<c:s32>{.satfinite}"),
    _multiplication(_SINGLE, ".<d:f32>.<a:tf32>.<b:tf32>.<c:f32>"),
    _multiplication(_DOUBLE, "{.rn}.<d:f64>.<a:f64>.<b:f64>.<c:f64>"),
)
