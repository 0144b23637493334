"""Blocks take over others that have not started (PTX ISA, "clusterlaunchcontrol").

Programs cannot interpret the 16 bytes of an answer. Here the low word marks them as an answer, and
says whether a launch was canceled. The high word has the coordinates of the first block of the
canceled cluster.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from tileir_xdsl.emulator import bulk_copies
from tileir_xdsl.emulator.block_builder import BlockBuilder
from tileir_xdsl.emulator.errors import LaneFault
from tileir_xdsl.emulator.groups import ThreadGroup
from tileir_xdsl.emulator.instructions.asynchronous import start_work
from tileir_xdsl.emulator.instructions.form import Compute, Form
from tileir_xdsl.emulator.instructions.match import Match
from tileir_xdsl.emulator.issuers import issuers
from tileir_xdsl.emulator.kernel_names import PREDICATE
from tileir_xdsl.emulator.state_spaces import SHARED_WINDOW, InstructionAccess
from tileir_xdsl.emulator.types import TYPES, Array, Mask

_ANSWER = TYPES["b128"]
_COORDINATE = TYPES["u32"]
_WORD = np.dtype(np.uint64)
_FAILED, _CANCELED = np.uint64(0xC1C0_0000_0000_0000), np.uint64(0xC1C1_0000_0000_0000)
# The first bit and the number of bits of x, y and z in the high word.
_FIELDS = {"x": (0, 32), "y": (32, 16), "z": (48, 16)}


def _emit_try_cancel(builder: BlockBuilder, match: Match) -> None:
    space = "shared" if match["space"] else "generic"
    answer, answer_offset = builder.address(match.operands["answer"], space)
    barrier, barrier_offset = builder.address(match.operands["barrier"], space)
    window = SHARED_WINDOW if space == "generic" else 0
    function = partial(
        _try_cancel,
        offsets=(answer_offset - window, barrier_offset - window),
        multicast=bool(match["multicast"]),
    )
    start = builder.bind(partial(start_work, None, match.instruction, function))
    builder.line(f"{builder.bind(_check_not_refused)}(group, {builder.mask})")
    builder.line(f"{start}(group, {builder.mask}, {answer}, {barrier})")


def _check_not_refused(group: ThreadGroup, mask: Mask | None) -> None:
    """Raises `LaneFault` if a block that has seen a failed request makes another one."""
    active = group.active() if mask is None else mask
    again = active & group.memory.grid.refused[group.b0 : group.b1, None]
    if again.any():
        raise LaneFault(
            "a block requests to cancel a launch after it has seen an earlier request fail", again
        )


def _try_cancel(
    group: ThreadGroup,
    mask: Mask | None,
    answer: Array,
    barrier: Array,
    *,
    offsets: tuple[int, int],
    multicast: bool,
) -> None:
    """Answers each thread's request in one block or all, and reports the bytes to barriers."""
    clusters = group.memory.clusters
    ranks = (1 << (1 if clusters is None else clusters.size)) - 1
    everyone = np.full((1, 1), ranks) if multicast else None
    access = InstructionAccess("shared::cluster" if multicast else "shared", _WORD, 2, "write")
    for issuer in issuers(group, mask):
        values = _answer(group.memory.grid.cancel())
        positions = ((answer, offsets[0]), (barrier, offsets[1]))
        for lanes, into, counter in bulk_copies.each_destination(
            group, issuer.only, everyone, *positions
        ):
            group.memory.store(group, *into, values, lanes, access)
            bulk_copies.count_bytes(group, *counter, lanes, access.size)


def _answer(canceled: tuple[int, int, int] | None) -> tuple[Array, Array]:
    if canceled is None:
        return np.full((1, 1), _FAILED), np.zeros((1, 1), _WORD)
    position = sum(
        index << first for index, (first, _) in zip(canceled, _FIELDS.values(), strict=True)
    )
    return np.full((1, 1), _CANCELED), np.full((1, 1), position, _WORD)


def _is_canceled(group: ThreadGroup, mask: Mask | None, answer: Array) -> Mask:
    """Whether each answer says that a launch was canceled; marks blocks that see a failed request.

    Raises `LaneFault` for 16 bytes that are not an answer.
    """
    active = group.active() if mask is None else np.broadcast_to(mask, group.shape)
    state = np.broadcast_to(answer[..., 0], group.shape)
    strange = active & (state != _FAILED) & (state != _CANCELED)
    if strange.any():
        raise LaneFault("the operand is not a response of clusterlaunchcontrol.try_cancel", strange)
    refused = (active & (state == _FAILED)).any(axis=1)
    group.memory.grid.refused[group.b0 : group.b1] |= refused
    return state == _CANCELED


def _coordinate(group: ThreadGroup, mask: Mask | None, answer: Array, *, axis: str) -> Array:
    """A coordinate of the first block of a canceled cluster.

    Raises `LaneFault` if no launch was canceled.
    """
    active = group.active() if mask is None else np.broadcast_to(mask, group.shape)
    none = active & (np.broadcast_to(answer[..., 0], group.shape) != _CANCELED)
    if none.any():
        raise LaneFault(
            "the request has canceled no launch, so its response has no block coordinates", none
        )
    first, bits = _FIELDS[axis]
    return (answer[..., 1] >> np.uint64(first)) & np.uint64((1 << bits) - 1)


def _emit_is_canceled(builder: BlockBuilder, match: Match) -> None:
    answer = builder.source(match.operands["a"], _ANSWER)
    call = f"{builder.bind(_is_canceled)}(group, {builder.mask}, {answer})"
    builder.assign(match.operands["d"], PREDICATE, call)


def _emit_coordinates(builder: BlockBuilder, match: Match) -> None:
    axes = match["axis"][-1:] or "xyz"
    answer = builder.source(match.operands["a"], _ANSWER)
    destinations = builder.elements(match.operands["d"], 1 if match["axis"] else len("xyz_"))
    # The fourth element of a vector is unspecified.
    for axis, destination in zip(axes, destinations, strict=False):
        function = builder.bind(partial(_coordinate, axis=axis))
        call = f"{function}(group, {builder.mask}, {answer})"
        builder.assign(destination, _COORDINATE, call)


FORMS: tuple[Form, ...] = (
    Form(
        "clusterlaunchcontrol.try_cancel.async{.<space:shared::cta>}.mbarrier::complete_tx::bytes"
        "{.<multicast:multicast::cluster::all>}.b128 answer, barrier",
        Compute(_emit_try_cancel),
    ),
    Form(
        "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 d, a", Compute(_emit_is_canceled)
    ),
    Form(
        "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 d, a",
        Compute(_emit_coordinates),
    ),
    Form(
        "clusterlaunchcontrol.query_cancel.<axis:get_first_ctaid::x|get_first_ctaid::y"
        "|get_first_ctaid::z>.b32.b128 d, a",
        Compute(_emit_coordinates),
    ),
)
