"""Clusters of blocks: addresses, their barrier, and stores that an object counts (PTX ISA, "mapa",
"getctarank", "barrier.cluster", "st.async", "red.async")."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from tileir_xdsl.emulator import bulk_copies
from tileir_xdsl.emulator.block_builder import BlockBuilder
from tileir_xdsl.emulator.clusters import map_address, rank_of
from tileir_xdsl.emulator.groups import ThreadGroup
from tileir_xdsl.emulator.instructions.asynchronous import start_work
from tileir_xdsl.emulator.instructions.atomics import Update, atomic_update, update_of
from tileir_xdsl.emulator.instructions.form import Collective, Compute, Control, Form
from tileir_xdsl.emulator.instructions.match import Match
from tileir_xdsl.emulator.instructions.rules import check_vector
from tileir_xdsl.emulator.state_spaces import InstructionAccess
from tileir_xdsl.emulator.types import TYPES, Array, Mask

_RANK = TYPES["u32"]


def _map_address(group: ThreadGroup, mask: Mask | None, address: Array, rank: Array) -> Array:
    clusters = group.memory.clusters
    return map_address(group, mask, address, rank, 1 if clusters is None else clusters.size)


def _emit_map_address(builder: BlockBuilder, match: Match) -> None:
    type_ = match.type()
    address = builder.source(match.operands["a"], type_)
    rank = builder.source(match.operands["b"], _RANK)
    call = f"{builder.bind(_map_address)}(group, {builder.mask}, {address}, {rank})"
    builder.assign(match.operands["d"], type_, call)


def _emit_rank(builder: BlockBuilder, match: Match) -> None:
    address = builder.source(match.operands["a"], match.type())
    builder.apply(match.operands["d"], _RANK, rank_of, [address])


def _arrive(group: ThreadGroup, mask: Mask | None, *, releases: bool) -> None:
    """Arrives at the cluster's barrier; `releases` or else an earlier fence makes work visible."""
    memory = group.memory
    phases = memory.cluster_barrier.arrive(group, mask)
    if memory.races is not None:
        memory.races.barriers.arrive_in_cluster(group, mask, phases, releases=releases)
    memory.mbarrier_changes += 1


def _emit_arrive(builder: BlockBuilder, match: Match) -> None:
    arrive = builder.bind(partial(_arrive, releases=match["semantics"] != "relaxed"))
    builder.line(f"{arrive}(group, {builder.mask})")


def _store(
    group: ThreadGroup,
    mask: Mask | None,
    address: Array,
    barrier: Array,
    *values: Array,
    offsets: tuple[int, int],
    access: InstructionAccess,
    update: Update | None,
) -> None:
    """Stores or updates, and subtracts the bytes from those that a barrier object expects."""
    if update is None:
        group.memory.store(group, address, offsets[0], values, mask, access)
    else:
        atomic_update(group, address, offsets[0], mask, access, update, values)
    bulk_copies.count_bytes(group, barrier, offsets[1], mask, access.size)


def _emit_store(builder: BlockBuilder, match: Match) -> None:
    type_ = match.type()
    length = int(match["vector"].removeprefix("v") or 1)
    update = update_of(match["operation"], type_) if match["operation"] else None
    access = InstructionAccess("shared::cluster", type_.dtype, length, "write")
    if update is not None:
        access = replace(access, verb="atomic access", semantics="relaxed", scope="cluster")
    base, offset = builder.address(match.operands["a"], "shared")
    barrier, barrier_offset = builder.address(match.operands["barrier"], "shared")
    sources = builder.elements(match.operands["b"], length)
    check_vector(match, length, type_.bits)
    values = [builder.source(source, type_) for source in sources]
    function = partial(_store, offsets=(offset, barrier_offset), access=access, update=update)
    start = builder.bind(partial(start_work, None, match.instruction, function))
    builder.line(f"{start}(group, {builder.mask}, {base}, {barrier}, {', '.join(values)})")


_WINDOW = "{.<space:shared::cluster>}"
_COUNTED = ".mbarrier::complete_tx::bytes"
_REDUCTION = f"red.async.relaxed.cluster{_WINDOW}{_COUNTED}"
_ARRIVE = "barrier.cluster.arrive{.<semantics:release|relaxed>}"

FORMS: tuple[Form, ...] = (
    Form(f"mapa{_WINDOW}.<type:u32|u64> d, a, b", Compute(_emit_map_address)),
    Form(f"getctarank{_WINDOW}.<type:u32|u64> d, a", Compute(_emit_rank)),
    Form(f"{_ARRIVE}.aligned", Collective(_emit_arrive)),
    Form(_ARRIVE, Compute(_emit_arrive)),
    Form("barrier.cluster.wait{.acquire}{.aligned}", Control("cluster wait")),
    Form(
        f"st.async{{.weak}}{_WINDOW}{_COUNTED}{{.<vector:v2|v4>}}"
        ".<type:b32|b64|u32|u64|s32|s64|f32|f64> a, b, barrier",
        Compute(_emit_store),
    ),
    Form(f"{_REDUCTION}.<operation:inc|dec>.<type:u32> a, b, barrier", Compute(_emit_store)),
    Form(f"{_REDUCTION}.<operation:min|max>.<type:u32|s32> a, b, barrier", Compute(_emit_store)),
    Form(f"{_REDUCTION}.<operation:and|or|xor>.<type:b32> a, b, barrier", Compute(_emit_store)),
    Form(f"{_REDUCTION}.<operation:add>.<type:u32|s32|u64> a, b, barrier", Compute(_emit_store)),
)
