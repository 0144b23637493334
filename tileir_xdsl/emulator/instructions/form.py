"""Instruction forms: the syntax of the PTX ISA manual as data, matched against an instruction.

A form is written as the manual writes it, `add{.rnd}{.ftz}{.sat}.f32  d, a, b`:

- `.name` is a literal qualifier, `.<name:a|b|c>` one of several, named;
- `{...}` is optional, of qualifiers and of operands;
- a matched optional literal is a flag under its own name.
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
    """A form that runs inside a basic block: `emit` writes its numpy statements."""

    emit: Emit


@dataclass(frozen=True)
class Collective:
    """A form that the lanes of a warp execute together.

    `member_mask` names the operand that says which lanes take part; without one the whole warp
    does. The scheduler reunites those lanes before the instruction runs. `warps` is 4 for the
    instructions of a warpgroup: four warps, from a multiple of four on. A form may state why it
    cannot run yet (`lacks`); the text is empty if it can.
    """

    emit: Emit
    member_mask: str | None = None
    warps: int = 1
    lacks: Callable[[ThreadGroup, Match], str] | None = None


def emit_nothing(builder: BlockBuilder, match: Match) -> None:
    """Emits nothing for hints, fences and pauses: every access takes effect when it is issued."""
    builder.line("pass")


@dataclass(frozen=True)
class Control:
    """A form that ends a basic block; `kind` is the terminator to build."""

    kind: str


Semantics = Compute | Collective | Control


@dataclass(frozen=True)
class Form:
    """One instruction form; `syntax` is its opcode, qualifiers and operands as described above."""

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
        """The opcode and the qualifiers, also those that may be left out, each with its choices.

        A choice of several qualifiers, such as `xor.popc`, is as many pieces.
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
        """The operand names, and how many of them are required (the optional ones end the list)."""
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
    """Forms by opcode; `refused` names the instruction of a mnemonic, and why it has no form."""

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
        """Adds a form, or replaces an added one of the same syntax.

        Raises ValueError where a form of the table itself has this syntax.
        """
        if form in self.forms:
            raise ValueError(f"the emulator has '{form.syntax}' already")
        self.remove(form)
        self.by_opcode.setdefault(form.opcode, []).append(form)

    def remove(self, form: Form) -> None:
        """Drops a form that was added, if it was."""
        known = self.by_opcode.get(form.opcode, [])
        known[:] = [each for each in known if each != form]
        self.by_mnemonic.clear()

    def fitting(self, mnemonic: str) -> list[tuple[Form, dict[str, str]]]:
        """The forms with an opcode and qualifiers, whatever the operands are."""
        return [
            (form, qualifiers)
            for form in self.by_opcode.get(mnemonic.split(".", 1)[0], ())
            if (qualifiers := form.qualifiers(mnemonic)) is not None
        ]

    def fitting_in_order(self, mnemonic: str) -> list[tuple[Form, dict[str, str]]]:
        """The forms that fit when the qualifiers are sorted, as far as any order says the same."""
        return [
            (form, qualifiers)
            for form in self.by_opcode.get(mnemonic.split(".", 1)[0], ())
            for each in sortings(mnemonic, form.pieces)
            if (qualifiers := form.qualifiers(each)) is not None
        ]

    def match(self, instruction: Instruction) -> tuple[Form, Match]:
        """The first form that fits.

        Raises `EmulatorError` when no form has this opcode and these qualifiers, or this number of
        operands, or when they do not go together.
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
        """The first form that fits; `None` when none has this opcode and these qualifiers.

        Raises `EmulatorError` when none of those that do takes this number of operands.
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
            f"'{mnemonic}' takes the operands {expected or '(none)'}, not {len(operands)} of them",
            line=instruction.line,
            instruction=instruction.text,
        )
