"""Control flow, barriers of a block, and fences (PTX ISA, "Control Flow Instructions",
"Parallel Synchronization and Communication Instructions")."""

from __future__ import annotations

from functools import partial

from tileir_xdsl.emulator.block_builder import BlockBuilder
from tileir_xdsl.emulator.groups import ThreadGroup
from tileir_xdsl.emulator.instructions.data_movement import SCOPE
from tileir_xdsl.emulator.instructions.form import Collective, Compute, Control, Form, emit_nothing
from tileir_xdsl.emulator.instructions.match import Match
from tileir_xdsl.emulator.register_pool import LEAST, MOST, STEP
from tileir_xdsl.emulator.types import TYPES, Mask


def _emit_fence(builder: BlockBuilder, match: Match) -> None:
    """Reports the fence to the race detector: other accesses take effect when issued."""
    if builder.checked:
        scope = {"gl": "gpu"}.get(match["scope"], match["scope"])
        order = match["semantics"]
        builder.line(
            f"group.memory.races.flags.fence(group, {builder.mask}, '{scope}', "
            f"acquires={order != 'release'}, releases={order != 'acquire'}, "
            f"is_sc={order == 'sc' or match.instruction.opcode == 'membar'}, "
            f"restricted={bool(match['restriction'])})"
        )
    else:
        emit_nothing(builder, match)


def _emit_proxy_fence(builder: BlockBuilder, match: Match) -> None:
    if builder.checked:
        space = match["space"].removeprefix("sync_restrict::")
        builder.line(f"group.memory.races.flags.proxy_fence(group, {builder.mask}, '{space}')")
    else:
        emit_nothing(builder, match)


def _wait_for_grids(group: ThreadGroup, mask: Mask | None) -> None:
    """Runs the prerequisite grids, and makes their work visible to the waiting threads."""
    memory = group.memory
    if memory.prerequisite is not None:
        memory.prerequisite()
        if memory.races is not None:
            memory.races.acquire_prerequisites(group, mask)


def _emit_grid_wait(builder: BlockBuilder, match: Match) -> None:
    builder.line(f"{builder.bind(_wait_for_grids)}(group, {builder.mask})")


def _sleep(group: ThreadGroup) -> None:
    """Does the oldest delayed work that a barrier object counts, as time passes."""
    if group.memory.late is not None:
        group.memory.late.do_counted()


def _emit_sleep(builder: BlockBuilder, match: Match) -> None:
    builder.source(match.operands["t"], TYPES["u32"])
    builder.line(f"{builder.bind(_sleep)}(group)")


def _emit_event(builder: BlockBuilder, match: Match) -> None:
    """`pmevent`: does nothing, as only profilers see the event."""
    if match.immediate("a") is None:
        raise match.fail("the event of pmevent must be a constant")
    emit_nothing(builder, match)


def _register_count(match: Match) -> int:
    count = match.immediate("count")
    if count is None or count % STEP or not LEAST <= count <= MOST:
        raise match.fail(
            f"the number of registers must be a multiple of {STEP}, from {LEAST} to {MOST}"
        )
    return count


def _lacks_registers(group: ThreadGroup, match: Match) -> str:
    if match["action"] == "dec":
        return ""
    return group.memory.register_pool.missing(group, _register_count(match))


def _set_registers(group: ThreadGroup, *, count: int, grows: bool) -> None:
    """Sets the register count of a group's threads; groups that wait for registers try again."""
    pool = group.memory.register_pool
    pool.set(group, count, grows=grows)
    if pool.is_modelled:
        group.memory.mbarrier_changes += 1


def _emit_registers(builder: BlockBuilder, match: Match) -> None:
    count, grows = _register_count(match), match["action"] == "inc"
    function = builder.bind(partial(_set_registers, count=count, grows=grows))
    builder.line(f"{function}(group)")


_NOTHING = Compute(emit_nothing)
_FENCE = Compute(_emit_fence)
_BARRIER = Control("barrier")

FORMS: tuple[Form, ...] = (
    Form("bra{.uni} target", Control("branch")),
    Form("brx.idx{.uni} index, targets", Control("indexed branch")),
    Form("exit", Control("exit")),
    Form("ret{.uni}", Control("exit")),
    Form("trap", Control("trap")),
    Form("bar{.cta}.sync a{, b}", _BARRIER),
    Form("bar{.cta}.arrive a, b", _BARRIER),
    Form("bar{.cta}.red.<reduce:popc>.u32 d, a, c", _BARRIER),
    Form("bar{.cta}.red.<reduce:popc>.u32 d, a, b, c", _BARRIER),
    Form("bar{.cta}.red.<reduce:and|or>.pred d, a, c", _BARRIER),
    Form("bar{.cta}.red.<reduce:and|or>.pred d, a, b, c", _BARRIER),
    Form("barrier{.cta}.sync{.aligned} a{, b}", _BARRIER),
    Form("barrier{.cta}.arrive{.aligned} a, b", _BARRIER),
    Form("barrier{.cta}.red.<reduce:popc>{.aligned}.u32 d, a, c", _BARRIER),
    Form("barrier{.cta}.red.<reduce:popc>{.aligned}.u32 d, a, b, c", _BARRIER),
    Form("barrier{.cta}.red.<reduce:and|or>{.aligned}.pred d, a, c", _BARRIER),
    Form("barrier{.cta}.red.<reduce:and|or>{.aligned}.pred d, a, b, c", _BARRIER),
    Form("membar.<scope:cta|gl|sys>", _FENCE),
    Form(f"fence{{.<semantics:sc|acq_rel|acquire|release>}}.{SCOPE}", _FENCE),
    Form(
        "fence.<semantics:acquire>.<restriction:sync_restrict::shared::cluster>.<scope:cluster>",
        _FENCE,
    ),
    Form(
        "fence.<semantics:release>.<restriction:sync_restrict::shared::cta>.<scope:cluster>",
        _FENCE,
    ),
    Form("fence.proxy.<proxy:alias>", _NOTHING),
    Form("membar.proxy.<proxy:alias>", _NOTHING),
    *(
        Form(fence, Compute(_emit_proxy_fence))
        for fence in (
            "fence.proxy.async{.<space:global|shared::cta|shared::cluster>}",
            "membar.proxy.async",
            "fence.proxy.async::generic.acquire.<space:sync_restrict::shared::cluster>.cluster",
            "fence.proxy.async::generic.release.<space:sync_restrict::shared::cta>.cluster",
        )
    ),
    Form("nanosleep.u32 t", Compute(_emit_sleep)),
    Form("pmevent{.mask} a", Compute(_emit_event)),
    # When the dependents start is free from then on, and what they see is up to their wait.
    Form("griddepcontrol.launch_dependents", _NOTHING),
    Form("griddepcontrol.wait", Compute(_emit_grid_wait)),
    Form(
        "setmaxnreg.<action:inc|dec>.sync.aligned.u32 count",
        Collective(_emit_registers, warps=4, lacks=_lacks_registers),
    ),
)
