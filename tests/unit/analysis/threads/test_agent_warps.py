"""The warps of agents: where they lie in a block, and in which sections registers change hands."""

from itertools import pairwise
from random import Random

import pytest
from xdsl.ir import Region
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.analysis.threads.agent_warps import (
    AgentWarps,
    agents_of,
    block_warps,
    sections_of,
)
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.testing import tools

GROUP = 4
"""Warps of a warpgroup, which execute one `setmaxnreg` together (PTX ISA)."""


def drawn(rng: Random) -> list[AgentWarps]:
    """Agents that share no warp, in any order, with gaps between some."""
    agents, first = list[AgentWarps](), 0
    for number in range(rng.randint(1, 5)):
        first += rng.choice([0, 0, 1, 3, 5])
        size = rng.choice([1, 2, 4, 8])
        agents.append(AgentWarps(number, Region(), first, size, rng.choice([None, 40, 128, 200])))
        first += size
    rng.shuffle(agents)
    return agents


@pytest.mark.parametrize("in_groups", [False, True])
def test_sections_cover_a_block_and_share_no_agent(in_groups: bool):
    rng, step = Random(3), GROUP if in_groups else 1
    for _ in range(200):
        agents = drawn(rng)
        end = max(agent.end for agent in agents)
        total = -(-end // GROUP) * GROUP + rng.choice([0, 0, 4, 8])
        sections = sections_of(agents, total, in_groups=in_groups)
        assert sections[0].first_warp == 0 and sections[-1].end == total
        assert all(before.end == after.first_warp for before, after in pairwise(sections))
        found = [agent for section in sections for agent in section.agents]
        assert sorted(found, key=lambda a: a.number) == sorted(agents, key=lambda a: a.number)
        for section in sections:
            limits = [agent.registers for agent in section.agents if agent.registers is not None]
            assert section.registers == (max(limits) if limits else None)
            warps = range(section.first_warp, section.end)
            for agent in section.agents:
                assert agent.first_warp in warps and agent.end - 1 in warps
            assert not in_groups or section.first_warp % GROUP == section.end % GROUP == 0
            # Neighbours are in one section only if a group has warps of both.
            for one, other in pairwise(sorted(section.agents, key=lambda a: a.first_warp)):
                assert other.first_warp // step <= (one.end - 1) // step


def kernel(agents: str, count: int) -> nv_tileaa.FuncOp:
    """A kernel of four warps with an `agent_switch` of some agents."""
    pipe = "nv_tileas.async.pipeline"
    bodies = ", ".join([f"{{ {pipe}.yield }}"] * count)
    module = tools.parse(f"""
      nv_tileaa.func @k() attributes {{nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}} {{
        {pipe}.agent_switch {{num_agents_per_group = 1 : i32{agents}}} {bodies}
        nv_tileaa.return
      }}
    """)
    (function,) = (op for op in module.walk() if isinstance(op, nv_tileaa.FuncOp))
    return function


@pytest.mark.parametrize(
    ("warps", "firsts", "total"),
    [([4, 1], [0, 4], 8), ([4, 4], [0, 4], 8), ([4, 4, 1], [0, 4, 8], 12), ([2, 1], [0, 2], 4)],
)
def test_blocks_of_agents_are_whole_warpgroups(warps: list[int], firsts: list[int], total: int):
    sizes, places = (", ".join(map(str, each)) for each in (warps, firsts))
    function = kernel(
        f", num_warps = array<i32: {sizes}>, warp_id = array<i32: {places}>", len(warps)
    )
    assert block_warps(function) == total
    (switch,) = (op for op in function.walk() if isinstance(op, nv_tileaa.AgentLikeOpInterface))
    agents = agents_of(switch, 4)
    assert [(agent.first_warp, agent.warps) for agent in agents] == list(
        zip(firsts, warps, strict=True)
    )


def test_agents_that_share_a_warp_are_refused():
    function = kernel(", num_warps = array<i32: 4, 2>, warp_id = array<i32: 0, 3>", 2)
    with pytest.raises(PassFailedException, match="each warp to run at most one agent"):
        block_warps(function)
