"""Instruction forms of the printer: rows in the notation of the PTX ISA manual.

    "cp.async.wait_group  n"
    "@predicate mbarrier.init<[addr]>.b64  [addr], count"
    "shfl.sync.<kind>.b32  d|p, %val, offset, mask_and_clamp, thread_mask"

Each class of an `nvvm` op states its form. Two blanks separate opcode and operands, which contain
the names of the op's attributes, operands and properties:

- `<name>` is the text or number of an attribute or a property. If PTX spells a member of an
  enumeration differently, the member has an attribute `ptx`. `<[a]>` is the state space of a
  pointer;
- `{.text?name}` is printed if the op has `name`, or where `name` is true; so are `{.name}`,
  `{.<name>}` and `{::<name>}`;
- `d` is the result, `{d}` the vector of its registers, and `d_` is printed as `_` if the result is
  unused. `d|p` includes a predicate if the op has two results;
- `[a]` is an address, `[a, {c}]` one in a tensor, `%a` a register, `%[a]` a register or an address,
  by its type. `#a` is a constant; `{%a}` is a vector of registers, `{a}` a vector of operands. Any
  other name is an operand, or the number that an attribute holds;
- `a:b16`, `d:b16` and `a:b8`, `d:b8` are the bytes of a value in one register of class `b16` or
  `b8`;
- `{, a}` is omitted where the op has no `a`;
- `@name` is a guard, if the op has the predicate `name`.

The emulator uses the same notation, with forms of its own, so an error in one table does not hide
in the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Data, Operation, SSAValue

from tileir_xdsl.backend.ptx.instructions import (
    Guard,
    Operand,
    TensorAddress,
    VectorOperand,
    WithPredicate,
)
from tileir_xdsl.backend.ptx.lanes import half_of_word, unpack_half
from tileir_xdsl.backend.ptx.registers import B16, B64, Component, RegisterClass
from tileir_xdsl.backend.ptx.selection import Selector
from tileir_xdsl.dialects.nvvm.pointers import state_space

_OPCODE = re.compile(
    r"<\[(?P<pointer>\w+)\]>|<(?P<name>\w+)>|\{(?P<lead>\.|::)<(?P<given>\w+)>\}"
    r"|\{(?P<text>\.[\w:.]+)(\?(?P<flag>\w+))?\}|(?P<literal>[\w.:]+)"
)
_OPERAND = re.compile(
    r"\[(?P<map>\w+), \{(?P<at>\w+)\}\]|%\[(?P<either>\w+)\]|\[(?P<address>\w+)\]"
    r"|(?P<bytes>\w+):(?P<class>b8|b16)|\{%(?P<registers>\w+)\}|\{(?P<group>\w+)\}"
    r"|%(?P<register>\w+)|#(?P<constant>\w+)|(?P<result>d\|p|d_?(?!\w))|(?P<literal>-?\d+|_(?!\w))|(?P<name>\w+)"
)


class _Piece(NamedTuple):
    """A part of an opcode: literal text or the name of an attribute, maybe under a condition."""

    text: str
    name: str = ""
    flag: str = ""
    pointer: str = ""


class _Slot(NamedTuple):
    """An operand: the kind of notation, the names in it, and whether it may be absent."""

    kind: str
    name: str
    optional: bool
    also: str = ""


@dataclass(frozen=True)
class Form:
    """One instruction of an op."""

    syntax: str

    @cached_property
    def parts(self) -> tuple[str, tuple[_Piece, ...], tuple[_Slot, ...]]:
        """The name of the guard, the pieces of the opcode, and the operands."""
        opcode, _, operands = self.syntax.partition("  ")
        guard, _, rest = opcode.rpartition(" ")
        pieces = [
            _Piece(
                found["literal"] or found["text"] or found["lead"] or "",
                found["name"] or found["given"] or "",
                found["flag"] or found["given"] or (found["text"] or "").lstrip("."),
                found["pointer"] or "",
            )
            for found in _OPCODE.finditer(rest)
        ]
        return guard.removeprefix("@"), tuple(pieces), tuple(_slots(operands))

    @property
    def names(self) -> tuple[str, ...]:
        """The operands, attributes and properties that the op must have.

        Raises ValueError for an operand outside of the notation above.
        """
        guard, pieces, slots = self.parts
        used = [
            name
            for slot in slots
            for name in (slot.name, slot.also if slot.kind == "map" else "")
            if slot.kind not in ("result", "literal") and name != "d"
        ]
        spelled = [name for piece in pieces for name in (piece.name, piece.flag, piece.pointer)]
        return tuple(dict.fromkeys(filter(None, (guard, *spelled, *used))))

    @property
    def opcode(self) -> str | None:
        """The opcode with its qualifiers; None where the qualifiers depend on the op."""
        _, pieces, _ = self.parts
        is_fixed = not any(piece.name or piece.flag or piece.pointer for piece in pieces)
        return "".join(piece.text for piece in pieces) if is_fixed else None

    @property
    def root(self) -> str:
        """The opcode up to its first qualifier."""
        _, pieces, _ = self.parts
        return pieces[0].text.partition(".")[0] if pieces else ""

    def select(self, selector: Selector, op: Operation) -> None:
        """Emits the instruction of an op."""
        guard, pieces, slots = self.parts
        opcode = "".join(_spelled(op, piece) for piece in pieces)
        definitions: list[Operand] = []
        operands: list[Operand] = []
        predicate = getattr(op, guard) if guard else None
        guarded = None if predicate is None else Guard(selector.register(predicate))
        packed = None
        for slot in slots:
            if slot.kind == "result":
                result = _result(selector, op, slot.name)
                (operands if isinstance(result, str) else definitions).append(result)
            elif slot.name == "d":
                packed = _packed_result(selector, op, slot.also)
                definitions.append(packed)
            elif not slot.optional or is_present(op, slot.name):
                operands.append(_operand(selector, op, slot))
        selector.emit(opcode, tuple(definitions), *operands, guard=guarded)
        if packed is not None:
            _unpack(selector, selector.results(op), packed)


def _slots(operands: str) -> Iterator[_Slot]:
    """The operands of a form."""
    # A blank before a brace is that of an optional operand: its comma is inside.
    for text in re.findall(r"\{, .+?\}(?=\{,|,|$)|%?\[[^]]*\]|\{[^}]*\}|[^,\s{}\[\]]+", operands):
        inner = text[3:-1] if text.startswith("{, ") else text
        found = _OPERAND.fullmatch(inner)
        if found is None or found.lastgroup is None:
            raise ValueError(f"'{text}' does not describe an operand of an instruction")
        # The last group of these two is the name inside.
        kind = {"at": "map", "class": "bytes"}.get(found.lastgroup, found.lastgroup)
        kind = "result" if inner == "{d}" else kind
        name = inner if kind == "result" else found[kind]
        yield _Slot(kind, name, text.startswith("{, "), found["at"] or found["class"] or "")


def _spelled(op: Operation, piece: _Piece) -> str:
    if piece.pointer:
        return state_space(getattr(op, piece.pointer))
    if piece.flag and not is_present(op, piece.flag):
        return ""
    return piece.text + (_text(getattr(op, piece.name)) if piece.name else "")


def _text(value: object) -> str:
    """An attribute or a property as PTX spells it."""
    if isinstance(value, IntegerAttr):
        return str(cast(IntegerAttr, value).value.data)
    data = cast(Data[object], value).data if isinstance(value, Data) else value
    return f"{getattr(data, 'ptx', data)}"


def _operand(selector: Selector, op: Operation, slot: _Slot) -> Operand:
    if slot.kind == "literal":
        return slot.name
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
        case "constant":
            if (constant := selector.constant(value)) is None:
                selector.unsupported(op, f"operand '{slot.name}' must be a constant")
            return selector.as_operand(constant)
        case "bytes":
            return _packed(selector, value, slot.also)
        case _ if isinstance(value, IntegerAttr):
            return _text(cast(IntegerAttr, value))
        case _:
            return selector.operand(value)


def is_present(op: Operation, name: str) -> bool:
    """Whether an op has an operand or attribute; a number is present unless it is zero."""
    value = getattr(op, name)
    if isinstance(value, IntegerAttr):
        return bool(cast(IntegerAttr, value).value.data)
    return bool(value) if isinstance(value, Sequence | bool) else value is not None


def _result(selector: Selector, op: Operation, name: str) -> Operand:
    if name == "{d}":
        return VectorOperand(selector.results(op))
    if name == "d":
        return selector.result(op)
    if name == "d_":
        if selector.has_result(op):
            return selector.result(op)
        # Older versions of PTX need a register.
        return "_" if selector.target.compute_capability >= 90 else selector.fresh(B64)
    destination, *predicate = selector.results(op)
    return WithPredicate(destination, predicate[0]) if predicate else destination


def _registers(selector: Selector, value: SSAValue | Sequence[SSAValue]) -> tuple[int, ...]:
    """The registers of a value, or of several."""
    values = [value] if isinstance(value, SSAValue) else value
    components = [c for each in values for c in selector.components(each)]
    return tuple(selector.in_register(component) for component in components)


# Bytes are in 16 bits each. A .b8 register converts to and from others and no more.


def join_bytes(selector: Selector, destination: int, lower: Component, upper: Component) -> None:
    """Two bytes, each in a b16 register, become one b16."""
    shifted = selector.fresh(B16)
    selector.emit("shl.b16", (shifted,), selector.in_register(upper), "8")
    selector.emit("or.b16", (destination,), shifted, selector.as_operand(lower))


def split_bytes(selector: Selector, lower: int, upper: int, source: int) -> None:
    """The inverse of `join_bytes`."""
    selector.emit("and.b16", (lower,), source, "255")
    selector.emit("shr.u16", (upper,), source, "8")


def _packed(selector: Selector, value: SSAValue, register_class: str) -> int:
    register = selector.fresh(RegisterClass[register_class.upper()])
    if register_class == "b8":
        selector.emit("cvt.u8.u16", (register,), selector.register(value))
    elif (found := half_of_word(selector, value)) is not None:
        unpack_half(selector, *found, register)
    else:
        join_bytes(selector, register, *selector.components(value))
    return register


def _packed_result(selector: Selector, op: Operation, register_class: str) -> int:
    results = selector.results(op)
    is_packed = register_class == "b16" and len(results) == 1
    return results[0] if is_packed else selector.fresh(RegisterClass[register_class.upper()])


def _unpack(selector: Selector, results: tuple[int, ...], packed: int) -> None:
    if len(results) == 2:
        split_bytes(selector, *results, packed)
    elif results != (packed,):
        selector.emit("cvt.u16.u8", results, packed)
