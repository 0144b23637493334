"""Instruction forms: the syntax of the PTX ISA manual as data, matched against an instruction.

Forms are written as in the manual, `add{.rnd}{.ftz}{.sat}.f32  d, a, b`:

- `.name` is a literal qualifier, `.<name:a|b|c>` a named choice of qualifiers;
- `{...}` encloses optional qualifiers or operands;
- a matched optional literal sets a flag of the same name.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import zip_longest

from tileir_xdsl.emulator.block_builder import BlockBuilder
from tileir_xdsl.emulator.errors import EmulatorError
from tileir_xdsl.emulator.groups import ThreadGroup
from tileir_xdsl.emulator.instructions.match import Match
from tileir_xdsl.emulator.instructions.orders import sortings
from tileir_xdsl.emulator.instructions.rules import check_qualifiers
from tileir_xdsl.emulator.syntax import Instruction

_PIECE = re.compile(r"\{|\}|\.<(?P<name>\w+):(?P<choices>[^>]*)>|\.(?P<literal>[\w:]+)|(?P<op>\w+)")


Emit = Callable[[BlockBuilder, Match], None]


@dataclass(frozen=True)
class Compute:
    """A form that runs inside of a basic block: `emit` generates its numpy statements."""

    emit: Emit


@dataclass(frozen=True)
class Collective:
    """A form that the lanes of a warp execute together.

    `member_mask` names the operand with the mask of participating lanes, by default the whole warp.
    The scheduler reunites these lanes before the instruction runs. `warps` is 4 for instructions of
    a warpgroup: four warps, the first at a multiple of four. `lacks` returns why the instruction
    cannot run yet, or an empty text.
    """

    emit: Emit
    member_mask: str | None = None
    warps: int = 1
    lacks: Callable[[ThreadGroup, Match], str] | None = None


def emit_nothing(builder: BlockBuilder, match: Match) -> None:
    """Emits no effect for hints, fences and pauses: every access takes effect when it is issued."""
    builder.line("pass")


@dataclass(frozen=True)
class Control:
    """A form that ends a basic block; `kind` is the terminator to build."""

    kind: str


Semantics = Compute | Collective | Control


@dataclass(frozen=True)
class Form:
    """One instruction form; `syntax` has opcode, qualifiers and operands in the notation above."""

    syntax: str
    semantics: Semantics = field(compare=False)

    @property
    def mnemonic(self) -> str:
        return self.syntax.split(" ", 1)[0]

    @property
    def opcode(self) -> str:
        return re.split(r"[.{]", self.syntax, maxsplit=1)[0]

    @cached_property
    def pieces(self) -> tuple[frozenset[str], ...]:
        """The choices for the opcode and for each qualifier, optional ones included.

        A choice of several qualifiers, such as `xor.popc`, counts as several pieces.
        """
        found: list[frozenset[str]] = []
        for piece in _PIECE.finditer(self.mnemonic):
            if piece.group() not in "{}":
                choices = (piece["choices"] or piece["literal"] or piece["op"]).split("|")
                parts = zip_longest(*(choice.split(".") for choice in choices))
                found += [frozenset(filter(None, names)) for names in parts]
        return tuple(found)

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        pieces: list[str] = []
        for piece in _PIECE.finditer(self.mnemonic):
            if piece.group() == "{":
                pieces.append("(?:")
            elif piece.group() == "}":
                pieces.append(")?")
            elif piece["name"]:
                choices = "|".join(re.escape(choice) for choice in piece["choices"].split("|"))
                pieces.append(rf"\.(?P<{piece['name']}>{choices})(?![\w:])")
            elif piece["literal"]:
                literal = piece["literal"]
                pieces.append(rf"\.(?P<flag_{literal.replace(':', '_')}>{literal})(?![\w:])")
            else:
                pieces.append(piece["op"])
        return re.compile("".join(pieces))

    @cached_property
    def operand_names(self) -> tuple[tuple[str, ...], int]:
        """The names of the operands, and how many are required; the optional ones come last."""
        _, _, text = self.syntax.partition(" ")
        required, _, _ = text.partition("{")
        names = tuple(re.findall(r"\w+", text))
        return names, len(re.findall(r"\w+", required))

    def qualifiers(self, mnemonic: str) -> dict[str, str] | None:
        found = self.pattern.fullmatch(mnemonic)
        if found is None:
            return None
        return {
            name.removeprefix("flag_"): text
            for name, text in found.groupdict().items()
            if text is not None
        }


class FormTable:
    """Forms by opcode; `refused` returns an unsupported instruction's name and the reason."""

    def __init__(
        self,
        forms: tuple[Form, ...],
        refused: Callable[[str], tuple[str, str] | None] = lambda _: None,
    ) -> None:
        self.forms = forms
        self.refused = refused
        self.by_opcode: dict[str, list[Form]] = {}
        for form in forms:
            self.by_opcode.setdefault(form.opcode, []).append(form)
        self.by_mnemonic: dict[str, list[tuple[Form, dict[str, str]]]] = {}

    def add(self, form: Form) -> None:
        """Adds a form, or replaces an added one that has the same syntax.

        Raises ValueError if the table itself has a form of this syntax.
        """
        if form in self.forms:
            raise ValueError(f"the emulator already has the form '{form.syntax}'")
        self.remove(form)
        self.by_opcode.setdefault(form.opcode, []).append(form)

    def remove(self, form: Form) -> None:
        """Removes a form, if it was added."""
        known = self.by_opcode.get(form.opcode, [])
        known[:] = [each for each in known if each != form]
        self.by_mnemonic.clear()

    def fitting(self, mnemonic: str) -> list[tuple[Form, dict[str, str]]]:
        """The forms with the opcode and the qualifiers of a mnemonic, in the given order."""
        return [
            (form, qualifiers)
            for form in self.by_opcode.get(mnemonic.split(".", 1)[0], ())
            if (qualifiers := form.qualifiers(mnemonic)) is not None
        ]

    def fitting_in_order(self, mnemonic: str) -> list[tuple[Form, dict[str, str]]]:
        """The forms that fit some other order of the qualifiers with the same meaning."""
        return [
            (form, qualifiers)
            for form in self.by_opcode.get(mnemonic.split(".", 1)[0], ())
            for each in sortings(mnemonic, form.pieces)
            if (qualifiers := form.qualifiers(each)) is not None
        ]

    def match(self, instruction: Instruction) -> tuple[Form, Match]:
        """The first form that fits an instruction.

        Raises `EmulatorError` if no form has this opcode, these qualifiers and this number of
        operands, or if qualifiers contradict each other.
        """
        found = self.find(instruction)
        if found is None:
            message = f"unknown instruction '{instruction.mnemonic}'"
            if (reason := self.refused(instruction.mnemonic)) is not None:
                message = f"instruction '{reason[0]}' is not supported: {reason[1]}"
            raise EmulatorError(message, line=instruction.line, instruction=instruction.text)
        check_qualifiers(found[1])
        return found

    def find(self, instruction: Instruction) -> tuple[Form, Match] | None:
        """The first form that fits; `None` if no form has this opcode and these qualifiers.

        Raises `EmulatorError` if the forms that do have another number of operands.
        """
        mnemonic = instruction.mnemonic
        candidates = self.by_mnemonic.get(mnemonic)
        if candidates is None:
            candidates = self.fitting(mnemonic) or self.fitting_in_order(mnemonic)
            self.by_mnemonic[mnemonic] = candidates
        operands = instruction.operands
        for form, qualifiers in candidates:
            names, required = form.operand_names
            if required <= len(operands) <= len(names):
                return form, Match(
                    instruction, qualifiers, dict(zip(names, operands, strict=False))
                )
        if not candidates:
            return None
        expected = candidates[0][0].syntax.partition(" ")[2]
        raise EmulatorError(
            f"'{mnemonic}' takes the operands {expected or '(none)'}, but has "
            f"{len(operands)} operands",
            line=instruction.line,
            instruction=instruction.text,
        )
