"""Copies into tensor memory, shifts in it, and commits (PTX ISA, "tcgen05.cp", "tcgen05.shift",
"tcgen05.commit").

One thread issues the work, like mma, and it executes in order. If asynchronous work is delayed, it
executes when a thread waits for the barrier object of a commit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from tileir_xdsl.emulator import mbarriers
from tileir_xdsl.emulator.block_builder import BlockBuilder
from tileir_xdsl.emulator.bulk_copies import each_destination
from tileir_xdsl.emulator.errors import WARP_SIZE
from tileir_xdsl.emulator.groups import ThreadGroup
from tileir_xdsl.emulator.instructions.form import Compute, Form, emit_nothing
from tileir_xdsl.emulator.instructions.match import Match
from tileir_xdsl.emulator.instructions.tcgen05_mma import (
    ROW_BYTES,
    blocks_of_group,
    pair,
    shared_positions,
)
from tileir_xdsl.emulator.instructions.tensor_memory import (
    GROUP,
    active,
    start_in_tensor_memory,
    tensor_address,
)
from tileir_xdsl.emulator.issuers import issuers
from tileir_xdsl.emulator.mbarrier_state import Change
from tileir_xdsl.emulator.races.clocks import Knowledge
from tileir_xdsl.emulator.state_spaces import SHARED_WINDOW
from tileir_xdsl.emulator.syntax import Instruction
from tileir_xdsl.emulator.types import TYPES, Array, Mask

_DESCRIPTOR = TYPES["b64"]

# Rows, bytes of a row, and the lanes that each row goes to, by shape and multicast.
_ROWS_4, _ROWS_32, _ROWS_64, _ROWS_128 = (np.arange(n)[:, None] for n in (4, 32, 64, 128))
_COPIES: dict[tuple[str, str], tuple[int, Array]] = {
    ("128x256b", ""): (32, _ROWS_128),
    ("128x128b", ""): (16, _ROWS_128),
    ("4x256b", ""): (32, WARP_SIZE * _ROWS_4),
    ("64x128b", "warpx2::02_13"): (16, _ROWS_64 + np.array([0, 64])),
    ("64x128b", "warpx2::01_23"): (16, _ROWS_64 + _ROWS_64 // 32 * 32 + np.array([0, 32])),
    ("32x128b", "warpx4"): (16, _ROWS_32 + np.array([0, 32, 64, 96])),
}


def _copy(
    group: ThreadGroup,
    mask: Mask,
    address: Array,
    source: Array,
    *,
    blocks: int,
    size: int,
    lanes: Array,
) -> None:
    """Copies rows of `size` bytes from shared memory to several lanes, in each block of a pair."""
    for issuer in issuers(group, mask):
        at, word = issuer.value(address), issuer.value(source)
        for each in pair(issuer, blocks):
            positions = shared_positions(each, word, (len(lanes), size, 1), k_major=True)
            rows = group.memory.shared.bytes[positions].view(np.uint32)
            columns = (at & 0xFFFF) + np.arange(size // 4)
            targets = lanes + (at >> 16)
            cells = each.tensor_cells(targets, columns, writes=True)
            cells[targets[..., None], columns] = rows[:, None]


def _emit_copy(builder: BlockBuilder, match: Match) -> None:
    size, lanes = _COPIES[match["shape"], match["multicast"]]
    function = partial(_copy, blocks=blocks_of_group(match), size=size, lanes=lanes)
    _emit_work(builder, match, function, builder.source(match.operands["source"], _DESCRIPTOR))


def _shift(group: ThreadGroup, mask: Mask, address: Array, *, blocks: int) -> None:
    """Copies the 32 bytes of each lane of a warp to the next lane; the last lane's are dropped."""
    for issuer in issuers(group, mask):
        at = issuer.value(address)
        first, columns = at >> 16, (at & 0xFFFF) + np.arange(ROW_BYTES // 4)
        if first % WARP_SIZE:
            raise issuer.fault("the first lane of a shift must be a multiple of 32")
        lanes = first + np.arange(WARP_SIZE)
        for each in pair(issuer, blocks):
            cells = each.tensor_cells(lanes, columns, writes=True)
            cells[lanes[1:, None], columns] = cells[lanes[:-1, None], columns]


def _emit_shift(builder: BlockBuilder, match: Match) -> None:
    _emit_work(builder, match, partial(_shift, blocks=blocks_of_group(match)))


def _emit_work(
    builder: BlockBuilder, match: Match, function: Callable[..., None], *operands: str
) -> None:
    """Emits work on the tensor-memory address `a`, for which a commit waits."""
    start = builder.bind(partial(start_in_tensor_memory, "tensor mma", match.instruction, function))
    arguments = ", ".join([tensor_address(builder, match, "a"), *operands])
    builder.line(f"{start}(group, {active(builder)}, {arguments})")


def _arrive(
    group: ThreadGroup,
    mask: Mask,
    address: Array,
    ctas: Array | None,
    *,
    offset: int,
    finished: Mapping[tuple[int, int], Knowledge],
) -> None:
    change = Change(arrivals=1, releases="finished", finished=finished)
    target = (address, offset)
    for lanes, _, barrier in each_destination(group, mask, ctas, target, target):
        mbarriers.update(group, *barrier, lanes, change)


def _commit(
    group: ThreadGroup,
    mask: Mask,
    address: Array,
    ctas: Array | None,
    *,
    offset: int,
    instruction: Instruction,
) -> None:
    """Arrives at a barrier object when all earlier work of the threads is done."""
    races = group.memory.races
    finished = {} if races is None else races.tensor_memory.commit(group, mask)
    late = group.memory.late
    if late is None:
        _arrive(group, mask, address, ctas, offset=offset, finished=finished)
        return
    late.commit("tensor mma", group, mask)
    until = late.commits["tensor mma"].copy()
    address, ctas = address.copy(), None if ctas is None else ctas.copy()

    def arrive(group: ThreadGroup, mask: Mask) -> None:
        late.wait_until("tensor mma", group, mask, until)
        _arrive(group, mask, address, ctas, offset=offset, finished=finished)

    group.put_off(None, mask, instruction, arrive)


def _emit_commit(builder: BlockBuilder, match: Match) -> None:
    space = "shared" if match["space"] else "generic"
    base, offset = builder.address(match.operands["a"], space)
    if space == "generic":
        offset -= SHARED_WINDOW
    ctas = "None"
    if "ctas" in match.operands:
        ctas = builder.source(match.operands["ctas"], TYPES["u16"])
    function = builder.bind(partial(_commit, offset=offset, instruction=match.instruction))
    builder.line(f"{function}(group, {active(builder)}, {base}, {ctas})")


def _emit_fence(builder: BlockBuilder, match: Match) -> None:
    """Reports a fence to the race detector; it has no other effect."""
    if builder.checked:
        side = "before" if "before_thread_sync" in match.instruction.mnemonic else "after"
        races = "group.memory.races.tensor_memory"
        builder.line(f"{races}.fence_{side}(group, {builder.mask})")
    else:
        emit_nothing(builder, match)


FORMS: tuple[Form, ...] = (
    *(
        Form(f"tcgen05.cp{GROUP}.<shape:{shape}>{suffix} a, source", Compute(_emit_copy))
        for shape, suffix in (
            ("128x256b|128x128b|4x256b", ""),
            ("64x128b", ".<multicast:warpx2::02_13|warpx2::01_23>"),
            ("32x128b", ".<multicast:warpx4>"),
        )
    ),
    Form(f"tcgen05.shift{GROUP}.down a", Compute(_emit_shift)),
    Form(
        f"tcgen05.commit{GROUP}.mbarrier::arrive::one{{.<space:shared::cluster>}}.b64 a",
        Compute(_emit_commit),
    ),
    Form(
        f"tcgen05.commit{GROUP}.mbarrier::arrive::one{{.<space:shared::cluster>}}"
        ".multicast::cluster.b64 a, ctas",
        Compute(_emit_commit),
    ),
    Form("tcgen05.fence::before_thread_sync", Compute(_emit_fence)),
    Form("tcgen05.fence::after_thread_sync", Compute(_emit_fence)),
)
