"""Barrier objects in shared memory (PTX ISA, "mbarrier", "cp.async.mbarrier.arrive")."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from tileir_xdsl.emulator import mbarriers
from tileir_xdsl.emulator.block_builder import BlockBuilder
from tileir_xdsl.emulator.groups import ThreadGroup
from tileir_xdsl.emulator.instructions.form import Compute, Form
from tileir_xdsl.emulator.instructions.match import Match
from tileir_xdsl.emulator.kernel_names import PREDICATE
from tileir_xdsl.emulator.mbarrier_state import Change, State
from tileir_xdsl.emulator.state_spaces import SHARED_WINDOW
from tileir_xdsl.emulator.syntax import Instruction, Operand, Sink
from tileir_xdsl.emulator.types import TYPES, Array, Mask

_COUNT = TYPES["u32"]
_STATE = TYPES["b64"]


def _call(
    builder: BlockBuilder, match: Match, function: Callable[..., Any], *arguments: str
) -> str:
    """Generates a call of a function on the barrier objects at the address operand.

    Generic addresses become offsets in the shared-memory window.
    """
    space = "shared" if match["space"] else "generic"
    base, offset = builder.address(match.operands["a"], space)
    if space == "generic":
        offset -= SHARED_WINDOW
    return (
        f"{builder.bind(function)}(group, {base}, {offset}, {builder.mask}, {', '.join(arguments)})"
    )


def _operand(builder: BlockBuilder, match: Match, name: str, default: int) -> str:
    operand: Operand | None = match.operands.get(name)
    if operand is None:
        return builder.bind(np.full((1, 1), default, _COUNT.dtype))
    return builder.source(operand, _COUNT)


def _emit_initialise(builder: BlockBuilder, match: Match) -> None:
    count = _operand(builder, match, "count", 1)
    builder.line(_call(builder, match, mbarriers.initialise, count))


def _emit_invalidate(builder: BlockBuilder, match: Match) -> None:
    builder.line(_call(builder, match, mbarriers.invalidate))


def _arrive(
    group: ThreadGroup,
    address: Array,
    offset: int,
    mask: Mask | None,
    count: Array,
    expected_bytes: Array,
    *,
    drops: bool,
    completes: bool,
    releases: bool,
    scope: str,
) -> Array:
    change = Change(
        count,
        count if drops else 0,
        expected_bytes,
        "threads" if releases else "nothing",
        scope,
    )
    return mbarriers.update(group, address, offset, mask, change, completes=completes)


def _emit_arrive(builder: BlockBuilder, match: Match) -> None:
    """With `.expect_tx` the operand is a number of bytes, and the count of arrivals is one."""
    if match["space"] == "shared::cluster" and not isinstance(match.operands["d"], Sink):
        raise match.fail(
            "an arrival at another block's barrier object has no result: write '_' in its place"
        )
    expects = match.has("expect_tx")
    count = _operand(builder, match, "missing" if expects else "count", 1)
    expected_bytes = _operand(builder, match, "count" if expects else "missing", 0)
    function = partial(
        _arrive,
        drops="arrive_drop" in match.instruction.mnemonic,
        completes=not match.has("noComplete"),
        releases=match["semantics"] != "relaxed",
        scope=match["scope"] or "cta",
    )
    builder.line(f"r = {_call(builder, match, function, count, expected_bytes)}")
    builder.assign(match.operands["d"], _STATE, "r")


def _arrive_after_copies(
    group: ThreadGroup,
    address: Array,
    offset: int,
    mask: Mask | None,
    instruction: Instruction,
    *,
    counted: bool,
) -> None:
    """Arrives when the thread's copies are complete; adds a pending arrival unless `counted`."""
    if not counted:
        mbarriers.update(group, address, offset, mask, Change(arrivals=-1))
    late, arrival = group.memory.late, Change(arrivals=1, releases="copies")
    if late is None:
        mbarriers.update(group, address, offset, mask, arrival)
        return
    address = address.copy()

    def arrive(group: ThreadGroup, mask: Mask) -> None:
        late.finish("copy", group, mask)
        mbarriers.update(group, address, offset, mask, arrival)

    group.put_off(None, mask, instruction, arrive)


def _emit_arrive_after_copies(builder: BlockBuilder, match: Match) -> None:
    function = partial(_arrive_after_copies, counted=match.has("noinc"))
    builder.line(_call(builder, match, function, builder.bind(match.instruction)))


def _count_bytes(
    group: ThreadGroup, address: Array, offset: int, mask: Mask | None, count: Array, *, sign: int
) -> None:
    change = Change(bytes=count.astype(np.int64) * sign)
    mbarriers.update(group, address, offset, mask, change)


def _emit_count_bytes(builder: BlockBuilder, match: Match) -> None:
    function = partial(_count_bytes, sign=1 if match["what"] == "expect_tx" else -1)
    builder.line(_call(builder, match, function, _operand(builder, match, "count", 0)))


def _phase_of(words: Array) -> Array:
    return State.unpack(words).phase


def _pending_of(words: Array) -> Array:
    return State.unpack(words).pending.astype(np.uint32)


def _parity(values: Array) -> Array:
    return values & np.uint32(1)


def _check_result(match: Match, name: str) -> None:
    if isinstance(match.operands[name], Sink):
        raise match.fail("the result operand cannot be '_'")


def _emit_wait(builder: BlockBuilder, match: Match) -> None:
    """Tests whether the phase of a state, or the last phase with a parity, is complete."""
    _check_result(match, "p")
    if "limit" in match.operands:
        builder.source(match.operands["limit"], _COUNT)
    by_parity = match.has("parity")
    value = builder.source(match.operands["phase"], _COUNT if by_parity else _STATE)
    phase = f"{builder.bind(_parity if by_parity else _phase_of)}({value})"
    function = partial(
        mbarriers.is_complete,
        suspends=match["wait"] == "try_wait",
        acquires=match["semantics"] != "relaxed",
        scope=match["scope"] or "cta",
    )
    call = _call(builder, match, function, phase, builder.bind(match.instruction))
    builder.assign(match.operands["p"], PREDICATE, call)


def _emit_pending_count(builder: BlockBuilder, match: Match) -> None:
    _check_result(match, "d")
    words = builder.source(match.operands["state"], _STATE)
    builder.assign(match.operands["d"], _COUNT, f"{builder.bind(_pending_of)}({words})")


_OWN = "{.<space:shared|shared::cta>}"
_ANY = "{.<space:shared|shared::cta|shared::cluster>}"
_SCOPE = "<scope:cta|cluster>"
_ORDER = f"{{.<semantics:relaxed|release>.{_SCOPE}}}"
_RELEASE = "{.<semantics:release>.<scope:cta>}"
_RELAXED = f"{{.<semantics:relaxed>.{_SCOPE}}}"
_ACQUIRE = f"{{.<semantics:relaxed|acquire>.{_SCOPE}}}"
_ARRIVE = Compute(_emit_arrive)
_WAIT = Compute(_emit_wait)

FORMS: tuple[Form, ...] = (
    Form(f"mbarrier.init{_OWN}.b64 a, count", Compute(_emit_initialise)),
    Form(f"mbarrier.inval{_OWN}.b64 a", Compute(_emit_invalidate)),
    *(
        Form(f"mbarrier.{arrive}{rest}", _ARRIVE)
        for arrive in ("arrive", "arrive_drop")
        for rest in (
            f"{_ORDER}{_ANY}.b64 d, a{{, count}}",
            f".expect_tx{_ORDER}{_ANY}.b64 d, a, count",
            f".noComplete{_RELEASE}{_OWN}.b64 d, a, count",
        )
    ),
    Form(
        f"mbarrier.<what:expect_tx|complete_tx>{_RELAXED}{_ANY}.b64 a, count",
        Compute(_emit_count_bytes),
    ),
    *(
        Form(f"mbarrier.<wait:{wait}>{parity}{_ACQUIRE}{_OWN}.b64 p, a, phase{limit}", _WAIT)
        for wait, limit in (("test_wait", ""), ("try_wait", "{, limit}"))
        for parity in ("", ".parity")
    ),
    Form("mbarrier.pending_count.b64 d, state", Compute(_emit_pending_count)),
    Form(f"cp.async.mbarrier.arrive{{.noinc}}{_OWN}.b64 a", Compute(_emit_arrive_after_copies)),
)
