"""Asynchronous copies from global to shared memory (PTX ISA, "Data Movement: Asynchronous copy").

A copy is complete when it is issued, so waiting for it has nothing to do.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from tileir_xdsl.emulator.compile import PREDICATE, BlockBuilder
from tileir_xdsl.emulator.groups import Group
from tileir_xdsl.emulator.instructions.form import Compute, Form, Match
from tileir_xdsl.emulator.memory import Access
from tileir_xdsl.emulator.syntax import Register
from tileir_xdsl.emulator.types import TYPES, Array, Mask

_SIZES = {"ca": (4, 8, 16), "cg": (16,)}
_BYTE = np.dtype(np.uint8)


def _copy(
    group: Group,
    mask: Mask | None,
    target: Array,
    source: Array,
    present: Array | None,
    *,
    size: int,
    target_offset: int,
    source_offset: int,
) -> None:
    """Copy `size` bytes per thread; those from `present` on are zeros and are not read."""
    element = np.dtype(f"u{min(size, 8)}")
    elements = size // element.itemsize
    read = Access("global", element, elements, "read")
    write = Access("shared", element, elements, "write")
    active = np.ones(group.shape, np.bool_) if mask is None else mask
    count = np.broadcast_to(np.uint32(size) if present is None else present, group.shape)
    whole = active & (count >= size)
    data = group.memory.load(
        group, np.broadcast_to(source, group.shape), source_offset, whole, read
    )
    data = data.reshape(*group.shape, elements)
    data = np.where(whole[..., None], data, element.type(0))
    if not np.array_equal(whole, active):
        octets = data.view(_BYTE)
        single = Access("global", _BYTE, 1, "read")
        for position in range(size):
            lanes = active & ~whole & (count > position)
            if lanes.any():
                address = np.broadcast_to(source, group.shape)
                octet = group.memory.load(group, address, source_offset + position, lanes, single)
                octets[..., position] = np.where(lanes, octet, octets[..., position])
    values = tuple(data[..., index] for index in range(elements))
    group.memory.store(group, target, target_offset, values, mask, write)


def _emit_copy(builder: BlockBuilder, match: Match) -> None:
    """The fourth operand is the number of bytes to read, or a predicate to read none."""
    size = match.immediate("size")
    if size is None or size not in _SIZES[match["cache"]]:
        raise match.fail(f"cp.async.{match['cache']} copies {_SIZES[match['cache']]} bytes")
    target, target_offset = builder.address(match.operands["target"], "shared")
    source, source_offset = builder.address(match.operands["source"], "global")
    present = "None"
    limit = match.operands.get("limit")
    if isinstance(limit, Register) and builder.kernel.registers[limit.name].kind == "predicate":
        zero, full = builder.bind(np.uint32(0)), builder.bind(np.uint32(size))
        where = builder.bind(np.where)
        present = f"{where}({builder.source(limit, PREDICATE)}, {zero}, {full})"
    elif limit is not None:
        present = builder.source(limit, TYPES["u32"])
    function = partial(_copy, size=size, target_offset=target_offset, source_offset=source_offset)
    builder.line(f"{builder.bind(function)}(group, {builder.mask}, {target}, {source}, {present})")


def _emit_nothing(builder: BlockBuilder, match: Match) -> None:
    builder.line("pass")


_NOTHING = Compute(_emit_nothing)
_PREFETCH = "{.<prefetch:L2::64B|L2::128B|L2::256B>}"

FORMS: tuple[Form, ...] = (
    Form(
        f"cp.async.<cache:ca|cg>.<space:shared|shared::cta>.global{_PREFETCH}"
        " target, source, size{, limit}",
        Compute(_emit_copy),
    ),
    Form(
        f"cp.async.<cache:ca|cg>.<space:shared|shared::cta>.global.L2::cache_hint{_PREFETCH}"
        " target, source, size, policy",
        Compute(_emit_copy),
    ),
    Form(
        f"cp.async.<cache:ca|cg>.<space:shared|shared::cta>.global.L2::cache_hint{_PREFETCH}"
        " target, source, size, limit, policy",
        Compute(_emit_copy),
    ),
    Form("cp.async.commit_group", _NOTHING),
    Form("cp.async.wait_group count", _NOTHING),
    Form("cp.async.wait_all", _NOTHING),
)
