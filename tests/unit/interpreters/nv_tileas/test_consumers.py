"""Consumers are found through whatever passes the token of a pipeline on."""

import pytest

from tests.unit.interpreters.nv_tileas.test_pipelines import PIPE, C, I, kernel
from tileir_xdsl.dialects.nv_tileas import CreatePipelineOp
from tileir_xdsl.interpreters.nv_tileas.consumers import consumers_of
from tileir_xdsl.testing import tools


def wait(result: str, token: str, consumer: int) -> str:
    return (
        f"%{result} = {PIPE}.consumer_wait %{token}, %i {{consumer_idx = {consumer} : i32}} "
        f": {C}, {I} -> {C}\n"
    )


LOOP = f"""
    %x, %y = scf.for %n = %zero to %six step %one iter_args(%a = %c, %b = %none) -> ({C}, {C}) : i32 {{
      {{body}}
      scf.yield %a, %b : {C}, {C}
    }}
"""
BRANCH = f"""
    %is = arith.cmpi eq, %zero, %one : i32
    %x = scf.if %is -> ({C}) {{ scf.yield %c : {C} }} else {{ scf.yield %none : {C} }}
"""
WHILE = f"""
    %x = scf.while (%a = %c) : ({C}) -> {C} {{
      {wait("u", "a", 2)}
      %is = arith.cmpi eq, %zero, %one : i32
      scf.condition(%is) %a : {C}
    }} do {{
    ^bb0(%b: {C}):
      {wait("v", "b", 3)}
      scf.yield %b : {C}
    }}
"""
AGENTS = f"""
    {PIPE}.agent_switch {{num_agents_per_group = 2 : i32}} {{
      {PIPE}.yield
    }}, {{
      {wait("u", "c", 1)}
      {PIPE}.yield
    }}, {{
      {wait("v", "c", 0)}
      {PIPE}.yield
    }}, {{
      {LOOP.replace("{body}", wait("w", "a", 1))}
      {PIPE}.yield
    }}
"""
PROGRAMS = {
    "itself": (wait("u", "c", 2), {2}),
    "after a wait": (wait("u", "c", 0) + wait("v", "u", 1), {0, 1}),
    "in a loop": (LOOP.replace("{body}", wait("u", "a", 1) + wait("v", "b", 7)), {1}),
    "after a loop": (LOOP.replace("{body}", "") + wait("u", "x", 3) + wait("v", "y", 7), {3}),
    "after a branch": (BRANCH + wait("u", "x", 5), {5}),
    "in two groups of two agents": (AGENTS, {1, 2, 3}),
    "in a while": (WHILE + wait("w", "x", 4), {2, 3, 4}),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_consumers(name: str):
    body, expected = PROGRAMS[name]
    module = tools.parse(kernel(f"%none = {PIPE}.create_null_token : {C}\n{body}"))
    (pipeline,) = (op for op in module.walk() if isinstance(op, CreatePipelineOp))
    assert consumers_of(pipeline) == expected
