"""The forms of ops that take numbers: modifiers and element types, from the tables of other tests."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product

from xdsl.utils.exceptions import ParseError, VerifyException

from tests.readings.numbers import UNSIGNED
from tests.unit.interpreters.cuda_tile.elementwise import CASES, FLOATS, INTEGERS, SMALL_FLOATS
from tests.unit.interpreters.cuda_tile.elementwise import SIZE as CASE_SIZE
from tileir_xdsl.dialects.cuda_tile import CudaTile, IntegerOverflow
from tileir_xdsl.dialects.cuda_tile.interfaces import CudaTileOperation
from tileir_xdsl.dialects.cuda_tile.syntax import (
    Directive,
    Flag,
    Flags,
    Overflow,
    Rounding,
    SignednessKeyword,
)
from tileir_xdsl.testing import tools

NARROW = ("f8E8M0FNU", "f4E2M1FN", UNSIGNED)
"""Formats that only conversions take, and that the other tests leave out."""
FOUR_BITS = "f4E2M1FN"


@dataclass(frozen=True)
class Form:
    """An elementwise op on %in0, %in1 ..: its text, with # for the shape, and its element types."""

    text: str
    operands: tuple[str, ...]
    result: str

    @property
    def operation(self) -> str:
        """The name of the op, without its dialect."""
        return self.text.split()[0]

    @property
    def modifiers(self) -> str:
        """Its words between operands and types: a predicate, a rounding mode, flags, signedness."""
        words = self.text.partition(" :")[0].replace(",", " ").split()[1:]
        return " ".join(word for word in words if not word.startswith("%"))

    @property
    def types(self) -> str:
        """Its element types: `f32`, or those of operands and result where they differ."""
        sources = " ".join(dict.fromkeys(self.operands))
        return sources if {*self.operands} == {self.result} else f"{sources} to {self.result}"

    @property
    def key(self) -> str:
        """What names the form among all."""
        return " ".join(filter(None, (self.operation, self.modifiers, self.types)))

    def at(self, shape: str) -> str:
        """The text on tiles of a shape, `16x` or nothing for numbers."""
        return self.text.replace("#", shape)


def form(text: str, operands: tuple[str, ...], result: str) -> Form:
    """A form whose text has T for the tile of the first operand, and R for that of the result."""
    text = text.replace("-> R", f"-> tile<#{result}>").replace(": T", f": tile<#{operands[0]}>")
    return Form(text.replace(f"tile<{CASE_SIZE}x", "tile<#"), operands, result)


def _further() -> Iterator[Form]:
    """Conversions that the cases of other tests leave out."""
    floats = (*FLOATS, *SMALL_FLOATS)
    for source, result, sign in product((*floats, *NARROW), INTEGERS, ("signed", "unsigned")):
        if source in NARROW:
            yield form(f"ftoi %in0 {sign} : T -> R", (source,), result)
        elif source in FLOATS:
            yield form(f"ftoi %in0 {sign} saturating : T -> R", (source,), result)
    for source, sign in product(INTEGERS, ("signed", "unsigned")):
        # On the least constant of these `tileiras` 13.5 ends without a word.
        if (source, sign) not in (("i32", "signed"), ("i64", "signed")):
            yield form(f"itof %in0 {sign} : T -> R", (source,), UNSIGNED)
    for source in (*floats, *NARROW):
        for result in NARROW:
            if source != result:
                mode = " rounding<zero>" if result == "f8E8M0FNU" else ""
                yield form(f"ftof %in0{mode} : T -> R", (source,), result)
        for narrow in NARROW:
            if source in ("f16", "f32"):
                yield form("ftof %in0 : T -> R", (narrow,), source)


# Modifiers, from the syntax of the ops.

MODIFIED: Mapping[str, tuple[str, str]] = {
    "ftof": ("f64", "f32"),
    "ftoi": ("f32", "i32"),
    "itof": ("i32", "f16"),
    "trunci": ("i32", "i16"),
}
"""The types on which conversions have all modifiers; other ops have them in f32 or i32."""


_PLAIN = (("f32", "f32"), ("i32", "i32"))


def choices(directive: Directive) -> tuple[str, ...]:
    """The words that one place of the syntax takes, of which nothing may be one."""
    match directive:
        case Rounding():
            modes = (*directive.modes, *directive.unlisted)
            # One mode alone says nothing.
            return ("", *(f"rounding<{mode}>" for mode in modes if len(modes) > 1))
        case Flag():
            return ("", directive.name)
        case Flags():
            return ("", *directive.names, " ".join(directive.names))
        case Overflow():
            return ("", *(f"overflow<{each}>" for each in IntegerOverflow))
        case SignednessKeyword():
            return ("signed", "unsigned")
        case _:
            return ("",)


def _is_valid(each: Form) -> bool:
    operands = (f"%in{i}: tile<2x{e}>" for i, e in enumerate(each.operands))
    body = f"%r = {each.at('2x')}\nreturn"
    try:
        tools.parse(
            f"cuda_tile.module @m {{ testing$func @f({', '.join(operands)}) {{ {body} }} }}"
        )
    except (ParseError, VerifyException):
        return False
    return True


def _modified(cases: Iterable[Form]) -> Iterator[Form]:
    """Every op on one type with all modifiers that it may have together."""
    bases = dict[str, Form]()
    for case in cases:
        types = case.operands[0], case.result
        if types in ((MODIFIED[case.operation],) if case.operation in MODIFIED else _PLAIN):
            bases.setdefault(case.operation, case)
    syntax = {
        operation.name: operation.SYNTAX
        for operation in CudaTile.operations
        if issubclass(operation, CudaTileOperation)
    }
    for name, base in bases.items():
        places = [choices(directive) for directive in syntax[f"cuda_tile.{name}"]]
        types = base.text.partition(" :")[2]
        operands = ", ".join(f"%in{i}" for i in range(len(base.operands)))
        for words in product(*places):
            text = " ".join(filter(None, (name, operands, *words, ":" + types)))
            made = Form(text, base.operands, base.result)
            if _is_valid(made):
                yield made


@cache
def forms() -> tuple[Form, ...]:
    """All forms, each once, in the order of the tables."""
    cases = [form(case.text, case.operands, case.result) for case in CASES]
    found = (*cases, *_further(), *_modified(cases))
    return tuple({each.key: each for each in found}.values())


@cache
def by_operation() -> dict[str, list[Form]]:
    """The forms of each op."""
    found: dict[str, list[Form]] = {}
    for each in forms():
        found.setdefault(each.operation, []).append(each)
    return found


def natural(text: str) -> list[object]:
    """A key that sorts i8 before i16."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", text)]
