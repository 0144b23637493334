"""Random instructions: forms of the emulator's tables, with other types, modifiers and operands.

`generate(seed, family)` draws a form, its optional parts and choices, and now and then puts a qualifier of
another form in the place of one, or the qualifiers in another order. Operands are registers of
fitting and of other widths, numbers, and addresses. So some instructions are valid, and many nearly
so.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from random import Random

from tests.ptx_grammar.declarations import declaration
from tests.ptx_grammar.families import FAMILIES, Family
from tests.ptx_grammar.operands import PER_TYPE, REGISTERS, Context, Maker
from tileir_xdsl.emulator.instructions import (
    comparison,
    conversion,
    floating_point,
    integer,
    logic,
)
from tileir_xdsl.emulator.instructions.form import Form

FORMS: tuple[Form, ...] = (
    *integer.FORMS,
    *floating_point.FORMS,
    *comparison.FORMS,
    *logic.FORMS,
    *conversion.FORMS,
)
"""The chapters whose instructions use registers only."""

KINDS = ("pred", "b16", "b32", "b64", "f32", "f64")
"""Declared types of registers of these."""

PLAIN = "registers"
"""The family of these forms."""

DECLARATIONS = "declarations"
"""The family of declarations, each with a use."""

# Qualifiers of which the order among themselves says which is which.
_ORDERED = tuple(
    re.compile(names)
    for names in (
        r"[bsuf]\d+\S*|bf\d+\S*|tf32|u?e\dm\d\S*|pred",
        r"global|shared\S*|local|const|param\S*",
        r"row|col",
        r"L2::evict\S*",
    )
)

_PIECE = re.compile(r"\{|\}|\.<(\w+):([^>]*)>|\.([\w:]+)|(\w+)")
_NUMBERS = (
    "0",
    "1",
    "-1",
    "7",
    "31",
    "255",
    "65536",
    "0x80000000",
    "4294967296",
    "1.0",
    "0f3F800000",
)


@cache
def _pools(family: str) -> Mapping[str, tuple[str, ...]]:
    """The qualifiers that any form of a family has in the place of a name."""
    found: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for form in FORMS if family == PLAIN else FAMILIES[family].forms:
        for name, choices in re.findall(r"<(\w+):([^>]*)>", form.mnemonic):
            found[name].update(dict.fromkeys(choices.split("|")))
    return {name: tuple(choices) for name, choices in found.items()}


def names_of_families() -> tuple[str, ...]:
    """The families, `PLAIN` first."""
    return (PLAIN, DECLARATIONS, *FAMILIES)


def target_of(family: str) -> str:
    """The target that has the instructions of a family."""
    return FAMILIES[family].target if family in FAMILIES else "sm_100a"


def generate(seed: int, family: str = PLAIN) -> str:
    """One instruction of a family, without its semicolon."""
    if family == DECLARATIONS:
        return declaration(Random(f"{family} {seed}"))
    if family != PLAIN:
        return _of_family(Random(f"{family} {seed}"), FAMILIES[family], _pools(family))
    rng = Random(seed)
    form = rng.choice(FORMS)
    mnemonic = _mnemonic(rng, form.mnemonic, _pools(PLAIN))
    names, required = form.operand_names
    count = rng.choice((required, len(names)))
    types = re.findall(r"\.([bsuf]\d+|pred)(?:x\d)?", mnemonic) or ["b32"]
    operands = [_operand(rng, name, types, is_first=not i) for i, name in enumerate(names[:count])]
    return f"{mnemonic} {', '.join(operands)}".rstrip()


def _of_family(rng: Random, family: Family, pools: Mapping[str, Sequence[str]]) -> str:
    form = rng.choice(family.forms)
    mnemonic = _mnemonic(rng, form.mnemonic, pools)
    names, required = form.operand_names
    context = Context(rng, tuple(mnemonic.split(".")[1:]))
    count = rng.choice((required, len(names)))
    if names[-1:] == ("policy",) and required < len(names) and rng.random() < 0.9:
        count = len(names) if context.has("L2::cache_hint") else required
    made = [_maker(family, form, name)(context) for name in names[:count]]
    return f"{mnemonic} {', '.join(made)}".rstrip()


def _maker(family: Family, form: Form, name: str) -> Maker:
    """How an operand is made: by opcode and first qualifier, by opcode, or by its name alone."""
    action = re.split(r"[.{]", form.mnemonic)[1] if "." in form.mnemonic else ""
    for key in (f"{form.opcode}.{action}.{name}", f"{form.opcode}.{name}"):
        if key in family.operands:
            return family.operands[key]
    return family.operands[name]


def _mnemonic(rng: Random, syntax: str, pools: Mapping[str, Sequence[str]]) -> str:
    """The qualifiers of a form, its optional parts drawn."""
    parts: list[str] = []
    depth = skipped = 0
    for whole in _PIECE.finditer(syntax):
        text = whole.group()
        if text == "{":
            depth += 1
            if not skipped and rng.random() < 0.6:
                skipped = depth
        elif text == "}":
            skipped = 0 if skipped == depth else skipped
            depth -= 1
        elif skipped:
            continue
        elif whole[1]:
            pool = pools[whole[1]] if rng.random() < 0.12 else tuple(whole[2].split("|"))
            parts.append("." + rng.choice(pool))
        else:
            parts.append(text)
    if len(parts) > 2 and rng.random() < 0.04:
        parts.pop(rng.randrange(1, len(parts)))
    mnemonic = "".join(parts)
    return _reordered(rng, mnemonic) if rng.random() < 0.15 else mnemonic


def _reordered(rng: Random, mnemonic: str) -> str:
    """A mnemonic with its qualifiers in another order, but those of a kind in that of the form."""
    opcode, *qualifiers = mnemonic.split(".")
    shuffled = rng.sample(qualifiers, len(qualifiers))
    for names in _ORDERED:
        ordered = iter([each for each in qualifiers if names.fullmatch(each)])
        shuffled = [next(ordered) if names.fullmatch(each) else each for each in shuffled]
    return ".".join((opcode, *shuffled))


def _operand(rng: Random, name: str, types: list[str], *, is_first: bool) -> str:
    if rng.random() < 0.12 and not is_first:
        return rng.choice(_NUMBERS)
    if name in ("p", "q"):
        kind = "pred"
    else:
        declared = rng.choice(types if rng.random() < 0.9 else [types[0]])
        kind = {"8": "b16", "16": "b16", "32": "b32", "64": "b64"}.get(declared[1:], "pred")
        if declared in ("f32", "f64"):
            kind = declared
    if rng.random() < 0.06:
        kind = rng.choice(KINDS)
    return f"{REGISTERS[kind]}{rng.randrange(PER_TYPE)}"
