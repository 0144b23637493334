"""Control flow, barriers of a block, and fences (PTX ISA, "Control Flow Instructions",
"Parallel Synchronization and Communication Instructions")."""

from __future__ import annotations

from tileir_xdsl.emulator.instructions.data_movement import SCOPE
from tileir_xdsl.emulator.instructions.form import Compute, Control, Form, emit_nothing

_NOTHING = Compute(emit_nothing)
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
    Form("membar.<level:cta|gl|sys>", _NOTHING),
    Form(f"fence{{.<semantics:sc|acq_rel|acquire|release>}}.{SCOPE}", _NOTHING),
    Form("fence.proxy.<proxy:alias|async|async.global|async.shared::cta>", _NOTHING),
    Form("nanosleep.u32 t", _NOTHING),
    Form("pmevent{.mask} a", _NOTHING),
    Form("griddepcontrol.<action:launch_dependents|wait>", _NOTHING),
    Form("setmaxnreg.<action:inc|dec>.sync.aligned.u32 count", _NOTHING),
)
