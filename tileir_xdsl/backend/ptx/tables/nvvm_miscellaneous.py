"""The other `nvvm` ops: cluster addresses, register counts, sleeping, inline PTX."""

import re
from collections.abc import Callable

from xdsl.ir import Operation, SSAValue

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


def _select_mapa(selector: Selector, op: MapaOp) -> None:
    opcode = "mapa.u64" if space_of(op.a) == 0 else "mapa.shared::cluster.u32"
    pointer, rank = selector.register(op.a), selector.operand(op.b)
    selector.emit(opcode, (selector.result(op),), pointer, rank)


_ACTIONS = {RegisterAction.INCREASE: "inc", RegisterAction.DECREASE: "dec"}


def _select_set_max_register(selector: Selector, op: SetMaxRegisterOp) -> None:
    action, count = _ACTIONS[op.action.data], str(op.regCount.value.data)
    selector.emit(f"setmaxnreg.{action}.sync.aligned.u32", (), count)


def _select_griddepcontrol(selector: Selector, op: GriddepcontrolOp) -> None:
    selector.emit(f"griddepcontrol.{op.kind.data}", ())


def _select_nanosleep(selector: Selector, op: NanosleepOp) -> None:
    selector.emit("nanosleep.u32", (), selector.operand(op.duration))


def _select_exit(selector: Selector, op: ExitOp) -> None:
    selector.emit("exit", ())


def _select_reciprocal(selector: Selector, op: RcpApproxFtzF32Op) -> None:
    selector.emit("rcp.approx.ftz.f32", (selector.result(op),), selector.operand(op.arg))


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
    MapaOp: Rule(_select_mapa),
    SetMaxRegisterOp: Rule(_select_set_max_register, has_effects=True),
    GriddepcontrolOp: Rule(_select_griddepcontrol, has_effects=True),
    NanosleepOp: Rule(_select_nanosleep, has_effects=True),
    ExitOp: Rule(_select_exit, has_effects=True),
    RcpApproxFtzF32Op: Rule(_select_reciprocal),
    InlinePtxOp: Rule(_select_inline_ptx, has_effects=True),
}
