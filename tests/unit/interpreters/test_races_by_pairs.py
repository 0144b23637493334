"""The race detector against a comparison of all pairs, and how its work grows with a loop."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Sequence
from itertools import combinations
from types import FrameType

import numpy as np
import pytest
from xdsl.dialects import test

from tileir_xdsl.interpreters import races
from tileir_xdsl.interpreters.accesses import Access, Ordering, Token, join_tokens
from tileir_xdsl.interpreters.address_space import Allocation, Touch
from tileir_xdsl.interpreters.races import RaceDetector

WHERE = tuple(Allocation(name, 0, np.zeros(16, np.uint8), True) for name in ("one", "other"))
ORDERINGS = (
    Ordering(),
    Ordering(),
    Ordering("relaxed", "tl_blk"),
    Ordering("relaxed", "device"),
    Ordering("acq_rel", "device"),
)


def _perform(
    detector: RaceDetector,
    op: test.TestOp,
    block: int,
    after: Sequence[Token],
    touch: Touch,
    order: int,
) -> tuple[Access, Token]:
    access = Access(op, (block, 0, 0), ORDERINGS[order], join_tokens(after).accesses, [touch])
    return access, detector.perform(access, lambda: None)[1]


def _random_run(seed: int, detector: RaceDetector) -> Iterator[tuple[Access, Touch]]:
    """Random accesses of a few ops, each of one ordering, in blocks that take turns."""
    draw = random.Random(seed)
    ops = [(test.TestOp(), draw.randrange(len(ORDERINGS)), draw.randrange(3)) for _ in range(4)]
    tokens: dict[int, list[Token]] = {0: [], 1: []}
    for _ in range(40):
        (op, order, kind), block = draw.choice(ops), draw.randrange(2)
        known = tokens[block]
        after = [token for token in known[-3:] if draw.random() < 0.6]
        offsets = np.array(sorted(draw.sample(range(4), draw.randrange(1, 3)))) * 4
        touch = Touch(draw.choice(WHERE), offsets, 4, reads=kind != 1, writes=kind != 0)
        access, token = _perform(detector, op, block, after, touch, order)
        known.append(token)
        yield access, touch


def _happens_before(accesses: Sequence[tuple[Access, Touch]]) -> dict[Access, set[Access]]:
    """What precedes each access, by tokens and by the releases that it acquires."""
    before: dict[Access, set[Access]] = {}
    released: dict[tuple[str, int], set[Access]] = {}
    for access, touch in accesses:
        past = {x for named in access.after for x in (named, *before[named])}
        places = [(touch.allocation.name, int(offset)) for offset in touch.offsets]
        if access.ordering.semantics == "acq_rel" and touch.reads:
            past.update(*(released.get(place, ()) for place in places))
        before[access] = past
        if access.ordering.semantics != "weak" and touch.writes:
            own = {access, *past} if access.ordering.semantics == "acq_rel" else set[Access]()
            for place in places:
                continued = released.get(place, set[Access]()) if touch.reads else set[Access]()
                released[place] = continued | own
    return before


def _are_strong(first: Access, second: Access) -> bool:
    one, other = first.ordering, second.ordering
    return "weak" not in (one.semantics, other.semantics) and (
        first.block == second.block or one.scope == other.scope == "device"
    )


@pytest.mark.parametrize("seed", range(60))
def test_it_finds_the_pairs_that_a_comparison_of_all_finds(seed: int) -> None:
    detector = RaceDetector()
    accesses = list(_random_run(seed, detector))
    before = _happens_before(accesses)
    pairs = {
        frozenset((first.op, second.op))
        for (first, one), (second, other) in combinations(accesses, 2)
        if one.allocation is other.allocation
        and (one.writes or other.writes)
        and set(one.offsets.tolist()) & set(other.offsets.tolist())
        and first not in before[second]
        and not _are_strong(first, second)
    }
    found = [race for race in detector.races if isinstance(race, races.Race)]
    assert {frozenset((race.first.op, race.second.op)) for race in found} == pairs
    assert len(found) == len(pairs)


def _iterate(kind: str, iterations: int) -> None:
    """A loop that loads, and stores after it where it is of such a kind."""
    detector, load, store, token = RaceDetector(), test.TestOp(), test.TestOp(), Token()
    where = Allocation("long", 0, np.zeros(4 * iterations, np.uint8), True)
    for number in range(iterations):
        offset = np.array([4 * number if kind == "sweep" else 0])
        read, write = (Touch(where, offset, 4, not writes, writes) for writes in (False, True))
        if kind == "atomics":
            _perform(detector, load, 0, [], Touch(where, offset, 4, reads=True, writes=True), 3)
            continue
        _, loaded = _perform(detector, load, 0, [token], read, 0)
        if kind != "reread":
            _, token = _perform(detector, store, 0, [loaded], write, 0)
    assert detector.races == []


def _calls(kind: str, iterations: int) -> int:
    """How many functions of the detector are called in a loop."""
    count = 0

    def note(frame: FrameType, event: str, _arg: object) -> None:
        nonlocal count
        count += event == "call" and frame.f_code.co_filename == races.__file__

    sys.setprofile(note)
    try:
        _iterate(kind, iterations)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("kind", ["reread", "in place", "sweep", "atomics"])
def test_its_work_grows_as_the_iterations(kind: str) -> None:
    assert 0 < _calls(kind, 200) <= 2.2 * _calls(kind, 100)
