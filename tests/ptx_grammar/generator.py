"""Random instructions: forms of the emulator's tables, with other types, modifiers and operands.

`generate(seed)` draws a form, its optional parts and choices, and now and then puts a qualifier of
another form in the place of one. Operands are registers of fitting and of other widths, numbers,
and addresses. So some instructions are valid, and many nearly so.
"""

from __future__ import annotations

import re
from collections import defaultdict
from random import Random

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

REGISTERS = {
    "pred": "%p",
    "b16": "%h",
    "b32": "%r",
    "b64": "%d",
    "f32": "%f",
    "f64": "%g",
}
"""A prefix of registers of each declared type."""
PER_TYPE = 4

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


def _pools() -> dict[str, tuple[str, ...]]:
    """The qualifiers that any form has in the place of a name."""
    found: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for form in FORMS:
        for name, choices in re.findall(r"<(\w+):([^>]*)>", form.mnemonic):
            found[name].update(dict.fromkeys(choices.split("|")))
    return {name: tuple(choices) for name, choices in found.items()}


_POOLS = _pools()


def generate(seed: int) -> str:
    """One instruction without its semicolon."""
    rng = Random(seed)
    form = rng.choice(FORMS)
    mnemonic = _mnemonic(rng, form.mnemonic)
    names, required = form.operand_names
    count = rng.choice((required, len(names)))
    types = re.findall(r"\.([bsuf]\d+|pred)(?:x\d)?", mnemonic) or ["b32"]
    operands = [_operand(rng, name, types, is_first=not i) for i, name in enumerate(names[:count])]
    return f"{mnemonic} {', '.join(operands)}".rstrip()


def _mnemonic(rng: Random, syntax: str) -> str:
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
            pool = _POOLS[whole[1]] if rng.random() < 0.12 else tuple(whole[2].split("|"))
            parts.append("." + rng.choice(pool))
        else:
            parts.append(text)
    if len(parts) > 2 and rng.random() < 0.04:
        parts.pop(rng.randrange(1, len(parts)))
    return "".join(parts)


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
        kind = rng.choice(list(REGISTERS))
    return f"{REGISTERS[kind]}{rng.randrange(PER_TYPE)}"
