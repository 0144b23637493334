"""Asynchronous copies from global to shared memory (PTX ISA, "Data Movement: Asynchronous copy").

A copy completes when it is issued, unless asynchronous work is delayed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from tileir_xdsl.emulator.block_builder import BlockBuilder
from tileir_xdsl.emulator.groups import ThreadGroup
from tileir_xdsl.emulator.instructions.form import Compute, Emit, Form
from tileir_xdsl.emulator.instructions.match import Match
from tileir_xdsl.emulator.kernel_names import PREDICATE
from tileir_xdsl.emulator.late import Kind
from tileir_xdsl.emulator.state_spaces import InstructionAccess
from tileir_xdsl.emulator.syntax import Instruction, Register
from tileir_xdsl.emulator.types import TYPES, Array, Mask

_SIZES = {"ca": (4, 8, 16), "cg": (16,)}
_BYTE = np.dtype(np.uint8)


def _copy(
    group: ThreadGroup,
    mask: Mask | None,
    target: Array,
    source: Array,
    present: Array | None,
    *,
    size: int,
    target_offset: int,
    source_offset: int,
) -> None:
    """Copies `size` bytes per thread; bytes from number `present` on are not read but zero."""
    element = np.dtype(f"u{min(size, 8)}")
    elements = size // element.itemsize
    read = InstructionAccess("global", element, elements, "read")
    write = InstructionAccess("shared", element, elements, "write")
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
        single = InstructionAccess("global", _BYTE, 1, "read")
        for position in range(size):
            lanes = active & ~whole & (count > position)
            if lanes.any():
                address = np.broadcast_to(source, group.shape)
                octet = group.memory.load(group, address, source_offset + position, lanes, single)
                octets[..., position] = np.where(lanes, octet, octets[..., position])
    values = tuple(data[..., index] for index in range(elements))
    group.memory.store(group, target, target_offset, values, mask, write)


def _emit_copy(builder: BlockBuilder, match: Match) -> None:
    """The optional fourth operand is the number of bytes to read, or a predicate to read none."""
    size = match.immediate("size")
    if size is None or size not in _SIZES[match["cache"]]:
        sizes = " or ".join(map(str, _SIZES[match["cache"]]))
        raise match.fail(f"cp.async.{match['cache']} must copy {sizes} bytes")
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
    start = builder.bind(partial(start_work, "copy", match.instruction, function))
    builder.line(f"{start}(group, {builder.mask}, {target}, {source}, {present})")


def start_work(
    kind: Kind | None,
    instruction: Instruction,
    function: Callable[..., None],
    group: ThreadGroup,
    mask: Mask | None,
    *operands: Array | None,
) -> None:
    """Calls `function(group, mask, *operands)` now, or later with the present operands."""
    late, races = group.memory.late, group.memory.races
    if races is not None:
        function = races.work.start(kind, group, mask, function)
    if late is None:
        function(group, mask, *operands)
        return
    values = [None if operand is None else operand.copy() for operand in operands]
    group.put_off(kind, mask, instruction, lambda group, mask: function(group, mask, *values))


def _commit(group: ThreadGroup, mask: Mask | None, *, kind: Kind) -> None:
    if group.memory.late is not None:
        group.memory.late.commit(kind, group, mask)
    if group.memory.races is not None:
        group.memory.races.work.commit(kind, group, mask)


def _wait(
    group: ThreadGroup, mask: Mask | None, *, kind: Kind, pending: int | None, reads: bool
) -> None:
    """Waits until work is complete or, with `reads`, until it has read its source."""
    late, races = group.memory.late, group.memory.races
    if races is not None:
        races.work.wait(kind, group, mask, pending, reads=reads)
    if late is None:
        return
    if pending is None:
        late.finish(kind, group, mask)
    else:
        late.wait(kind, group, mask, pending)


def commits(kind: Kind) -> Emit:
    """Ends a commit group."""

    def emit(builder: BlockBuilder, match: Match) -> None:
        builder.line(f"{builder.bind(partial(_commit, kind=kind))}(group, {builder.mask})")

    return emit


def waits(kind: Kind) -> Emit:
    """Waits for all commit groups but the last `count` ones, or without a count for all work."""

    def emit(builder: BlockBuilder, match: Match) -> None:
        pending = match.immediate("count")
        if pending is None and "count" in match.operands:
            raise match.fail("the number of commit groups must be a constant")
        wait = builder.bind(partial(_wait, kind=kind, pending=pending, reads=match.has("read")))
        builder.line(f"{wait}(group, {builder.mask})")

    return emit


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
    Form("cp.async.commit_group", Compute(commits("copy"))),
    Form("cp.async.wait_group count", Compute(waits("copy"))),
    Form("cp.async.wait_all", Compute(waits("copy"))),
)
