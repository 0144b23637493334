"""Exchange between the lanes of a warp (PTX ISA, "Parallel Synchronization and Communication").

The functions reshape arrays of a group to `[blocks, warps, 32]`. The active lanes in the member
mask take part in an instruction; the scheduler has reunited them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tileir_xdsl.emulator.block_builder import BlockBuilder
from tileir_xdsl.emulator.errors import WARP_SIZE, LaneFault
from tileir_xdsl.emulator.groups import ThreadGroup
from tileir_xdsl.emulator.instructions.form import Collective, Compute, Emit, Form
from tileir_xdsl.emulator.instructions.match import Match
from tileir_xdsl.emulator.kernel_names import PREDICATE
from tileir_xdsl.emulator.syntax import Operand
from tileir_xdsl.emulator.types import TYPES, Array, Mask, ScalarType

_WORD = TYPES["u32"]
_LANES = np.arange(WARP_SIZE)
_LANE_BITS = np.left_shift(np.uint32(1), _LANES.astype(np.uint32))


def by_warp(group: ThreadGroup, x: Array) -> Array:
    """Reshapes an array that broadcasts over threads to `[blocks, warps, 32]`."""
    if x.shape != group.shape:
        x = np.broadcast_to(x, group.shape)
    return x.reshape(group.b1 - group.b0, -1, WARP_SIZE)


def _lane_bits(lanes: Mask) -> Array:
    """Packs the lanes of a mask into bits, `[blocks, warps, 1]`."""
    return np.where(lanes, _LANE_BITS, np.uint32(0)).sum(axis=-1, dtype=np.uint32)[..., None]


def _active_lanes(group: ThreadGroup) -> Mask:
    return by_warp(group, group.active())


def _check_members(group: ThreadGroup, mask: Array) -> None:
    """Raises `LaneFault` if the member mask of an active lane does not contain the lane itself."""
    outside = (by_warp(group, mask) & _LANE_BITS) == 0
    if np.count_nonzero(outside):
        outside &= _active_lanes(group)
        if outside.any():
            raise LaneFault(
                "the member mask of a lane does not contain the lane itself",
                outside.reshape(group.shape),
            )


def _meet(group: ThreadGroup, mask: Array) -> None:
    """`bar.warp.sync`: reports synchronisation to the race detector; lanes are reunited already."""
    _check_members(group, mask)
    if group.memory.races is not None:
        group.memory.races.barriers.meet_warps(group)


def _members(group: ThreadGroup, mask: Array) -> Array:
    """The member mask of each lane, without inactive lanes.

    Raises `LaneFault` if the mask of an active lane does not contain the lane itself.
    """
    _check_members(group, mask)
    return by_warp(group, mask) & _lane_bits(_active_lanes(group))


def _flat(group: ThreadGroup, x: Array) -> Array:
    """Reshapes an array over blocks, warps and lanes to `[blocks, threads]`."""
    blocks, threads = group.shape
    return np.broadcast_to(x, (blocks, threads // WARP_SIZE, WARP_SIZE)).reshape(group.shape)


def _source_lanes(mode: str, shift: Array, control: Array) -> tuple[Array, Mask]:
    """The source lane of each lane of `shfl`, or the lane itself if the source is out of range."""
    shift, control = shift.astype(np.int64) & 31, control.astype(np.int64)
    segment = (control >> 8) & 31
    lowest = _LANES & segment
    bound = lowest | (control & 31 & ~segment)
    match mode:
        case "up":
            source = _LANES - shift
            inside = source >= bound
        case "down":
            source = _LANES + shift
            inside = source <= bound
        case "bfly":
            source = _LANES ^ shift
            inside = source <= bound
        case _:
            source = lowest | (shift & ~segment)
            inside = source <= bound
    return np.where(inside, source, _LANES), inside


def _shuffle(match: Match) -> Callable[..., tuple[Array, Array]]:
    """`shfl.sync`: the value of the source lane, and whether that lane is in range."""
    mode = match["mode"]
    constants = match.immediate("b"), match.immediate("c")

    def shuffle(
        group: ThreadGroup, a: Array, b: Array, c: Array, mask: Array
    ) -> tuple[Array, Array]:
        _check_members(group, mask)
        source, inside = _source_lanes(mode, by_warp(group, b), by_warp(group, c))
        return _flat(group, np.take_along_axis(by_warp(group, a), source, axis=-1)), _flat(
            group, inside
        )

    if None in constants:
        return shuffle
    fixed_source, fixed_inside = _source_lanes(mode, *(np.array(x) for x in constants))

    def shuffle_by_constant(
        group: ThreadGroup, a: Array, b: Array, c: Array, mask: Array
    ) -> tuple[Array, Array]:
        del b, c
        _check_members(group, mask)
        return _flat(group, by_warp(group, a).take(fixed_source, axis=-1)), _flat(
            group, fixed_inside
        )

    return shuffle_by_constant


def _vote(mode: str) -> Callable[..., Array]:
    def vote(group: ThreadGroup, a: Array, mask: Array) -> Array:
        members = _members(group, mask)
        holding = _lane_bits(by_warp(group, a)) & members
        match mode:
            case "ballot":
                return _flat(group, holding)
            case "all":
                return _flat(group, holding == members)
            case "any":
                return _flat(group, holding != 0)
            case _:
                return _flat(group, (holding == members) | (holding == 0))

    return vote


def _equal_members(group: ThreadGroup, a: Array, mask: Array) -> tuple[Array, Array]:
    """For each lane, the bits of the members with the same value, and of all members."""
    members = _members(group, mask)
    values = by_warp(group, a)
    equal = values[..., :, None] == values[..., None, :]
    bits = np.where(equal, _LANE_BITS, np.uint32(0)).sum(axis=-1, dtype=np.uint32)
    return bits & members, members


def _match_any(group: ThreadGroup, a: Array, mask: Array) -> Array:
    return _flat(group, _equal_members(group, a, mask)[0])


def _match_all(group: ThreadGroup, a: Array, mask: Array) -> tuple[Array, Array]:
    equal, members = _equal_members(group, a, mask)
    same = equal == members
    return _flat(group, np.where(same, members, np.uint32(0))), _flat(group, same)


_REDUCTIONS: dict[str, np.ufunc] = {
    "add": np.add,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


def _identity(operation: str, dtype: np.dtype[Any]) -> Any:
    if operation in ("min", "max"):
        if dtype.kind == "f":
            return dtype.type(np.inf if operation == "min" else -np.inf)
        limits = np.iinfo(dtype)
        return dtype.type(limits.max if operation == "min" else limits.min)
    return ~dtype.type(0) if operation == "and" else dtype.type(0)


def _reduce(match: Match) -> Callable[..., Array]:
    """`redux.sync`: a reduction over the members of each lane's mask."""
    operation, dtype = match["operation"], match.type().dtype
    ufunc = _REDUCTIONS[operation]
    identity = _identity(operation, dtype)
    is_float = dtype.kind == "f"
    propagate = match.has("NaN")

    def reduce(group: ThreadGroup, a: Array, mask: Array) -> Array:
        members = _members(group, mask)
        values = by_warp(group, a)
        if match.has("abs"):
            values = np.abs(values)
        result = np.zeros(values.shape, dtype)
        for chosen in np.unique(members[_active_lanes(group)]):
            taking_part = (chosen & _LANE_BITS) != 0
            own = members == chosen
            counted = np.where(taking_part, values, identity)
            if is_float and not propagate:
                nan = np.isnan(counted)
                numbers = np.where(nan, identity, counted)
                total = ufunc.reduce(numbers, axis=-1, keepdims=True)
                only_nan = (nan | ~taking_part).all(axis=-1, keepdims=True)
                total = np.where(only_nan, dtype.type(np.nan), total)
            else:
                total = ufunc.reduce(counted, axis=-1, keepdims=True, dtype=dtype)
            result = np.where(own, total, result)
        return _flat(group, result)

    return reduce


def _elect(group: ThreadGroup, mask: Array) -> tuple[Array, Array]:
    """`elect.sync`: the number of the lowest member, and whether the lane is this member."""
    members = _members(group, mask)
    lowest = np.bitwise_count((members & (~members + np.uint32(1))) - np.uint32(1))
    leader = lowest.astype(np.uint32)
    return _flat(group, leader), _flat(group, leader == _LANES)


def _active_mask(group: ThreadGroup) -> Array:
    return _flat(group, _lane_bits(_active_lanes(group)))


def _exchange(
    function: Callable[[Match], Callable[..., Any]],
    operands: tuple[str, ...],
    types: Callable[[Match], tuple[ScalarType, ...]],
    results: Callable[[Match], tuple[ScalarType, ...]],
) -> Emit:
    """Emits `function(match)(group, *operands)`, and writes its results to the destinations."""

    def emit(builder: BlockBuilder, match: Match) -> None:
        arguments = [
            builder.source(match.operands[name], type_)
            for name, type_ in zip(operands, types(match), strict=True)
        ]
        call = f"{builder.bind(function(match))}({', '.join(['group', *arguments])})"
        builder.line(f"r = {call}")
        kinds = results(match)
        if not kinds:
            return
        destinations: tuple[Operand, ...] = (match.operands["d"],)
        values = ("r",)
        if len(kinds) == 2:
            destinations, values = builder.pair(match.operands["d"]), ("r[0]", "r[1]")
        for destination, type_, value in zip(destinations, kinds, values, strict=True):
            builder.assign(destination, type_, value)

    return emit


def _collective(
    syntax: str,
    function: Callable[[Match], Callable[..., Any]],
    sources: Callable[[Match], tuple[ScalarType, ...]],
    results: Callable[[Match], tuple[ScalarType, ...]],
) -> Form:
    """A form `opcode d, sources..., mask`."""
    names = tuple(syntax.partition(" ")[2].replace(",", " ").split())
    operands = names[1:] if names[0] == "d" else names
    return Form(syntax, Collective(_exchange(function, operands, sources, results), "mask"))


def _whole_warp(
    syntax: str,
    function: Callable[[Match], Callable[..., Any]],
    sources: Callable[[Match], tuple[ScalarType, ...]],
    results: Callable[[Match], tuple[ScalarType, ...]],
) -> Form:
    """A form without `.sync`, as before sm_70: all lanes of the warp take part."""
    operands = tuple(syntax.partition(" ")[2].replace(",", " ").split())[1:]
    members = np.full((1, 1), 0xFFFFFFFF, np.uint32)

    def of_all(match: Match) -> Callable[..., Any]:
        among = function(match)

        def exchange(group: ThreadGroup, *arguments: Array) -> object:
            return among(group, *arguments, members)

        return exchange

    return Form(syntax, Collective(_exchange(of_all, operands, sources, results)))


def _emit_active_mask(builder: BlockBuilder, match: Match) -> None:
    builder.assign(match.operands["d"], _WORD, f"{builder.bind(_active_mask)}(group)")


FORMS: tuple[Form, ...] = (
    Form(
        "shfl.sync.<mode:up|down|bfly|idx>.b32 d, a, b, c, mask",
        Collective(
            _exchange(
                _shuffle,
                ("a", "b", "c", "mask"),
                lambda _: (TYPES["b32"], _WORD, _WORD, _WORD),
                lambda _: (TYPES["b32"], PREDICATE),
            ),
            "mask",
        ),
    ),
    _collective(
        "vote.sync.<mode:all|any|uni>.pred d, a, mask",
        lambda match: _vote(match["mode"]),
        lambda _: (PREDICATE, _WORD),
        lambda _: (PREDICATE,),
    ),
    _collective(
        "vote.sync.<mode:ballot>.b32 d, a, mask",
        lambda match: _vote(match["mode"]),
        lambda _: (PREDICATE, _WORD),
        lambda _: (_WORD,),
    ),
    _whole_warp(
        "vote.<mode:all|any|uni>.pred d, a",
        lambda match: _vote(match["mode"]),
        lambda _: (PREDICATE,),
        lambda _: (PREDICATE,),
    ),
    _whole_warp(
        "vote.<mode:ballot>.b32 d, a",
        lambda match: _vote(match["mode"]),
        lambda _: (PREDICATE,),
        lambda _: (_WORD,),
    ),
    _whole_warp(
        "shfl.<mode:up|down|bfly|idx>.b32 d, a, b, c",
        _shuffle,
        lambda _: (TYPES["b32"], _WORD, _WORD),
        lambda _: (TYPES["b32"], PREDICATE),
    ),
    _collective(
        "match.any.sync.<type:b32|b64> d, a, mask",
        lambda _: _match_any,
        lambda match: (match.type(), _WORD),
        lambda _: (_WORD,),
    ),
    _collective(
        "match.all.sync.<type:b32|b64> d, a, mask",
        lambda _: _match_all,
        lambda match: (match.type(), _WORD),
        lambda _: (_WORD, PREDICATE),
    ),
    _collective(
        "redux.sync.<operation:add|min|max>.<type:u32|s32> d, a, mask",
        _reduce,
        lambda match: (match.type(), _WORD),
        lambda match: (match.type(),),
    ),
    _collective(
        "redux.sync.<operation:and|or|xor>.<type:b32> d, a, mask",
        _reduce,
        lambda match: (match.type(), _WORD),
        lambda match: (match.type(),),
    ),
    _collective(
        "redux.sync.<operation:min|max>{.abs}{.NaN}.<type:f32> d, a, mask",
        _reduce,
        lambda match: (match.type(), _WORD),
        lambda match: (match.type(),),
    ),
    _collective(
        "elect.sync d, mask",
        lambda _: _elect,
        lambda _: (_WORD,),
        lambda _: (_WORD, PREDICATE),
    ),
    _collective("bar.warp.sync mask", lambda _: _meet, lambda _: (_WORD,), lambda _: ()),
    Form("activemask.b32 d", Compute(_emit_active_mask)),
)
