"""Bulk copies and tensor maps (PTX ISA, "cp.async.bulk", "cp.async.bulk.tensor", "tensormap")."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np

from tileir_xdsl.emulator import bulk_copies
from tileir_xdsl.emulator.block_builder import BlockBuilder
from tileir_xdsl.emulator.bulk_copies import Update
from tileir_xdsl.emulator.errors import WARP_SIZE
from tileir_xdsl.emulator.groups import ThreadGroup
from tileir_xdsl.emulator.instructions.asynchronous import commits, start_work, waits
from tileir_xdsl.emulator.instructions.atomics import decrement, increment
from tileir_xdsl.emulator.instructions.data_movement import memory_space
from tileir_xdsl.emulator.instructions.form import Collective, Compute, Form, emit_nothing
from tileir_xdsl.emulator.instructions.match import Match
from tileir_xdsl.emulator.issuers import issuers
from tileir_xdsl.emulator.state_spaces import InstructionAccess
from tileir_xdsl.emulator.syntax import Address, Operand, Vector
from tileir_xdsl.emulator.tensor_boxes import MODES
from tileir_xdsl.emulator.tensor_maps import MAP_BYTES, replace_field
from tileir_xdsl.emulator.types import TYPES, Array, Mask

_BULK_BYTES = 16
"""The size of a bulk copy is a multiple of this many bytes (PTX ISA, "cp.async.bulk")."""
_SIZE = TYPES["u32"]
_COORDINATE = TYPES["s32"]
_OFFSET = TYPES["u16"]
_CTAS = TYPES["u16"]

_UPDATES: dict[str, Update] = {
    "add": np.add,
    "min": np.minimum,
    "max": np.maximum,
    "inc": increment,
    "dec": decrement,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}

_Side = Literal["shared", "shared::cluster", "global"]
_SPACES: dict[str, _Side] = {
    "global": "global",
    "shared::cta": "shared",
    "shared::cluster": "shared::cluster",
}


def _emit_copy(builder: BlockBuilder, match: Match) -> None:
    """Copies a range of bytes; a copy to shared memory reports its bytes to a barrier object."""
    target, source = _SPACES[match["to"]], _SPACES[match["of"]]
    reduction = None
    if match["operation"]:
        dtype = TYPES[match["type"]].dtype
        reduction = (_UPDATES[match["operation"]], dtype)
    _check_size(match)
    target_base, target_offset = builder.address(match.operands["target"], target)
    source_base, source_offset = builder.address(match.operands["source"], source)
    operands = [target_base, source_base, builder.source(match.operands["size"], _SIZE)]
    barrier_offset = 0
    counted = "barrier" in match.operands
    if counted:
        base, barrier_offset = builder.address(match.operands["barrier"], "shared")
        operands += [base, _ctas(builder, match)]
    function = partial(
        _copy_range,
        offsets=(target_offset, source_offset, barrier_offset),
        spaces=(target, source),
        reduction=reduction,
    )
    _emit_start(builder, match, function, operands, counted=counted)


def _copy_range(
    group: ThreadGroup,
    mask: Mask | None,
    target: Array,
    source: Array,
    size: Array,
    barrier: Array | None = None,
    ctas: Array | None = None,
    *,
    offsets: tuple[int, int, int],
    spaces: tuple[_Side, _Side],
    reduction: tuple[Update, np.dtype[Any]] | None,
) -> None:
    where = (target, offsets[0])
    if barrier is None:
        bulk_copies.copy_range(
            group, where, (source, offsets[1]), mask, size, spaces=spaces, reduction=reduction
        )
        return
    for lanes, into, counter in bulk_copies.each_destination(
        group, mask, ctas, where, (barrier, offsets[2])
    ):
        bulk_copies.copy_range(group, into, (source, offsets[1]), lanes, size, spaces=spaces)
        bulk_copies.count_bytes(group, *counter, lanes, size)


def _emit_start(
    builder: BlockBuilder,
    match: Match,
    function: Callable[..., None],
    operands: Sequence[str],
    *,
    counted: bool,
) -> None:
    kind = None if counted else "bulk"
    start = builder.bind(partial(start_work, kind, match.instruction, function))
    builder.line(f"{start}(group, {builder.mask}, {', '.join(operands)})")


def _ctas(builder: BlockBuilder, match: Match) -> str:
    """The operand that masks the cluster's blocks that a copy writes to."""
    return builder.source(match.operands["ctas"], _CTAS) if "ctas" in match.operands else "None"


def _mode(match: Match) -> str:
    return match["mode"].removesuffix("_no_offs") or "tile"


def _tensor(builder: BlockBuilder, match: Match) -> tuple[str, int, list[str]]:
    """Base and offset of the map's address in `[map, {c0, c1}]`, then coordinates and offsets."""
    operand = match.operands["tensor"]
    if not isinstance(operand, Address) or len(operand.further) != 1:
        raise match.fail("a tensor operand must have the form [map, {coordinates}]")
    rank, mode = int(match["rank"][0]), _mode(match)
    coordinates = _elements(operand.further[0])
    of_pixels = mode.startswith("im2col")
    count = rank if of_pixels else MODES[mode].coordinates(rank)
    if len(coordinates) != count:
        raise match.fail(f"expected {count} coordinates, found {len(coordinates)}")
    found = [builder.source(c, _COORDINATE) for c in coordinates]
    if of_pixels:
        found += _offsets(builder, match, MODES[mode].further(rank))
    base, offset = builder.address(Address(operand.base, operand.offset), "generic")
    return base, offset, found


def _elements(operand: Operand) -> tuple[Operand, ...]:
    return operand.elements if isinstance(operand, Vector) else (operand,)


def _offsets(builder: BlockBuilder, match: Match, count: int) -> list[str]:
    """The im2col offsets of the pixels; zeros if the instruction has none."""
    if "offsets" not in match.operands:
        return [builder.bind(np.zeros((1, 1), np.int32))] * count
    offsets = _elements(match.operands["offsets"])
    if len(offsets) != count:
        raise match.fail(f"expected {count} offsets, found {len(offsets)}")
    return [builder.source(each, _OFFSET) for each in offsets]


def _emit_tensor_copy(builder: BlockBuilder, match: Match) -> None:
    map_base, map_offset, coordinates = _tensor(builder, match)
    tile_base, tile_offset = builder.address(match.operands["tile"], "shared")
    barrier = match.operands.get("barrier")
    barrier_base, barrier_offset = "None", 0
    if barrier is not None:
        barrier_base, barrier_offset = builder.address(barrier, "shared")
    function = partial(
        _copy_box,
        offsets=(map_offset, tile_offset, barrier_offset),
        mode=_mode(match),
        update=_UPDATES.get(match["operation"]),
        of_pair=match["pair"] == "cta_group::2",
    )
    operands = [map_base, tile_base, barrier_base, _ctas(builder, match), *coordinates]
    _emit_start(builder, match, function, operands, counted=barrier is not None)


def _copy_box(
    group: ThreadGroup,
    mask: Mask | None,
    tensor_map: Array,
    tile: Array,
    barrier: Array | None,
    ctas: Array | None,
    *coordinates: Array,
    offsets: tuple[int, int, int],
    mode: str,
    update: Update | None,
    of_pair: bool,
) -> None:
    where, of = (tile, offsets[1]), (tensor_map, offsets[0])
    if barrier is None:
        bulk_copies.copy_box(
            group, of, coordinates, where, mask, direction="store", mode=mode, update=update
        )
        return
    for lanes, into, counter in bulk_copies.each_destination(
        group, mask, ctas, where, (barrier, offsets[2]), of_pair=of_pair
    ):
        bulk_copies.check_counting(group, lanes, into, counter, of_pair=of_pair)
        bulk_copies.copy_box(
            group, of, coordinates, into, lanes, direction="load", mode=mode, barrier=counter
        )


def _emit_prefetch_range(builder: BlockBuilder, match: Match) -> None:
    """Checks the operands only: a prefetch has no effect on memory."""
    builder.address(match.operands["source"], "global")
    builder.source(match.operands["size"], _SIZE)
    _check_size(match)


def _check_size(match: Match) -> None:
    size = match.immediate("size")
    if size is not None and size % _BULK_BYTES:
        raise match.fail(
            "the size of a bulk copy or prefetch must be a multiple of "
            f"{_BULK_BYTES} bytes, not {size}"
        )


def _emit_prefetch(builder: BlockBuilder, match: Match) -> None:
    """Checks only that the tensor map exists: a prefetch has no effect on memory."""
    base, offset, _ = _tensor(builder, match)
    builder.line(f"{builder.bind(_check_maps)}(group, {base}, {offset}, {builder.mask})")


def _check_maps(group: ThreadGroup, address: Array, offset: int, mask: Mask | None) -> None:
    for issuer in issuers(group, mask):
        bulk_copies.read_map(issuer, address, offset)


_ENUMERATED = ("elemtype", "interleave_layout", "swizzle_mode", "fill_mode")
"""The fields of a tensor map whose values are enumerated."""


def _replace(
    group: ThreadGroup,
    address: Array,
    offset: int,
    mask: Mask | None,
    value: Array,
    *,
    field: str,
    index: int,
    access: InstructionAccess,
) -> None:
    base = np.broadcast_to(address, group.shape)
    for issuer in issuers(group, mask):
        only = issuer.only
        words = [
            group.memory.load(group, base, offset + position, only, access)[only]
            for position in range(0, MAP_BYTES, 8)
        ]
        data = np.concatenate(words).tobytes()
        data = replace_field(data, field, index, issuer.value(value))
        for position, word in enumerate(np.frombuffer(data, np.uint64)):
            stored = (np.full((1, 1), word),)
            group.memory.store(group, base, offset + 8 * position, stored, only, access)
        if access.space == "global":
            user = bulk_copies.map_user(issuer, only)
            group.memory.heap.map_proxy.change(user, issuer.value(address) + offset, data)


def _emit_replace(builder: BlockBuilder, match: Match) -> None:
    space = memory_space(match)
    access = InstructionAccess(space, np.dtype(np.uint64), 1, "write")
    base, offset = builder.address(match.operands["a"], space)
    type_ = TYPES[match["type"]]
    for name in ("ordinal", "value"):
        is_constant = name == "ordinal" or match["field"] in _ENUMERATED
        if is_constant and name in match.operands and match.immediate(name) is None:
            raise match.fail(f"the {name} of a field must be a constant")
    ordinal = match.immediate("ordinal") or 0
    function = partial(_replace, field=match["field"], index=ordinal, access=access)
    value = builder.source(match.operands["value"], type_)
    builder.line(f"{builder.bind(function)}(group, {base}, {offset}, {builder.mask}, {value})")


def _publish(
    group: ThreadGroup,
    target: Array,
    target_offset: int,
    source: Array,
    source_offset: int,
    *,
    scope: str,
) -> None:
    """Copies a map: the first lane does what the lanes of a warp do together."""
    lanes = np.zeros(group.shape, np.bool_)
    lanes[:, ::WARP_SIZE] = True
    lanes &= group.active()
    copied: list[Array] = []
    for position in range(0, MAP_BYTES, 8):
        read = InstructionAccess("shared", np.dtype(np.uint64), 1, "read")
        write = InstructionAccess("global", np.dtype(np.uint64), 1, "write")
        words = group.memory.load(group, source, source_offset + position, lanes, read)
        group.memory.store(group, target, target_offset + position, (words,), lanes, write)
        copied.append(np.broadcast_to(words, group.shape))
    for issuer in issuers(group, lanes):
        data = np.array([words[issuer.lane] for words in copied], np.uint64).tobytes()
        warp = np.repeat(issuer.only[:, ::WARP_SIZE], WARP_SIZE, axis=1) & group.active()
        user = bulk_copies.map_user(issuer, warp)
        address = issuer.value(target) + target_offset
        group.memory.heap.map_proxy.change(user, address, data, scope)


def _acquire(
    group: ThreadGroup, address: Array, offset: int, mask: Mask | None, *, scope: str
) -> None:
    for issuer in issuers(group, mask):
        user = bulk_copies.map_user(issuer, issuer.only)
        group.memory.heap.map_proxy.acquire(user, issuer.value(address) + offset, scope)


def _emit_acquire(builder: BlockBuilder, match: Match) -> None:
    if match.immediate("size") != MAP_BYTES:
        raise match.fail(f"the size of a tensor map must be a constant of {MAP_BYTES} bytes")
    base, offset = builder.address(match.operands["a"], "generic")
    function = builder.bind(partial(_acquire, scope=match["scope"]))
    builder.line(f"{function}(group, {base}, {offset}, {builder.mask})")


def _release(group: ThreadGroup, mask: Mask | None, *, scope: str) -> None:
    for issuer in issuers(group, mask):
        user = bulk_copies.map_user(issuer, issuer.only)
        group.memory.heap.map_proxy.release(user, scope)


def _emit_release(builder: BlockBuilder, match: Match) -> None:
    function = builder.bind(partial(_release, scope=match["scope"]))
    builder.line(f"{function}(group, {builder.mask})")


def _emit_publish(builder: BlockBuilder, match: Match) -> None:
    if match.immediate("size") != MAP_BYTES:
        raise match.fail(f"the size of a tensor map must be a constant of {MAP_BYTES} bytes")
    target, target_offset = builder.address(match.operands["target"], "global")
    source, source_offset = builder.address(match.operands["source"], "shared")
    function = builder.bind(partial(_publish, scope=match["scope"]))
    builder.line(f"{function}(group, {target}, {target_offset}, {source}, {source_offset})")


def _emit_publish_objects(builder: BlockBuilder, match: Match) -> None:
    if builder.checked:
        builder.line(f"group.memory.races.objects.publish(group, {builder.mask})")
    else:
        emit_nothing(builder, match)


_COPY = Compute(_emit_copy)
_TENSOR_COPY = Compute(_emit_tensor_copy)
_HINT = "{.L2::cache_hint}"
_RANK = "<rank:1d|2d|3d|4d|5d>"
_INTO_SHARED = ".<to:shared::cluster|shared::cta>"
_COUNTED = ".mbarrier::complete_tx::bytes"
_MULTICAST = ".multicast::cluster"
_OPERATION = "<operation:add|min|max|inc|dec|and|or|xor>"
_TENSOR = "cp.async.bulk.tensor"
_PAIR = "{.<pair:cta_group::1|cta_group::2>}"
_COORDINATES_RANK = "<rank:3d|4d|5d>"
# The modes of loads, with the operand they take, and those of stores.
_LOADED = (
    (_RANK, "{.tile}", ""),
    (_COORDINATES_RANK, ".<mode:im2col|im2col::w|im2col::w::128>", ", offsets"),
    ("<rank:2d>", ".<mode:tile::gather4>", ""),
)
_STORED = ((_RANK, "{.tile}"), (_COORDINATES_RANK, ".<mode:im2col_no_offs>"))
_REPLACE = "tensormap.replace.tile.<field:{}>.<space:global|shared::cta>.b1024.<type:{}> a, "

FORMS: tuple[Form, ...] = (
    Form(
        f"cp.async.bulk{_INTO_SHARED}.<of:global>{_COUNTED}{_HINT}"
        " target, source, size, barrier{, policy}",
        _COPY,
    ),
    Form(
        f"cp.async.bulk.<to:shared::cluster>.<of:global>{_COUNTED}{_MULTICAST}{_HINT}"
        " target, source, size, barrier, ctas{, policy}",
        _COPY,
    ),
    Form(
        f"cp.async.bulk.<to:shared::cluster>.<of:shared::cta>{_COUNTED}"
        " target, source, size, barrier",
        _COPY,
    ),
    Form(
        f"cp.async.bulk.<to:global>.<of:shared::cta>.bulk_group{_HINT}"
        " target, source, size{, policy}",
        _COPY,
    ),
    *(
        Form(
            f"cp.reduce.async.bulk.<to:global>.<of:shared::cta>.bulk_group{_HINT}"
            f".<operation:{operations}>.<type:{types}> target, source, size{{, policy}}",
            _COPY,
        )
        for operations, types in (
            ("add", "u32|s32|u64|f32|f64"),
            ("min|max", "u32|s32|u64|s64"),
            ("inc|dec", "u32"),
            ("and|or|xor", "b32|b64"),
        )
    ),
    Form(
        f"cp.reduce.async.bulk.<to:global>.<of:shared::cta>.bulk_group{_HINT}.<operation:add>"
        ".noftz.<type:f16|bf16> target, source, size{, policy}",
        _COPY,
    ),
    Form(
        f"cp.reduce.async.bulk.<to:global>.<of:shared::cta>.bulk_group{_HINT}.<operation:min|max>"
        ".<type:f16|bf16> target, source, size{, policy}",
        _COPY,
    ),
    Form(
        f"cp.async.bulk.prefetch.L2.global{_HINT} source, size{{, policy}}",
        Compute(_emit_prefetch_range),
    ),
    *(
        Form(f"cp.async.bulk.tensor.{rank}{to}.global{mode}{_COUNTED}{rest}", _TENSOR_COPY)
        for rank, mode, offsets in _LOADED
        for to, rest in (
            (_INTO_SHARED, f"{_PAIR}{_HINT} tile, tensor, barrier{offsets}{{, policy}}"),
            (
                ".<to:shared::cluster>",
                f"{_MULTICAST}{_PAIR}{_HINT} tile, tensor, barrier{offsets}, ctas{{, policy}}",
            ),
        )
    ),
    *(
        Form(
            f"{_TENSOR}.{rank}.global.shared::cta{mode}.bulk_group{_HINT} tensor, tile{{, policy}}",
            _TENSOR_COPY,
        )
        for rank, mode in (*_STORED, ("<rank:2d>", ".<mode:tile::scatter4>"))
    ),
    *(
        Form(
            f"cp.reduce.async.bulk.tensor.{rank}.global.shared::cta.{_OPERATION}{mode}"
            f".bulk_group{_HINT} tensor, tile{{, policy}}",
            _TENSOR_COPY,
        )
        for rank, mode in _STORED
    ),
    *(
        Form(
            f"cp.async.bulk.prefetch.tensor.{rank}.L2.global{mode}{_HINT}"
            f" tensor{offsets}{{, policy}}",
            Compute(_emit_prefetch),
        )
        for rank, mode, offsets in _LOADED
    ),
    Form("cp.async.bulk.commit_group", Compute(commits("bulk"))),
    Form("cp.async.bulk.wait_group{.read} count", Compute(waits("bulk"))),
    Form(_REPLACE.format("global_address", "b64") + "value", Compute(_emit_replace)),
    Form(
        _REPLACE.format("rank|elemtype|interleave_layout|swizzle_mode|fill_mode", "b32") + "value",
        Compute(_emit_replace),
    ),
    Form(
        _REPLACE.format("box_dim|global_dim|element_stride", "b32") + "ordinal, value",
        Compute(_emit_replace),
    ),
    Form(_REPLACE.format("global_stride", "b64") + "ordinal, value", Compute(_emit_replace)),
    Form(
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release"
        ".<scope:cta|cluster|gpu|sys>.sync.aligned target, source, size",
        Collective(_emit_publish),
    ),
    Form(
        "fence.proxy.tensormap::generic.acquire.<scope:cta|cluster|gpu|sys> a, size",
        Compute(_emit_acquire),
    ),
    Form(
        "fence.proxy.tensormap::generic.release.<scope:cta|cluster|gpu|sys>",
        Compute(_emit_release),
    ),
    Form("fence.mbarrier_init.release.cluster", Compute(_emit_publish_objects)),
)
