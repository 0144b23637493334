"""Instruction forms of the printer: rows in the notation of the PTX ISA manual.

    form("cp.async.wait_group  n")
    form("@predicate mbarrier.init<space>.b64  [addr], count", space=shared_space)
    form("shfl.sync.<kind>.b32  d|p, %val, offset, mask_and_clamp, thread_mask")

Two blanks divide opcode and operands. Opcode and operands contain the names of the op's attributes
and operands in its definition:

- `<name>` is the text of an attribute, or what a function of the row makes of the op;
- `{.text?name}` is printed if the op has `name`, or where it is true; so is `{.name}`;
- `d` is the result, `{d}` its registers as a vector, and `d|p` with a predicate if there are two;
- `[a]` is an address, `[a, {c}]` one in a tensor, `%a` a register, `%[a]` either, as its type says.
  `{%a}` and `{a}` are a vector of registers and of operands. Any other name is an operand, or the
  number that an attribute holds;
- `{, a}` is left out where the op does not have it;
- `@name` is a guard, where the op has that predicate.

The notation is that of the emulator's forms, and the table is not: neither can hide what is wrong
in the other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.backend.ptx.instructions import (
    Guard,
    Operand,
    TensorAddress,
    VectorOperand,
    WithPredicate,
)
from tileir_xdsl.backend.ptx.selection import Rule, Selector

Text = Callable[[Any], str]
"""The text that a row has of an op."""

_OPCODE = re.compile(
    r"<(?P<name>\w+)>|\{(?P<text>\.[\w:.]+)(\?(?P<flag>\w+))?\}|(?P<literal>[\w.:]+)"
)
_OPERAND = re.compile(
    r"\[(?P<map>\w+), \{(?P<at>\w+)\}\]|%\[(?P<either>\w+)\]|\[(?P<address>\w+)\]"
    r"|\{%(?P<registers>\w+)\}|\{(?P<group>\w+)\}|%(?P<register>\w+)|(?P<result>d\|p|d(?!\w))|(?P<literal>-?\d+|_(?!\w))"
    r"|(?P<name>\w+)"
)


class _Piece(NamedTuple):
    """A part of an opcode: text, the name whose text it is, or text under a condition."""

    text: str
    name: str = ""
    flag: str = ""


class _Slot(NamedTuple):
    """An operand: which of the ways to write it, the names in it, and whether it may be absent."""

    kind: str
    name: str
    optional: bool
    also: str = ""


@dataclass(frozen=True)
class Form:
    """One instruction of an op; `texts` has what is not plainly the text of an attribute."""

    syntax: str
    texts: Mapping[str, Text]

    @cached_property
    def parts(self) -> tuple[str, tuple[_Piece, ...], tuple[_Slot, ...]]:
        """The name of the guard, the pieces of the opcode, and the operands."""
        opcode, _, operands = self.syntax.partition("  ")
        guard, _, rest = opcode.rpartition(" ")
        pieces = [
            _Piece(
                found["literal"] or found["text"] or "",
                found["name"] or "",
                found["flag"] or ((found["text"] or "").lstrip(".")),
            )
            for found in _OPCODE.finditer(rest)
        ]
        return guard.removeprefix("@"), tuple(pieces), tuple(_slots(operands))

    def select(self, selector: Selector, op: Operation) -> None:
        """Emits the instruction of an op."""
        guard, pieces, slots = self.parts
        opcode = "".join(self._spelled(op, piece) for piece in pieces)
        definitions: list[Operand] = []
        operands: list[Operand] = []
        predicate = getattr(op, guard) if guard else None
        guarded = None if predicate is None else Guard(selector.register(predicate))
        for slot in slots:
            if slot.kind == "result":
                definitions.append(_result(selector, op, slot.name))
            elif not slot.optional or is_present(op, slot.name):
                operands.append(self._operand(selector, op, slot))
        selector.emit(opcode, tuple(definitions), *operands, guard=guarded)

    def _spelled(self, op: Operation, piece: _Piece) -> str:
        if piece.name:
            text = self.texts.get(piece.name)
            return f"{getattr(op, piece.name).data}" if text is None else text(op)
        return piece.text if not piece.flag or is_present(op, piece.flag) else ""

    def _operand(self, selector: Selector, op: Operation, slot: _Slot) -> Operand:
        if slot.kind == "literal":
            return slot.name
        if (text := self.texts.get(slot.name)) is not None:
            return text(op)
        value = getattr(op, slot.name)
        match slot.kind:
            case "address":
                return selector.address(value)
            case "map":
                coordinates = tuple(map(selector.operand, getattr(op, slot.also)))
                return TensorAddress(selector.address(value), coordinates)
            case "either" if isinstance(value.type, llvm.LLVMPointerType):
                return selector.address(value)
            case "register" | "either":
                return selector.register(value)
            case "registers":
                return VectorOperand(_registers(selector, value))
            case "group":
                return VectorOperand(tuple(map(selector.operand, value)))
            case _ if isinstance(value, IntegerAttr):
                return str(cast(IntegerAttr, value).value.data)
            case _:
                return selector.operand(value)


def _slots(operands: str) -> Iterator[_Slot]:
    """The operands of a form."""
    # A blank before a brace is that of an optional operand: its comma is inside.
    for text in re.findall(r"\{, .+?\}(?=\{,|,|$)|%?\[[^]]*\]|\{[^}]*\}|[^,\s{}\[\]]+", operands):
        inner = text[3:-1] if text.startswith("{, ") else text
        found = _OPERAND.fullmatch(inner)
        assert found is not None and found.lastgroup is not None, text
        kind = "map" if found["map"] else "result" if inner == "{d}" else found.lastgroup
        name = inner if kind == "result" else found[kind]
        yield _Slot(kind, name, text.startswith("{, "), found["at"] or "")


def is_present(op: Operation, name: str) -> bool:
    """Whether an op has an operand or attribute; a number is there unless it is zero."""
    value = getattr(op, name)
    if isinstance(value, IntegerAttr):
        return bool(cast(IntegerAttr, value).value.data)
    return bool(value) if isinstance(value, Sequence) else value is not None


def _result(selector: Selector, op: Operation, name: str) -> Operand:
    if name == "{d}":
        return VectorOperand(selector.results(op))
    if name == "d":
        return selector.result(op)
    destination, *predicate = selector.results(op)
    return WithPredicate(destination, predicate[0]) if predicate else destination


def _registers(selector: Selector, value: SSAValue | Sequence[SSAValue]) -> tuple[int, ...]:
    """The registers of a value, or of several."""
    values = [value] if isinstance(value, SSAValue) else value
    components = [c for each in values for c in selector.components(each)]
    return tuple(selector.in_register(component) for component in components)


def form(syntax: str, *, has_effects: bool = True, **texts: Text) -> Rule:
    """The rule of an op that is one instruction."""
    return Rule(Form(syntax, texts).select, has_effects, syntax)
