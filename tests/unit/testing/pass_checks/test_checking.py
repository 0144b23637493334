"""Wrong passes are found and named; right ones change programs and stay silent."""

from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from tests.unit.testing.pass_checks import planted
from tileir_xdsl.extensions import PlacedPass
from tileir_xdsl.testing.pass_checks import (
    Fault,
    Summary,
    check_pass,
    checking,
    find_candidates,
    subjects,
)
from tileir_xdsl.testing.pass_checks.checking import kind_of_fault

FILE = str(Path(planted.__file__))
ENOUGH = 200
"""Programs on which a wrong pass is found, in some 15 s."""


class Refusing(ModulePass):
    """A later pass that takes no program."""

    name = "refusing"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Refuses the module."""
        raise PassFailedException("refused")


def check(name: str, count: int) -> tuple[Fault | None, Summary]:
    (candidate,) = find_candidates(name, [FILE])
    return check_pass(candidate, islice(subjects(candidate), count), seconds=600)


@pytest.mark.one_in(10)
@pytest.mark.parametrize("placed", planted.WRONG, ids=lambda placed: placed.name)
def test_a_wrong_pass_is_found_and_named(placed: PlacedPass):
    fault, _ = check(placed.name, ENOUGH)
    assert fault is not None
    assert f"pass '{placed.name}' " in fault.message


@pytest.mark.one_in(5)
@pytest.mark.parametrize("placed", planted.RIGHT, ids=lambda placed: placed.name)
def test_a_right_pass_is_not(placed: PlacedPass):
    fault, summary = check(placed.name, 12)
    assert fault is None
    assert summary.compared > 0


@pytest.mark.soak
@pytest.mark.parametrize("placed", planted.RIGHT, ids=lambda placed: placed.name)
def test_a_right_pass_is_not_on_many_programs(placed: PlacedPass):
    fault, _ = check(placed.name, 400)
    assert fault is None


@pytest.mark.parametrize("name", ["fuse-fma", "tileas-slicing"])
def test_passes_of_the_road_are_right(name: str):
    (candidate,) = find_candidates(name)
    fault, summary = check_pass(candidate, islice(subjects(candidate), 8), seconds=600)
    assert fault is None
    assert summary.programs == 8


def test_the_kind_of_change_decides_what_is_named():
    fault, _ = check("ct-swap-sub", 10)
    assert fault is not None
    assert "the first op with another value is 'cuda_tile.subf' op" in fault.message
    fault, _ = check("ct-token-store-ptr", 10)
    assert fault is not None
    assert "'cuda_tile.store_ptr_tko' in tile block (0, 0, 0) both access byte 0" in fault.message
    fault, _ = check("llvm-swap-select", 10)
    assert fault is not None
    assert "the first op that it changes is 'llvm.select' op" in fault.message


def test_a_pass_that_does_not_end_is_stopped_and_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(checking, "LEAST_SECONDS", 0.2)
    (candidate,) = find_candidates("endless", [FILE])
    fault, _ = check_pass(candidate, islice(subjects(candidate), 1), seconds=0.2)
    assert fault is not None
    assert "pass 'endless' does not end: it was stopped after 0.2 s" in fault.message
    assert fault.subject.title.startswith("random program of dense ops, seed 0")


def test_programs_that_are_refused_as_ptx_are_not_counted():
    (candidate,) = find_candidates("right-ct-commute", [FILE])
    (subject,) = islice(subjects(candidate), 1)
    rest = [replace(subject.rest[0], make=Refusing, op_names=None)]
    fault, summary = check_pass(candidate, [replace(subject, rest=rest)], seconds=600)
    assert fault is None
    assert (summary.compared, summary.as_ptx) == (1, 0)


def test_time_is_limited():
    (candidate,) = find_candidates("right-as-commute", [FILE])
    fault, summary = check_pass(candidate, subjects(candidate), seconds=1.0)
    assert fault is None
    assert 0 < summary.programs < 500


def test_a_pass_that_raises_is_named_with_its_error_and_line():
    fault, _ = check("broken", 1)
    assert fault is not None
    assert fault.message.startswith("check: pass 'broken' raises LookupError: no key (planted.py, ")


def test_what_a_pass_changes_is_compared_as_ptx_at_once():
    (candidate,) = find_candidates("right-ct-commute", [FILE])
    _, summary = check_pass(candidate, islice(subjects(candidate), 1), seconds=600)
    assert summary.as_ptx == summary.compared == 1


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        (
            "pass 'p' changes what kernel 'k' computes: argument 1: 3 of 5 elements differ, the "
            "first at 0: 1 before, 2 after; the first op with another value is 'x': y",
            "pass 'p' changes what kernel 'k' computes: elements differ",
        ),
        (
            "pass 'p' changes what kernel 'k' computes: the kernel stops with: 'op' in tile block "
            "(0, 0, 0): acquires iteration 3 of 4",
            "pass 'p' changes what kernel 'k' computes: acquires iteration  of ",
        ),
        (
            "pass 'p' changes what kernel 'k' computes: the kernel stops with: PTX line 12: race: "
            "this x",
            "pass 'p' changes what kernel 'k' computes: race",
        ),
        (
            "pass 'p' leaves a race in kernel 'k': #4 a writes and #9 b reads bytes 0 to 8 of "
            "shared memory",
            "pass 'p' leaves a race in kernel 'k': shared memory",
        ),
    ],
)
def test_failures_of_one_kind_show_alike(message: str, kind: str):
    assert kind_of_fault(message) == kind
