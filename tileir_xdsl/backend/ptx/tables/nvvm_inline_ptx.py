"""Inline PTX: text whose placeholders become registers."""

import re
from collections.abc import Callable

from xdsl.ir import Operation, SSAValue

from tileir_xdsl.backend.ptx.instructions import Guard, InlineText
from tileir_xdsl.backend.ptx.selection import Rule, Selector
from tileir_xdsl.dialects.nvvm.miscellaneous import InlinePtxOp

_PLACEHOLDER = re.compile(r"\{\$(rw|r|w)(\d+)\}")


def _select_inline_ptx(selector: Selector, op: InlinePtxOp) -> None:
    """The text with its placeholders replaced by registers; a predicate guards one instruction."""
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


RULES: dict[type[Operation], Rule] = {InlinePtxOp: Rule(_select_inline_ptx, has_effects=True)}
