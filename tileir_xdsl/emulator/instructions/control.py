"""Control flow, barriers of a block, and fences (PTX ISA, "Control Flow Instructions",
"Parallel Synchronization and Communication Instructions")."""

from __future__ import annotations

from tileir_xdsl.emulator.compile import BlockBuilder
from tileir_xdsl.emulator.instructions.data_movement import SCOPE
from tileir_xdsl.emulator.instructions.form import Compute, Control, Form, Match, emit_nothing


def _emit_fence(builder: BlockBuilder, match: Match) -> None:
    """Every access takes effect when it is issued, so that only the race detector looks at it."""
    if builder.checked:
        wide = match["scope"] != "cta"
        builder.line(f"group.memory.races.flags.fence(group, {builder.mask}, wide={wide})")
    else:
        emit_nothing(builder, match)


def _emit_proxy_fence(builder: BlockBuilder, match: Match) -> None:
    if builder.checked:
        builder.line(f"group.memory.races.flags.proxy_fence(group, {builder.mask})")
    else:
        emit_nothing(builder, match)


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
    Form("fence.proxy.<proxy:alias>", _NOTHING),
    Form("fence.proxy.<proxy:async|async.global|async.shared::cta>", Compute(_emit_proxy_fence)),
    Form("nanosleep.u32 t", _NOTHING),
    Form("pmevent{.mask} a", _NOTHING),
    Form("griddepcontrol.<action:launch_dependents|wait>", _NOTHING),
    Form("setmaxnreg.<action:inc|dec>.sync.aligned.u32 count", _NOTHING),
)
