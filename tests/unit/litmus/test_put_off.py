"""Accesses that take effect after later ones of their thread: what the model allows, all of it."""

from collections.abc import Sequence
from typing import Any

import pytest

from tests.litmus.executions import allowed
from tests.litmus.runs import observe
from tests.litmus.shapes import Column, Shape, load, store
from tests.litmus.syntax import LitmusTest, parse_test
from tileir_xdsl.emulator import postponement
from tileir_xdsl.emulator.races.histories import Histories
from tileir_xdsl.emulator.races.put_off import Needs, PutOffAccesses

RELAXED = "relaxed.gpu"
TO_Y, TO_X = store("y", 1, RELAXED), store("x", 1, RELAXED)
OTHER = (load("r0", "y", RELAXED), TO_X)
"""Loads what the first thread stores, and stores what that loads."""


def _test(columns: Sequence[Column], names: Sequence[str]) -> LitmusTest:
    condition = "exists (" + " /\\ ".join(f"{name}=0" for name in names) + ")"
    return parse_test(Shape("late", "late", "", tuple(columns), condition, False).text())


def _atom(register: str, place: str, order: str = "relaxed", by: str = "exch.b32") -> str:
    return f"atom.{order}.gpu.global.{by} {register}, [{place}], 5"


TWO = ("0:r0", "1:r0")
SHOWN: dict[str, tuple[Sequence[Column], Sequence[str]]] = {
    "loads": (((load("r0", "x", RELAXED), TO_Y), OTHER), TWO),
    "acquire": (((load("r0", "x", "acquire.gpu"), TO_Y), OTHER), TWO),
    "release after it": (((load("r0", "x", RELAXED), store("y", 1, "release.gpu")), OTHER), TWO),
    "an update": (((_atom("r0", "x"), TO_Y), OTHER), (*TWO, "x")),
    "updates of both": (
        ((_atom("r0", "x"), _atom("r1", "y")), (_atom("r0", "y"), _atom("r1", "x"))),
        ("0:r1", "1:r1", "x", "y"),
    ),
    "data": (((load("r0", "x", RELAXED), store("y", "r0", RELAXED)), OTHER), TWO),
    "computed data": (
        ((load("r0", "x", RELAXED), "add.u32 r1, r0, 1", store("y", "r1", RELAXED)), OTHER),
        (*TWO, "0:r1"),
    ),
    "a guard": (
        ((load("r0", "x", RELAXED), "setp.eq.u32 p0, r0, 0", "@p0 " + TO_Y), OTHER),
        TWO,
    ),
    "a register written again": (((load("r0", "x", RELAXED), "mov.u32 r0, 7", TO_Y), OTHER), TWO),
    "the same place": (((load("r0", "x", RELAXED), store("x", 2, RELAXED), TO_Y), OTHER), TWO),
    "a fence": (((load("r0", "x", RELAXED), "fence.acq_rel.gpu", TO_Y), OTHER), TWO),
    "fences": (
        (
            (load("r0", "x", RELAXED), "fence.acq_rel.gpu", TO_Y),
            (load("r0", "y", RELAXED), "fence.acq_rel.gpu", TO_X),
        ),
        TWO,
    ),
    "a release after an update": (
        (
            (_atom("r0", "x"), store("y", 1, "release.gpu")),
            (load("r0", "y", "acquire.gpu"), load("r1", "x", RELAXED)),
        ),
        ("0:r0", "1:r0", "1:r1"),
    ),
    # Who acquires what is released after the load knows of the load.
    "a store that knows of it": (
        (
            (load("r0", "x", RELAXED), store("y", 1, "release.gpu")),
            (load("r0", "y", "acquire.gpu"), TO_X),
        ),
        TWO,
    ),
    "a load that knows of it": (
        (
            (load("r0", "x", RELAXED), store("y", 1, "release.gpu")),
            (load("r0", "y", "acquire.gpu"), load("r1", "x", RELAXED)),
            (TO_X,),
        ),
        (*TWO, "1:r1"),
    ),
    "an acquire of what it knows": (
        (
            (load("r0", "x", "acquire.gpu"), load("r1", "x", "acquire.gpu"), TO_Y),
            (store("x", 1, "release.gpu"),),
        ),
        ("0:r0", "0:r1"),
    ),
    "an acquire of what has seen the store": (
        (
            (load("r0", "x", "acquire.gpu"), TO_Y),
            (load("r0", "y", RELAXED), store("x", 1, "release.gpu")),
        ),
        TWO,
    ),
}


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", SHOWN)
def test_all_that_is_allowed_is_shown_and_nothing_else(name: str):
    test = _test(*SHOWN[name])
    shown, model = observe(test, 400, weak=True), allowed(test)
    assert not shown.races and not model.is_racy
    assert shown.outcomes == model.outcomes


NEVER_LATE = {
    "acquire": _atom("r0", "x", "acquire"),
    "release": _atom("r0", "x", "release"),
    "acq_rel": _atom("r0", "x", "acq_rel"),
    "compare-and-swap": "atom.relaxed.gpu.global.cas.b32 r0, [x], 0, 5",
}
"""Updates of which the documentation says that they take effect where they stand."""


@pytest.mark.parametrize("name", NEVER_LATE)
def test_updates_that_are_never_late(name: str):
    update = NEVER_LATE[name]
    columns = ((update, TO_Y), (update.replace("[x]", "[y]"), TO_X))
    test = _test(columns, (*TWO, "x", "y"))
    shown = observe(test, 400, weak=True)
    assert not shown.races
    assert shown.outcomes == observe(test, 400).outcomes


def _nothing(*_: Any, **__: Any) -> None:
    """In place of what keeps accesses in order."""


def _no_registers(*_: Any) -> tuple[str, ...]:
    return ()


def _but_not_updates(**needs: Any) -> Needs:
    needs["updates"] = False
    return Needs(**needs)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("owner", "name", "fault", "test"),
    [
        (postponement, "_registers", _no_registers, "computed data"),
        (postponement, "PRIVATE", postponement.PRIVATE | {"fence"}, "fences"),
        (postponement, "Needs", _but_not_updates, "a release after an update"),
        (PutOffAccesses, "settle_overlapping", _nothing, "the same place"),
        (Histories, "_limit", _nothing, "a store that knows of it"),
        (Histories, "_limit", _nothing, "a load that knows of it"),
    ],
)
def test_a_fault_in_what_keeps_accesses_in_order_is_found(
    monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, fault: Any, test: str
):
    monkeypatch.setattr(owner, name, fault)
    faulty = _test(*SHOWN[test])
    assert observe(faulty, 400, weak=True).outcomes - allowed(faulty).outcomes
