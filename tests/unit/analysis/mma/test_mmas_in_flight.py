"""How many products may stay on their way at a wait."""

import pytest

from tests.unit.analysis.asynchronous_programs import (
    FLYING,
    SUM,
    dot,
    function,
    loop,
    wait,
)
from tileir_xdsl.analysis.mma.mmas_in_flight import started_by
from tileir_xdsl.dialects import nv_tileas

START = f"%first = nv_tileas.async.to_async %s : {SUM} -> {FLYING}\n"


def branch(then: str, otherwise: str) -> str:
    return f"scf.if %flag {{\n{then}\n}} else {{\n{otherwise}\n}}\n"


def either(then: str, otherwise: str) -> str:
    """A branch that gives %d on both ways."""
    given = f"scf.yield %d : {FLYING}"
    return f"%given = scf.if %flag -> ({FLYING}) {{\n{then}\n{given}\n}} else {{\n{otherwise}\n{given}\n}}\n"


def one_of(then: str, otherwise: str) -> str:
    """A branch that gives one product or another."""
    ways = (f"scf.yield %{value} : {FLYING}" for value in (then, otherwise))
    return f"%given = scf.if %flag -> ({FLYING}) {{\n{next(ways)}\n}} else {{\n{next(ways)}\n}}\n"


NEXT = dot("d", "k", "flying", FLYING)


def condition_loop(before: str, after: str, passed: str = "flying") -> str:
    """A loop that carries %flying, a product, and tests between two parts of its body."""
    return f"""
    %last = scf.while (%flying = %first) : ({FLYING}) -> ({FLYING}) {{
      {before}
      scf.condition(%flag) %{passed} : {FLYING}
    }} do {{
    ^bb0(%inside: {FLYING}):
      {after}
      scf.yield %d : {FLYING}
    }}
    """


YOUNGER = {
    "the youngest": (dot("d", "k", "s") + wait("d"), [0]),
    "two are younger": (
        dot("d", "k", "s") + dot("e", "k", "s") + dot("f", "k", "s") + wait("d"),
        [2],
    ),
    "the one of the iteration before": (START + loop(NEXT + wait("flying"), "d"), [1]),
    "after the loop": (START + loop(NEXT + wait("flying"), "d") + wait("last"), [1, 0]),
    "the loop may not run": (
        dot("first", "k", "s") + loop(NEXT + wait("flying"), "d") + wait("last"),
        [1, 0],
    ),
    "another product in the iteration": (
        START + loop(dot("e", "k", "s") + NEXT + wait("flying") + wait("e"), "d"),
        [2, 1],
    ),
    "one way passes fewer": (
        dot("d", "k", "s")
        + branch(dot("e", "k", "s") + dot("f", "k", "s"), dot("g", "k", "s"))
        + wait("d"),
        [1],
    ),
    "two ways give the same, one after a younger one": (
        dot("d", "k", "s") + either(dot("e", "k", "s"), "") + wait("given"),
        [0],
    ),
    "two ways give the same, the other after younger ones": (
        dot("d", "k", "s")
        + either(dot("e", "k", "s"), dot("e", "k", "s") + dot("f", "k", "s"))
        + dot("g", "k", "s")
        + wait("given"),
        [2],
    ),
    "the older or the younger of two": (
        dot("d", "k", "s") + dot("e", "k", "s") + one_of("d", "e") + wait("given"),
        [0],
    ),
    "the older or the younger of two, after another": (
        dot("d", "k", "s")
        + dot("e", "k", "s")
        + dot("f", "k", "s")
        + one_of("e", "d")
        + wait("given"),
        [1],
    ),
    "inside of a branch": (
        dot("d", "k", "s") + branch(dot("e", "k", "s") + wait("d"), ""),
        [1],
    ),
    "the one before the test of a loop": (
        START
        + condition_loop(wait("flying"), dot("d", "k", "inside", FLYING) + dot("e", "k", "s")),
        [1],
    ),
    "behind the test of a loop": (
        START + condition_loop(dot("e", "k", "s"), wait("inside") + dot("d", "k", "s")),
        [1],
    ),
    "after the test of a loop": (
        START
        + condition_loop(dot("e", "k", "s"), dot("d", "k", "s"), "e")
        + dot("f", "k", "s")
        + wait("last"),
        [1],
    ),
    "a loop in between may not run": (
        dot("d", "k", "s") + START + loop(NEXT, "d2").replace("%d ", "%d2 ") + wait("d"),
        [0],
    ),
}


@pytest.mark.parametrize(("body", "expected"), YOUNGER.values(), ids=YOUNGER)
def test_younger_products(body: str, expected: list[int]):
    waits = [op for op in function(body).walk() if isinstance(op, nv_tileas.WaitOp)]
    found: list[int] = []
    for op in waits:
        starts = started_by(op.sources[0], op)
        mmas = [n for start, n in starts.items() if isinstance(start, nv_tileas.AsyncDotOp)]
        found.append(min(mmas))
    assert found == expected


def test_a_value_that_is_there_has_no_product():
    (op,) = (
        op for op in function(START + wait("first")).walk() if isinstance(op, nv_tileas.WaitOp)
    )
    assert [type(start) for start in started_by(op.sources[0], op)] == [nv_tileas.ToAsyncOp]
