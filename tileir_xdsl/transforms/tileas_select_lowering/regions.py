"""The choice of the threads that execute a region: all, or the one that issues the region's ops.

Regions are those of producers with bulk copies, and the agents of a switch; loops of `tcgen05` MMAs
are in `mma_loops.py`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Operation

from tileir_xdsl.analysis.mma.mma_loops import MMALoops
from tileir_xdsl.analysis.regions.scopes import function_around
from tileir_xdsl.analysis.threads.agent_warps import (
    AgentWarps,
    agents_of,
    function_of,
    kernel_warps,
)
from tileir_xdsl.analysis.threads.one_thread import (
    is_bulk_load,
    is_scalar,
    writes_by_threads,
)
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileaa.core import FuncOp
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ProduceOp
from tileir_xdsl.dialects.nv_tileas.strategies import (
    REGIONS,
    Strategy,
    StrategyAttr,
    region_strategies_of,
)
from tileir_xdsl.explain import ReportValue
from tileir_xdsl.targets import Target
from tileir_xdsl.walking import ops_in

from .issuers import ELECTION
from .strategies import Family, Row, StrategySelection, always

SEPARATOR = "/"
"""Separates the strategies of several regions of one op in `force`."""


# Producers.


def _producer(op: Operation, _target: Target) -> ProduceOp:
    assert isinstance(op, ProduceOp)
    return op


def _fills_by_threads(op: ProduceOp) -> str | None:
    if op.has_values:
        return "all threads need the values of the region"
    return "all threads write to the stage" if writes_by_threads(op) else None


PRODUCERS = Family(
    _producer,
    (
        Row(
            Strategy.ONE_THREAD,
            _fills_by_threads,
            lambda _: ELECTION,
            "the other threads do not poll the barrier of the stage",
        ),
        Row(
            Strategy.ALL_THREADS,
            always,
            # One for the arrival that announces the bytes.
            lambda op: ELECTION * (1 + sum(map(is_bulk_load, ops_in(op.body)))),
            "PTX ISA, mbarrier.arrive.expect_tx, by one thread",
        ),
    ),
)


# Agents.


def _needs_threads(agent: AgentWarps) -> str | None:
    if agent.warps != 1:
        return f"the agent has {agent.warps} warps"
    needing = next((op for op in ops_in(agent.region) if not is_scalar(op)), None)
    if needing is None:
        return None
    # Where there are only scalars, nothing needs to be known of MMAs.
    function = function_around(needing)
    assert isinstance(function, FuncOp)
    needing = MMALoops.of(function).needed_by_agent(agent.region)
    return None if needing is None else f"one thread cannot execute '{needing.name}' op in it"


AGENTS: Family[AgentWarps] = Family(
    lambda _op, _target: None,
    (
        Row(
            Strategy.ONE_THREAD,
            _needs_threads,
            lambda _: ELECTION,
            "one branch around the region instead of an election at each copy",
        ),
        Row(
            Strategy.ALL_THREADS,
            always,
            lambda agent: ELECTION * (1 + sum(map(is_bulk_load, ops_in(agent.region)))),
            "PTX ISA, elect.sync",
        ),
    ),
)


@dataclass(frozen=True)
class RegionSelection:
    """The choice of the threads that execute each agent of a switch."""

    op: nv_tileaa.AgentLikeOpInterface
    agents: tuple[StrategySelection, ...]

    @staticmethod
    def of(op: nv_tileaa.AgentLikeOpInterface, forced: str | None) -> "RegionSelection":
        """The forced strategies, otherwise those in the op's attribute, otherwise the cheapest.

        Raises `PassFailedException` if a strategy is impossible for an agent.
        """
        agents = agents_of(op, kernel_warps(function_of(op)))
        names = None if forced is None else forced.split(SEPARATOR)
        written = region_strategies_of(op) if names is None else None
        for given in (names, written):
            if given is not None and len(given) != len(agents):
                fail(
                    op,
                    f"'{op.name}' op expects {len(agents)} strategies, one for each "
                    f"agent, but got {len(given)}",
                )
        return RegionSelection(
            op,
            tuple(
                StrategySelection.among(
                    op,
                    AGENTS,
                    agent,
                    None if written is None else written[number],
                    None if names is None else names[number],
                )
                for number, agent in enumerate(agents)
            ),
        )

    @cached_property
    def chosen(self) -> tuple[Strategy, ...]:
        """The chosen strategies."""
        return tuple(Strategy(agent.chosen) for agent in self.agents)

    def write(self) -> None:
        """Sets the attribute of the op with the chosen strategies."""
        self.op.attributes[REGIONS] = ArrayAttr(map(StrategyAttr, self.chosen))

    def facts_of_report(self) -> Mapping[str, ReportValue]:
        """The facts of the report."""
        return {
            "strategy": SEPARATOR.join(self.chosen),
            "agents": [dict(agent.facts_of_report()) for agent in self.agents],
        }
