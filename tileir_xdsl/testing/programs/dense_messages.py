"""Tile blocks of dense programs that exchange stored numbers, synchronised by atomic counters.

An atomic access of wrong order or scope causes a race, but does not change the results.
"""

from __future__ import annotations

from tileir_xdsl.testing.programs.dense_draft import Draft

NUMBERS = 5
"""The length of the array: a counter, a number of each of two blocks, their sum, a total."""

_POINTER = "tile<ptr<i32>>"


def messages(d: Draft) -> None:
    """Each block stores a number and increments a counter; the last block adds both numbers."""
    scope = d.random.choice(("device", "sys"))
    one, two, three, four = (d.add(f"constant <i32: {n}> : tile<i32>") for n in (1, 2, 3, 4))
    own = d.add(f"addi %x, {one} : tile<i32>")
    token = _store(d, own, d.add(f"muli %n, {own} : tile<i32>"), "%start")
    before, token = d.load(
        f"atomic_rmw_tko acq_rel {scope} %m, add, {one} token={token} : {_POINTER}, tile<i32> "
        "-> tile<i32>, token"
    )
    is_last = d.add(f"cmpi equal {before}, {one}, signed : tile<i32> -> tile<i1>")
    d.lines.append(f"if {is_last} {{")
    first, second = (
        d.load(f"load_ptr_tko weak {_at(d, number)} token={token} : {_POINTER} -> tile<i32>, token")
        for number in (one, two)
    )
    total = d.add(f"addi {first[0]}, {second[0]} : tile<i32>")
    _store(d, three, total, d.add(f"join_tokens {first[1]}, {second[1]} : token"))
    d.lines.append("}")
    d.load(
        f"atomic_rmw_tko relaxed {scope} {_at(d, four)}, add, {own} token=%start : {_POINTER}, "
        "tile<i32> -> tile<i32>, token"
    )


def _at(d: Draft, number: str) -> str:
    return d.add(f"offset %m, {number} : {_POINTER}, tile<i32> -> {_POINTER}")


def _store(d: Draft, number: str, value: str, token: str) -> str:
    return d.add(
        f"store_ptr_tko weak {_at(d, number)}, {value} token={token} : {_POINTER}, tile<i32> "
        "-> token"
    )
