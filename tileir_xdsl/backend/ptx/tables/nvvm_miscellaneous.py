"""The other `nvvm` ops: cluster addresses, register counts, sleeping, inline PTX."""

import re
from collections.abc import Callable

from xdsl.ir import Operation, SSAValue

from tileir_xdsl.backend.ptx.forms import form
from tileir_xdsl.backend.ptx.instructions import Guard, InlineText
from tileir_xdsl.backend.ptx.selection import Rule, Selector
from tileir_xdsl.dialects.nvvm.attributes import RegisterAction
from tileir_xdsl.dialects.nvvm.miscellaneous import (
    ExitOp,
    GriddepcontrolOp,
    InlinePtxOp,
    MapaOp,
    NanosleepOp,
    RcpApproxFtzF32Op,
    SetMaxRegisterOp,
)
from tileir_xdsl.dialects.nvvm.pointers import space_of

_ACTIONS = {RegisterAction.INCREASE: "inc", RegisterAction.DECREASE: "dec"}


def _action(op: SetMaxRegisterOp) -> str:
    return _ACTIONS[op.action.data]


def _mapped(op: MapaOp) -> str:
    return "u64" if space_of(op.a) == 0 else "shared::cluster.u32"


_PLACEHOLDER = re.compile(r"\{\$(rw|r|w)(\d+)\}")


def _select_inline_ptx(selector: Selector, op: InlinePtxOp) -> None:
    """The text with its placeholders replaced by registers; a predicate guards a single one."""
    written = [selector.results(op, index) for index in range(len(op.results))]
    sources: dict[str, Callable[[int], int | str]] = {
        "r": lambda n: _only(selector, op, op.readOnlyArgs[n]),
        "rw": lambda n: _only(selector, op, op.readWriteArgs[n]),
        "w": lambda n: written[n][0],
    }
    parts: list[int | str] = []
    end = 0
    for match in _PLACEHOLDER.finditer(op.ptxCode.data):
        parts += [op.ptxCode.data[end : match.start()], sources[match[1]](int(match[2]))]
        end = match.end()
    parts.append(op.ptxCode.data[end:].rstrip().removesuffix(";"))
    guard = None if op.predicate is None else Guard(selector.register(op.predicate))
    definitions = tuple(register for registers in written for register in registers)
    selector.emit("", definitions, InlineText(tuple(parts)), guard=guard)


def _only(selector: Selector, op: Operation, value: SSAValue) -> int:
    components = selector.components(value)
    if len(components) != 1:
        selector.unsupported(op, f"an operand of type {value.type} is more than one register")
    return selector.in_register(components[0])


RULES: dict[type[Operation], Rule] = {
    MapaOp: form("mapa.<space>  d, %a, b", has_effects=False, space=_mapped),
    SetMaxRegisterOp: form("setmaxnreg.<action>.sync.aligned.u32  regCount", action=_action),
    GriddepcontrolOp: form("griddepcontrol.<kind>"),
    NanosleepOp: form("nanosleep.u32  duration"),
    ExitOp: form("exit"),
    RcpApproxFtzF32Op: form("rcp.approx.ftz.f32  d, arg", has_effects=False),
    InlinePtxOp: Rule(_select_inline_ptx, has_effects=True),
}
