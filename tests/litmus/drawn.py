"""Random litmus tests: what the emulator shows is what the axioms allow."""

from __future__ import annotations

from random import Random

from tests.litmus.shapes import PLACES, Column, Shape, load, store
from tests.litmus.syntax import LitmusTest, parse_test

_ORDERS = ("relaxed", "relaxed", "relaxed", "acquire", "release")
_SCOPES = (*["gpu"] * 10, "cluster", "cta")
_FENCES = ("sc", "acq_rel", "acquire", "release")
_AND = " /\\ "
_MOST = 7
"""Accesses of a test: all executions are enumerated."""


def drawn_test(seed: int) -> LitmusTest:
    """Two to four threads with up to four accesses each, mostly strong, of two places."""
    random = Random(seed)
    places = random.choice(list(PLACES))
    count = random.choice((2, 2, 2, 3, 3, 4))
    left = _MOST
    columns: list[Column] = []
    registers: list[str] = []
    for thread in range(count):
        most = min(4, left - (count - thread - 1))
        accesses = random.randint(min(2, most), max(1, most))
        left -= accesses
        column = _column(random, thread, accesses)
        columns.append(column)
        registers += [f"{thread}:{r}" for r in ("r0", "r1", "r2", "r3") if _uses(column, r)]
    names = [*registers, "x", "y"]
    # The condition says nothing: its names are those whose values are compared.
    condition = f"exists ({_AND.join(f'{n}=0' for n in names)})"
    shape = Shape("drawn", f"drawn+{seed}", "", tuple(columns), condition, False, places=places)
    return parse_test(shape.text())


def _uses(column: Column, register: str) -> bool:
    return any(register in text.replace(",", " ").split() for text in column)


def _column(random: Random, thread: int, accesses: int) -> Column:
    column: list[str] = []
    loaded: list[str] = []
    for number in range(accesses):
        guard = ""
        if loaded and random.random() < 0.2:
            column.append(f"setp.eq.u32 p0, {random.choice(loaded)}, {random.randrange(2)}")
            guard = "@p0 "
        register = f"r{number}"
        column.append(guard + _access(random, register, thread * 4 + number + 1, loaded))
        if _uses(column[-1:], register):
            loaded.append(register)
        if number + 1 < accesses and random.random() < 0.35:
            column.append(f"fence.{random.choice(_FENCES)}.{random.choice(_SCOPES)}")
    return column


def _access(random: Random, register: str, value: int, loaded: list[str]) -> str:
    """One access; what it stores is a number of its own, or what the thread has loaded."""
    place, scope = random.choice("xy"), random.choice(_SCOPES)
    order = random.choice(_ORDERS)
    is_weak = random.random() < 0.03
    stored = random.choice(loaded) if loaded and random.random() < 0.25 else value
    match random.choice(("load", "load", "store", "store", "update")):
        case "load":
            how = "acquire" if order == "acquire" else "relaxed"
            return load(register, place, "" if is_weak else f"{how}.{scope}")
        case "store":
            how = "release" if order == "release" else "relaxed"
            return store(place, stored, "" if is_weak else f"{how}.{scope}")
        case _:
            operation = random.choice(("add", "exch"))
            kind = "b32" if operation == "exch" else "u32"
            return f"atom.{order}.{scope}.global.{operation}.{kind} {register}, [{place}], {stored}"
