"""How long the buffers that ops make are in use, and which may be at the same time.

A buffer lives from the op that makes it to the last op that may look at it, or wait for work that
does: through views, asynchronous values, pipelines and carried values. Agents run at the same time,
so that what different agents make never lives one after the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.ir import Operation, Region, SSAValue

from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.nv_tileas.types import (
    AsyncTokenType,
    PipelineConsumerTokenType,
    PipelineIteratorType,
    PipelineProducerTokenType,
    memory_of,
)
from tileir_xdsl.targets.atoms import Memory

HANDLES = (
    AsyncTokenType,
    PipelineConsumerTokenType,
    PipelineIteratorType,
    PipelineProducerTokenType,
    ValueType,
)
"""Types of values behind which a buffer may be: as long as they are used, it is."""

BUFFER_MEMORIES = (Memory.SHARED, Memory.TENSOR)


@dataclass(frozen=True)
class Lifetime:
    """The ops from the first to the last at which what `owner` makes may be in use.

    Ops are numbered in the order of the text of their function.
    """

    owner: Operation
    first: int
    last: int

    def meets(self, other: Lifetime) -> bool:
        """Whether the two may be in use at the same time."""
        overlap = self.first <= other.last and other.first <= self.last
        return overlap or are_concurrent(self.owner, other.owner)


class BufferLifetimes:
    """The lifetimes of the buffers of one function."""

    def __init__(self, function: Operation):
        self._numbers = {op: number for number, op in enumerate(function.walk())}
        self._ends: dict[Operation, int] = {}
        for op in reversed(self._numbers):
            last_ops = (block.last_op for region in op.regions for block in region.blocks)
            inner = (self._ends[last] for last in last_ops if last is not None)
            self._ends[op] = max(inner, default=self._numbers[op])

    def of(self, owner: Operation) -> Lifetime:
        """How long what an op makes is in use."""
        lifetime = Lifetime(owner, self._numbers[owner], self._ends[owner])
        waiting: list[SSAValue] = list(owner.results)
        seen = set(waiting)
        while waiting:
            for use in waiting.pop().uses:
                lifetime = self._reaching(lifetime, use.operation)
                handed_on = list(use.operation.results) + _arguments(use.operation)
                parent = use.operation.parent_op()
                if parent is not None and parent in self._numbers and _ends_region(use.operation):
                    lifetime = self._reaching(lifetime, parent)
                    handed_on += [*parent.results, *_arguments(parent)]
                following = [v for v in handed_on if v not in seen and _is_handle(v)]
                seen.update(following)
                waiting += following
        return lifetime

    def _reaching(self, lifetime: Lifetime, user: Operation) -> Lifetime:
        """A lifetime that takes in a user, and all of the loops between."""
        around_owner = {op.parent: op for op in _with_ancestors(lifetime.owner)}
        for op in _with_ancestors(user):
            if op.parent in around_owner:
                first = min(lifetime.first, self._numbers[around_owner[op.parent]])
                return Lifetime(lifetime.owner, first, max(lifetime.last, self._ends[op]))
        return lifetime


def _is_handle(value: SSAValue) -> bool:
    return memory_of(value.type) in BUFFER_MEMORIES or isinstance(value.type, HANDLES)


def _arguments(op: Operation) -> list[SSAValue]:
    return [a for region in op.regions for block in region.blocks for a in block.args]


def _ends_region(op: Operation) -> bool:
    return op.parent is not None and op.parent.last_op is op


def _with_ancestors(op: Operation | None) -> Iterator[Operation]:
    while op is not None:
        yield op
        op = op.parent_op()


def are_concurrent(first: Operation, second: Operation) -> bool:
    """Whether two ops are in different agents of one `agent_switch`."""
    agents = dict(_agents_around(first))
    return any(agents.get(switch, region) != region for switch, region in _agents_around(second))


def _agents_around(op: Operation) -> Iterator[tuple[Operation, Region]]:
    for inner in _with_ancestors(op):
        region = inner.parent_region()
        if region is not None and isinstance(region.parent, nv_tileas.AgentSwitchOp):
            yield region.parent, region
