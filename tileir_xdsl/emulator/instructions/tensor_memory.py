"""Allocation of tensor memory, and moves between it and registers (PTX ISA, "tcgen05.alloc",
"tcgen05.ld", "tcgen05.st", "tcgen05.wait").
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from tileir_xdsl.emulator.block_builder import BlockBuilder
from tileir_xdsl.emulator.errors import WARP_SIZE, LaneFault
from tileir_xdsl.emulator.groups import ThreadGroup
from tileir_xdsl.emulator.instructions.data_movement import memory_space
from tileir_xdsl.emulator.instructions.form import Collective, Emit, Form
from tileir_xdsl.emulator.instructions.match import Match
from tileir_xdsl.emulator.late import Kind
from tileir_xdsl.emulator.state_spaces import InstructionAccess
from tileir_xdsl.emulator.syntax import Instruction
from tileir_xdsl.emulator.tensor_memory import Fragment
from tileir_xdsl.emulator.types import TYPES, Array, Mask

_WORD = TYPES["b32"]


def start_in_tensor_memory(
    kind: Kind | None,
    instruction: Instruction,
    function: Callable[..., object],
    group: ThreadGroup,
    mask: Mask,
    *operands: Array,
) -> None:
    """Calls `function(group, mask, *operands)` now, or later with the present operands."""
    if kind == "tensor mma" and group.memory.races is not None:
        function = group.memory.races.tensor_memory.start(group, mask, function)
    if group.memory.late is None:
        function(group, mask, *operands)
        return
    values = [operand.copy() for operand in operands]
    group.put_off(kind, mask, instruction, lambda group, mask: function(group, mask, *values))


def active(builder: BlockBuilder) -> str:
    """An expression for the mask of the lanes that execute an instruction, never `None`."""
    return "group.active()" if builder.mask is None else builder.mask


def _first_lanes(group: ThreadGroup, mask: Mask) -> list[tuple[int, Mask]]:
    """The resident block of each active warp, and a mask of its first thread."""
    found: list[tuple[int, Mask]] = []
    for block, thread in np.argwhere(mask[:, ::WARP_SIZE]):
        lane = np.zeros(group.shape, np.bool_)
        lane[block, thread * WARP_SIZE] = True
        found.append((group.b0 + int(block), lane))
    return found


def _allocate(
    group: ThreadGroup,
    mask: Mask,
    address: Array,
    count: Array,
    *,
    offset: int,
    access: InstructionAccess,
    blocks: int,
) -> None:
    for block, lane in _first_lanes(group, mask):
        number = int(np.broadcast_to(count, group.shape)[lane][0])
        try:
            column = group.memory.tensor_memory.allocate(block, number)
        except ValueError as error:
            raise LaneFault(str(error), lane) from None
        group.memory.tensor_memory.groups[block] = blocks
        if group.memory.races is not None:
            group.memory.races.tensor_memory.forget(block, column, number)
        value = (np.full((1, 1), column, np.uint32),)
        group.memory.store(group, address, offset, value, lane, access)


def _emit_allocate(builder: BlockBuilder, match: Match) -> None:
    space = memory_space(match)
    access = InstructionAccess(space, np.dtype(np.uint32), 1, "write")
    base, offset = builder.address(match.operands["a"], space)
    count = builder.source(match.operands["count"], _WORD)
    allocate = partial(_allocate, offset=offset, access=access, blocks=int(match["pair"][-1]))
    function = builder.bind(allocate)
    builder.line(f"{function}(group, {active(builder)}, {base}, {count})")


def _free(group: ThreadGroup, mask: Mask, address: Array, count: Array) -> None:
    for block, lane in _first_lanes(group, mask):
        column, number = (int(np.broadcast_to(x, group.shape)[lane][0]) for x in (address, count))
        try:
            group.memory.tensor_memory.free(block, column, number)
        except ValueError as error:
            raise LaneFault(str(error), lane) from None
        if group.memory.races is not None:
            group.memory.races.tensor_memory.free(group, lane, block, column, number)


def _emit_free(builder: BlockBuilder, match: Match) -> None:
    address, count = (builder.source(match.operands[name], _WORD) for name in ("a", "count"))
    builder.line(f"{builder.bind(_free)}(group, {active(builder)}, {address}, {count})")


def _close(group: ThreadGroup, mask: Mask) -> None:
    for block, _ in _first_lanes(group, mask):
        group.memory.tensor_memory.closed[block] = True


def _emit_close(builder: BlockBuilder, match: Match) -> None:
    builder.line(f"{builder.bind(_close)}(group, {active(builder)})")


def tensor_address(builder: BlockBuilder, match: Match, operand: str) -> str:
    """The expression of an address in tensor memory."""
    base, offset = builder.address(match.operands[operand], "generic")
    return f"({base} + {builder.bind(np.uint32(offset % (1 << 32)))})" if offset else base


def _fragment(match: Match) -> Fragment:
    split = match.immediate("split") if "split" in match.operands else 0
    if split is None:
        raise match.fail("the distance between the two halves must be a constant")
    return Fragment(match["shape"], int(match["count"][1:]), split, bool(match["packing"]))


def _touch(
    group: ThreadGroup, mask: Mask, cells: tuple[Array, Array, Array], *, packed: bool, writes: bool
) -> None:
    """Reports loads and stores to the race detector."""
    if group.memory.races is None:
        return
    block, row, column = cells
    if packed:
        column = np.concatenate([column, column + 1], axis=1)
        row = np.concatenate([row, row], axis=1)
    races = group.memory.races.tensor_memory
    races.touch_by_warps(group, mask, block, row, column, writes=writes)


def _load(group: ThreadGroup, mask: Mask, address: Array, *, fragment: Fragment) -> list[Array]:
    memory, packed = group.memory.tensor_memory, fragment.packed
    cells = memory.cells_of(group, mask, address, fragment)
    _touch(group, mask, cells, packed=packed, writes=False)
    return memory.load(group, mask, cells, packed=packed)


def _emit_load(builder: BlockBuilder, match: Match) -> None:
    """Emits a load, perhaps delayed: the address is the present one, registers change later."""
    fragment = _fragment(match)
    destinations = builder.elements(match.operands["r"], fragment.registers)
    function = partial(_load, fragment=fragment)
    address = tensor_address(builder, match, "a")
    mask = active(builder)
    with builder.nested("f(group, w, a)", mask="w"):
        builder.line(f"r = {builder.bind(function)}(group, w, a)")
        for index, destination in enumerate(destinations):
            builder.assign(destination, _WORD, f"r[{index}]")
    start = builder.bind(partial(start_in_tensor_memory, "tensor load", match.instruction))
    builder.line(f"{start}(f, group, {mask}, {address})")


def _store(
    group: ThreadGroup, mask: Mask, address: Array, *registers: Array, fragment: Fragment
) -> None:
    memory, packed = group.memory.tensor_memory, fragment.packed
    cells = memory.cells_of(group, mask, address, fragment)
    _touch(group, mask, cells, packed=packed, writes=True)
    memory.store(group, mask, cells, registers, packed=packed)


def _emit_store(builder: BlockBuilder, match: Match) -> None:
    fragment = _fragment(match)
    sources = builder.elements(match.operands["r"], fragment.registers)
    function = partial(_store, fragment=fragment)
    operands = [tensor_address(builder, match, "a")]
    operands += [builder.source(source, _WORD) for source in sources]
    start = builder.bind(
        partial(start_in_tensor_memory, "tensor store", match.instruction, function)
    )
    builder.line(f"{start}(group, {active(builder)}, {', '.join(operands)})")


def _finish(group: ThreadGroup, mask: Mask, *, kind: Kind) -> None:
    if group.memory.late is not None:
        group.memory.late.finish(kind, group, mask)


def _waits(kind: Kind) -> Emit:
    def emit(builder: BlockBuilder, match: Match) -> None:
        finish = builder.bind(partial(_finish, kind=kind))
        builder.line(f"{finish}(group, {active(builder)})")

    return emit


GROUP = ".<pair:cta_group::1|cta_group::2>"
_COUNTS = tuple(f"x{1 << power}" for power in range(8))
_ALL_COUNTS = "|".join(_COUNTS)
_SHAPES = (
    ("16x64b|32x32b", _ALL_COUNTS),
    ("16x128b", "|".join(_COUNTS[:-1])),
    ("16x256b", "|".join(_COUNTS[:-2])),
)
_LD, _ST = "tcgen05.ld.sync.aligned", "tcgen05.st.sync.aligned"
_PACK, _UNPACK = "{.<packing:pack::16b>}", "{.<packing:unpack::16b>}"
_LOAD, _STORE = Collective(_emit_load), Collective(_emit_store)

FORMS: tuple[Form, ...] = (
    Form(
        f"tcgen05.alloc{GROUP}.sync.aligned{{.<space:shared::cta>}}.b32 a, count",
        Collective(_emit_allocate),
    ),
    Form(f"tcgen05.dealloc{GROUP}.sync.aligned.b32 a, count", Collective(_emit_free)),
    Form(f"tcgen05.relinquish_alloc_permit{GROUP}.sync.aligned", Collective(_emit_close)),
    *(Form(f"{_LD}.<shape:{shapes}>.<count:{n}>{_PACK}.b32 r, a", _LOAD) for shapes, n in _SHAPES),
    *(
        Form(f"{_ST}.<shape:{shapes}>.<count:{n}>{_UNPACK}.b32 a, r", _STORE)
        for shapes, n in _SHAPES
    ),
    Form(f"{_LD}.<shape:16x32bx2>.<count:{_ALL_COUNTS}>{_PACK}.b32 r, a, split", _LOAD),
    Form(f"{_ST}.<shape:16x32bx2>.<count:{_ALL_COUNTS}>{_UNPACK}.b32 a, split, r", _STORE),
    Form("tcgen05.wait::ld.sync.aligned", Collective(_waits("tensor load"))),
    Form("tcgen05.wait::st.sync.aligned", Collective(_waits("tensor store"))),
)
