"""Whether an MMA is waited for on every path, of values that a loop carries."""

from itertools import product

import pytest

from tests.unit.analysis.asynchronous_programs import FLYING, SUM, dot, function
from tileir_xdsl.analysis.mma.tensor_memory_mmas import is_awaited_before_repeated
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp

PLACES = (0, 1)
YIELDED = {"the same": (0, 1), "swapped": (1, 0), "others": (None, None)}
"""For each carried value, which one the body forwards; None for one that it makes itself."""


def awaited(name: str, value: str) -> str:
    return f"%{name} = nv_tileas.async.future_wait {value} : {FLYING} -> {SUM}\n"


def program(place: int, inside: int | None, yielded: str, after: int | None) -> str:
    """An MMA is one of two values that a loop carries, of which it and what follows wait for one."""
    started = f"%d = nv_tileas.async.to_async %s : {SUM} -> {FLYING}\n"
    initial = ["%d", "%d"]
    initial[place] = "%mma"
    names = ", ".join(
        "%d" if source is None else f"%carried_{source}" for source in YIELDED[yielded]
    )
    body = "" if inside is None else awaited("seen", f"%carried_{inside}")
    return f"""
    {started}{dot("mma", "k", "s")}
    %last:2 = scf.for %i = %zero to %n step %one iter_args(%carried_0 = {initial[0]}, %carried_1 = {initial[1]}) -> ({FLYING}, {FLYING}) {{
      {body}
      scf.yield {names} : {FLYING}, {FLYING}
    }}
    {"" if after is None else awaited("end", f"%last#{after}")}
    """


def is_awaited(
    place: int, inside: int | None, yielded: str, after: int | None, iterations: int
) -> bool:
    """Whether the wait is reached, with so many iterations."""
    current: int | None = place
    for _ in range(iterations):
        if current == inside:
            return True
        handed_on = YIELDED[yielded]
        current = None if current not in handed_on else handed_on.index(current)
        if current is None:
            return False
    return current == after


@pytest.mark.parametrize("yielded", YIELDED)
@pytest.mark.parametrize("place", PLACES)
def test_a_wait_is_on_every_path(place: int, yielded: str):
    for inside, after in product((*PLACES, None), repeat=2):
        body = function(program(place, inside, yielded, after))
        (mma,) = (op for op in body.walk() if isinstance(op, MMAOp))
        paths = [is_awaited(place, inside, yielded, after, count) for count in range(4)]
        found = is_awaited_before_repeated(mma)
        assert not found or all(paths), (inside, after)
        # The wait of an iteration and the one where there is none are seen, whatever is carried.
        if inside == after == place:
            assert found
