"""Atomic updates of memory (PTX ISA, "atom", "red").

Threads of one instruction update a common location one after another, in the order of their index
in the group.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from tileir_xdsl.emulator.block_builder import BlockBuilder
from tileir_xdsl.emulator.conflicts import conflict_free
from tileir_xdsl.emulator.groups import ThreadGroup
from tileir_xdsl.emulator.instructions.data_movement import (
    MULTICAST_REDUCTIONS,
    SCOPE,
    SEMANTICS,
    memory_space,
)
from tileir_xdsl.emulator.instructions.form import Compute, Form
from tileir_xdsl.emulator.instructions.match import Match
from tileir_xdsl.emulator.numerics import flush_subnormals
from tileir_xdsl.emulator.state_spaces import InstructionAccess
from tileir_xdsl.emulator.types import Array, Mask, ScalarType

Update = Callable[..., Array]


def increment(old: Array, limit: Array) -> Array:
    """The next number; zero from the limit on (`.inc`)."""
    return np.where(old >= limit, old.dtype.type(0), old + old.dtype.type(1))


def decrement(old: Array, limit: Array) -> Array:
    """The previous number; the limit for zero and for numbers above the limit (`.dec`)."""
    wraps = (old == 0) | (old > limit)
    return np.where(wraps, limit, old - old.dtype.type(1))


def _exchange(old: Array, new: Array) -> Array:
    del old
    return new


def _compare_and_swap(old: Array, expected: Array, new: Array) -> Array:
    same = old == expected
    if same.ndim > 1:
        same = same.all(axis=-1, keepdims=True)
    return np.where(same, new, old)


_UPDATES: dict[str, Update] = {
    "add": np.add,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "inc": increment,
    "dec": decrement,
    "exch": _exchange,
    "cas": _compare_and_swap,
}
# Floating-point extrema ignore a NaN.
_FLOAT_UPDATES: dict[str, Update] = {"add": np.add, "min": np.fmin, "max": np.fmax}


def update_of(operation: str, type_: ScalarType) -> Update:
    """The function that computes a new value from an old one and the operands."""
    return (_FLOAT_UPDATES if type_.kind == "float" else _UPDATES)[operation]


def _add_flushed(old: Array, value: Array) -> Array:
    return flush_subnormals(flush_subnormals(old) + flush_subnormals(value))


def atomic_update(
    group: ThreadGroup,
    address: Array,
    offset: int,
    mask: Mask | None,
    access: InstructionAccess,
    update: Update,
    operands: tuple[Array, ...],
) -> Array:
    """Replaces each location by `update(old, *operands)`; returns the old values.

    The result has the shape `[blocks, threads]`, and one more axis for vector accesses. Raises
    `LaneFault` as `Memory.load` does.
    """
    tail = (access.elements,) if access.elements > 1 else ()
    old = np.zeros((*group.shape, *tail), access.dtype)
    parts = [(access, offset, mask)]
    if access.space == "generic":
        parts = list(group.memory.split_generic(address, offset, mask, access))
    for part, part_offset, part_mask in parts:
        function = update
        if update is np.add and access.dtype == np.float32 and part.space == "global":
            # Single-precision addition flushes subnormals in global memory only.
            function = _add_flushed
        segment, index = group.memory.locate(group, address, part_offset, part_mask, part)
        target = segment.vectors(access.dtype, access.elements)
        active = np.ones(group.shape, np.bool_) if part_mask is None else part_mask
        active = np.broadcast_to(active, group.shape)
        positions = np.broadcast_to(index, group.shape)[active]
        values = [np.broadcast_to(x, (*group.shape, *tail))[active] for x in operands]
        before = np.zeros((len(positions), *tail), access.dtype)
        races = group.memory.races
        histories = None if races is None else races.histories(part)
        if histories is not None:
            is_swap = update is _compare_and_swap
            before = histories.update(
                group, index, active, part, segment, function, values, is_swap=is_swap
            )
        else:
            for lanes in conflict_free(positions):
                cells = positions[lanes]
                before[lanes] = target[cells]
                after = function(before[lanes], *(value[lanes] for value in values))
                if group.memory.counts_changes:
                    group.memory.note_change(before[lanes], after)
                target[cells] = after
        old[active] = before
        if races is not None:
            wrote = active
            if update is _compare_and_swap:
                wrote = np.zeros_like(active)
                same = before == values[0]
                wrote[active] = same.all(axis=-1) if same.ndim > 1 else same
            races.atomic(group, index, part_mask, part, wrote)
    return old


def _first(match: Match, *names: str) -> str:
    """The first of some named qualifiers that the instruction has; empty if none."""
    return next((match[name] for name in names if match[name]), "")


def _check_order(match: Match) -> None:
    """Checks that scope and order are given once, and that `red` has an order that it allows."""
    for names in (("semantics", "second_semantics"), ("scope", "first_scope", "second_scope")):
        if sum(bool(match[name]) for name in names) > 1:
            raise match.fail(f"an access can have only one {names[0]}")
    order = _first(match, "semantics", "second_semantics")
    if match.instruction.opcode == "red" and order in ("acquire", "acq_rel"):
        raise match.fail(f"a reduction reads nothing, so its memory order cannot be .{order}")
    if match.instruction.opcode == "multimem" and bool(match["scope"]) != bool(order):
        raise match.fail("expected a memory order and a scope together")


def _emit(builder: BlockBuilder, match: Match) -> None:
    returns = match.instruction.opcode == "atom"
    type_ = match.type()
    _check_order(match)
    space = memory_space(match)
    length = int(match["vector"].removeprefix("v") or 1)
    operation = match["operation"]
    update = update_of(operation, type_)
    access = InstructionAccess(
        space,
        type_.dtype,
        length * type_.elements,
        "atomic access",
        _first(match, "semantics", "second_semantics") or "relaxed",
        _first(match, "scope", "second_scope", "first_scope") or "gpu",
        builder.can_wait and length * type_.elements == 1,
    )
    base, offset = builder.address(match.operands["a"], space)
    names = ("b", "c") if operation == "cas" else ("b",)
    values: list[str] = []
    for name in names:
        parts = builder.elements(match.operands[name], length)
        sources = [builder.source(part, type_) for part in parts]
        if length > 1:
            stack = builder.bind(partial(_stack, packed=type_.elements > 1))
            values.append(f"{stack}(group, {', '.join(sources)})")
        else:
            values.append(sources[0])
    call = (
        f"{builder.bind(atomic_update)}(group, {base}, {offset}, {builder.mask}, "
        f"{builder.bind(access)}, {builder.bind(update)}, ({', '.join(values)},))"
    )
    builder.line(f"r = {call}")
    destinations = builder.elements(match.operands["d"], length) if returns else ()
    for index, destination in enumerate(destinations):
        width = type_.elements
        value = "r"
        if length > 1:
            first = index * width
            value = f"r[..., {first}:{first + width}]" if width > 1 else f"r[..., {index}]"
        builder.assign(destination, type_, value)
    builder.deliver([(each, type_) for each in destinations], relaxed=False)


def _stack(group: ThreadGroup, *parts: Array, packed: bool) -> Array:
    """The elements of a vector operand along the last axis."""
    if packed:
        tail = parts[0].shape[-1]
        return np.concatenate(
            [np.broadcast_to(part, (*group.shape, tail)) for part in parts], axis=-1
        )
    return np.stack([np.broadcast_to(part, group.shape) for part in parts], axis=-1)


_SPACES = "<space:global|shared|shared::cta|shared::cluster>"
_COMPUTE = Compute(_emit)
# The manual puts the space last; the assembler also takes it first, before either order.
_AFTER_SPACE = (
    "{.<first_scope:cta|cluster|gpu|sys>}{.<second_semantics:relaxed|acquire|release|acq_rel>}"
    "{.<second_scope:cta|cluster|gpu|sys>}"
)
_PREFIX = f"{{.{SEMANTICS}}}{{.{SCOPE}}}{{.{_SPACES}}}{_AFTER_SPACE}"
_HINT = "{.L2::cache_hint}"
_LOGICAL = "<operation:and|or|xor>"
_EXTREMA = "<operation:min|max>"

# Operation, qualifiers after it and types that `atom` and `red` share.
_SHARED: tuple[str, ...] = (
    f".{_LOGICAL}{_HINT}.<type:b32|b64>",
    f".<operation:add>{_HINT}.<type:u32|s32|u64|f32|f64>",
    f".<operation:add>.noftz{_HINT}.<type:f16|f16x2|bf16|bf16x2>",
    f".<operation:inc|dec>{_HINT}.<type:u32>",
    f".{_EXTREMA}{_HINT}.<type:u32|s32|u64|s64>",
)
_VECTOR: tuple[str, ...] = (
    f".<operation:add>{_HINT}.<vector:v2|v4>.<type:f32>",
    f".<operation:add|min|max>.noftz{_HINT}.<vector:v2|v4|v8>.<type:f16|bf16>",
    f".<operation:add|min|max>.noftz{_HINT}.<vector:v2|v4>.<type:f16x2|bf16x2>",
)
_VECTOR_PREFIX = f"{{.{SEMANTICS}}}{{.{SCOPE}}}{{.<space:global>}}"

FORMS: tuple[Form, ...] = (
    *(Form(f"atom{_PREFIX}{rest} d, a, b{{, policy}}", _COMPUTE) for rest in _SHARED),
    *(Form(f"red{_PREFIX}{rest} a, b{{, policy}}", _COMPUTE) for rest in _SHARED),
    *(Form(f"atom{_VECTOR_PREFIX}{rest} d, a, b{{, policy}}", _COMPUTE) for rest in _VECTOR),
    *(Form(f"red{_VECTOR_PREFIX}{rest} a, b{{, policy}}", _COMPUTE) for rest in _VECTOR),
    Form(
        f"atom{_PREFIX}.<operation:exch>{_HINT}.<type:b32|b64|b128> d, a, b{{, policy}}", _COMPUTE
    ),
    Form(
        f"atom{_PREFIX}.<operation:cas>.<type:b16|b32|b64|b128> d, a, b, c",
        _COMPUTE,
    ),
    *(
        Form(
            f"multimem.red{{.<semantics:relaxed|release>}}{{.{SCOPE}}}{{.<space:global>}}"
            f".{reduction} a, b",
            _COMPUTE,
        )
        for reduction in (
            *MULTICAST_REDUCTIONS[:-1],
            "<operation:min|max>.<type:u32|s32|u64|s64>",
        )
    ),
)
