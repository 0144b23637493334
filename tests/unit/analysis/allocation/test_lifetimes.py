"""Which buffers may be in use at the same time."""

import pytest
from xdsl.ir import Operation

from tests.unit.analysis.asynchronous_programs import (
    CONSUMER,
    FLYING,
    HALF,
    ITERATOR,
    PIPE,
    PRODUCER,
    SHARED,
    STAGES,
    SUM,
    TILE,
    dot,
    function,
    loaded,
    loop,
    stored,
    wait,
)
from tileir_xdsl.analysis.allocation.lifetimes import BufferLifetimes

START = f"%first = nv_tileas.async.to_async %s : {SUM} -> {FLYING}\n"


def maker(tested: Operation, name: str) -> Operation:
    """The op whose first result has a name."""
    return next(op for op in tested.walk() if op.results and op.results[0].name_hint == name)


IN_ONE_AGENT = {
    "one after the other": (stored("a") + loaded("a") + stored("b") + loaded("b"), False),
    "both are stored first": (stored("a") + stored("b") + loaded("a") + loaded("b"), True),
    "a dot on its way reads one": (
        stored("a") + dot("d", "a", "s") + stored("b") + loaded("b") + wait("d"),
        True,
    ),
    "the dot has been waited for": (
        stored("a") + dot("d", "a", "s") + wait("d") + stored("b") + loaded("b"),
        False,
    ),
    "both in each iteration": (
        START + loop(stored("a") + loaded("a") + stored("b") + loaded("b"), yielded="flying"),
        False,
    ),
    "a dot goes on in the next iteration": (
        START
        + loop(
            stored("a")
            + dot("d", "a", "flying", FLYING)
            + wait("flying")
            + stored("b")
            + loaded("b"),
            yielded="d",
        )
        + wait("last"),
        True,
    ),
    "one is read in a loop": (
        stored("a") + START + loop(loaded("a") + stored("b") + loaded("b"), yielded="flying"),
        True,
    ),
    "the loop that reads one is over": (
        stored("a") + START + loop(loaded("a"), yielded="flying") + stored("b") + loaded("b"),
        False,
    ),
}


@pytest.mark.parametrize(("body", "expected"), IN_ONE_AGENT.values(), ids=IN_ONE_AGENT)
def test_in_one_agent(body: str, expected: bool):
    tested = function(body)
    lifetimes = BufferLifetimes(tested)
    a, b = (lifetimes.of(maker(tested, name)) for name in "ab")
    assert a.meets(b) == b.meets(a) == expected


def agents(
    before: str, after: str, sharing_registers: str = "", *, others_read: bool = False
) -> Operation:
    """An agent that empties the two stages of %a, and one that fills them; %b is a buffer.

    With `others_read` a third agent empties them as well.
    """
    read = f"""
    %w = {PIPE}.consumer_wait %c, %it {{consumer_idx = 0 : i32}} : {CONSUMER}, {ITERATOR} -> {CONSUMER}
    %r, %t = {PIPE}.consumer_read %w {{consumer_idx = 0 : i32}} : {CONSUMER} -> {CONSUMER}, {TILE}
    %u = nv_tileas.convert_layout %t : {TILE.replace("tile", "tensor", 1)} -> {SHARED}
    %o = {PIPE}.consumer_release %r : {CONSUMER} -> {CONSUMER}
    """
    produce = f"""
    %q, %e = {PIPE}.produce_one_async %p, %it {{producer_types = [{TILE}]}} : ({PRODUCER}, {ITERATOR}) -> {PRODUCER}, !nv_tileas.async_token {{
    ^bb0(%stage: {TILE}):
      {PIPE}.yield %stage : {TILE}
    }}
    """
    return function(f"""
    %a = nv_tileas.alloc_tensor : {STAGES}
    %b = nv_tileas.alloc_tensor : {SHARED}
    %p, %c = {PIPE}.create_pipeline %a {{numStages = 2 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8}} : {STAGES} -> {PRODUCER}, {CONSUMER}
    %it = {PIPE}.create_iterator %p : {PRODUCER} -> {ITERATOR}
    {PIPE}.agent_switch {{num_agents_per_group = 1 : i32}} {{
      {before}
      {read}
      {after}
      {PIPE}.yield
    }}, {{
      {produce}
      {sharing_registers}
      {PIPE}.yield
    }}{f", {{ {read} {PIPE}.yield }}" if others_read else ""}
    """)


WITH_STAGES = {
    "behind the pipeline": (agents("", loaded("b")), False),
    "ahead of it": (agents(loaded("b"), ""), True),
    "in the agent that fills the stages": (agents("", "", loaded("b")), True),
    "behind the pipeline, which another agent reads too": (
        agents("", loaded("b"), others_read=True),
        True,
    ),
    "in both": (agents("", loaded("b"), loaded("b").replace("back", "again")), True),
}


@pytest.mark.parametrize(("tested", "expected"), WITH_STAGES.values(), ids=WITH_STAGES)
def test_stages_of_a_pipeline(tested: Operation, expected: bool):
    lifetimes = BufferLifetimes(tested)
    a, b = (lifetimes.of(maker(tested, name)) for name in "ab")
    assert a.meets(b) == b.meets(a) == expected


def switch(*bodies: str) -> str:
    """Agents at the same time."""
    agents = ", ".join(f"{{ {body} {PIPE}.yield }}" for body in bodies)
    return f"{PIPE}.agent_switch {{num_agents_per_group = 1 : i32}} {agents}\n"


FILLED = f"%a1 = nv_tileas.copy %x into %a : {HALF} into {SHARED} -> {SHARED}\n"

ACROSS_AGENTS = {
    "both are filled before, and read one after the other": (
        stored("a") + stored("b") + switch(loaded("a") + loaded("b"), ""),
        True,
    ),
    "one is filled before, the other one later in the agent that reads it": (
        stored("a") + switch(loaded("a") + stored("b") + loaded("b"), ""),
        False,
    ),
    "one is filled before, the other one earlier in the agent that reads it": (
        stored("a") + switch(stored("b") + loaded("b") + loaded("a"), ""),
        True,
    ),
    "one is read after, the other one later in the agent that fills it": (
        f"%a = nv_tileas.alloc_tensor : {SHARED}\n"
        + switch(FILLED + stored("b") + loaded("b"), "")
        + loaded("a"),
        True,
    ),
    "one is read after, the other one earlier in the agent that fills it": (
        f"%a = nv_tileas.alloc_tensor : {SHARED}\n"
        + switch(stored("b") + loaded("b") + FILLED, "")
        + loaded("a"),
        False,
    ),
}


@pytest.mark.parametrize(("body", "expected"), ACROSS_AGENTS.values(), ids=ACROSS_AGENTS)
def test_what_is_held_across_agents(body: str, expected: bool):
    lifetimes = BufferLifetimes(tested := function(body))
    a, b = (lifetimes.of(maker(tested, name)) for name in "ab")
    assert a.meets(b) == b.meets(a) == expected


def test_stages_that_others_fill_from_the_start():
    """What is in use before may not have their memory, what comes behind them may."""
    for name, (tested, expected) in WITH_STAGES.items():
        lifetimes = BufferLifetimes(tested)
        a, b = (lifetimes.of(maker(tested, name)) for name in "ab")
        a = lifetimes.since_start(a)
        assert a.meets(b) == b.meets(a) == expected, name
    body = stored("b") + loaded("b") + stored("a") + loaded("a")
    lifetimes = BufferLifetimes(tested := function(body))
    a, b = (lifetimes.of(maker(tested, name)) for name in "ab")
    assert not a.meets(b) and lifetimes.since_start(a).meets(b)


def test_stages_are_taken_before_agents_begin():
    tested = agents("", "")
    switch = next(op for op in tested.walk() if op.name.endswith("agent_switch"))
    lifetimes = BufferLifetimes(tested)
    stages = lifetimes.since_start(lifetimes.of(maker(tested, "a")))
    before = lifetimes.at(maker(tested, "it"))
    assert stages.meets(before) and lifetimes.span_of(switch).first > 0
