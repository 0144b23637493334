"""Timing of a loop that several warpgroups of an agent execute, each on its rows of every tile.

Each warpgroup runs its ops in order. Ops that run at the same time on one unit share its
throughput. Two concurrent softmaxes take as long as two successive ones. If one thread or a barrier
orders the MMAs of both warpgroups, they do the same work at the same time. The matrix unit is then
idle while the warpgroups compute (`in_order.py`). In ping-pong a warpgroup issues its MMAs after
the previous warpgroup has issued its own. The matrix unit executes MMAs in the order of issue. One
warpgroup computes while the MMAs of the other warpgroup run. In tensor memory each warpgroup can
issue the MMAs of its own rows, in the same way without a mutex. Source: Shah et al.,
"FlashAttention-3", section 3.1 (ping-pong scheduling).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

from xdsl.dialects import scf
from xdsl.ir import Block, Operation

from tileir_xdsl.analysis.mma.mmas_in_flight import is_asynchronous_mma
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileaa.collectives import CollectiveOp
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ProduceOp
from tileir_xdsl.dialects.nv_tileas.async_tokens import AwaitOp
from tileir_xdsl.dialects.nv_tileas.interfaces import TileMoveOpInterface
from tileir_xdsl.dialects.nv_tileas.layout import tile_layout
from tileir_xdsl.layout.linear import dimension_bases
from tileir_xdsl.targets.throughput import Resource

from .in_order import LoopOrder, is_left_to_hardware, started_by_mma
from .occupancy import Occupancy
from .ping_pong import runs_of_mmas

WARM_UP, MEASURED = 4, 8
"""The number of iterations before the measured ones, and the number of measured ones."""

EPSILON = 1e-6
"""Work below this is a rounding error of an op that has ended."""


@dataclass(frozen=True)
class WarpgroupTiming:
    """How the warpgroups of an agent execute a loop."""

    groups: int
    is_ping_pong: bool
    barrier_latency: int

    def interval(
        self, loop: scf.ForOp, order: LoopOrder, occupancies: Mapping[Operation, Occupancy]
    ) -> int:
        """The cycles of an iteration of all warpgroups, in the steady state."""
        actions = _actions(loop, order, occupancies, self.is_ping_pong)
        return _Simulation(self, actions).run()


# The actions of a warpgroup in an iteration.


@dataclass(frozen=True)
class _Compute:
    resource: Resource
    cycles: int


@dataclass(frozen=True)
class _Issue:
    mma: Operation
    offset: int
    cycles: int
    latency: int


@dataclass(frozen=True)
class _Await:
    mma: Operation | Block
    offset: int


@dataclass(frozen=True)
class _Meet:
    """A barrier of all warpgroups."""


@dataclass(frozen=True)
class _Acquire:
    """Waits for the mutex."""


@dataclass(frozen=True)
class _Release:
    """Releases the mutex."""


_Action = _Compute | _Issue | _Await | _Meet | _Acquire | _Release


def _actions(
    loop: scf.ForOp,
    order: LoopOrder,
    occupancies: Mapping[Operation, Occupancy],
    is_ping_pong: bool,
) -> list[_Action]:
    runs = runs_of_mmas(order.ops) if is_ping_pong else []
    firsts, lasts = ({run[end] for run in runs} for end in (0, 1))
    actions: list[_Action] = []
    for op in order.ops:
        offset, occupancy = order.offset(op), occupancies[op]
        if is_asynchronous_mma(op):
            actions += [_Acquire()] if op in firsts else []
            latency = occupancy.latency - occupancy.cycles
            actions.append(_Issue(op, offset, occupancy.cycles, latency))
            actions += [_Release()] if op in lasts else []
        elif isinstance(op, AwaitOp):
            for source in op.operands:
                mma, distance = started_by_mma(source, loop)
                if isinstance(op, nv_tileas.WaitOp) and is_left_to_hardware(mma):
                    continue
                actions.append(_Await(mma, offset - distance))
        elif not isinstance(op, ProduceOp) and occupancy.cycles:
            actions.append(_Compute(occupancy.resource, occupancy.cycles))
            actions += [_Meet()] if exchanges_between_warps(op) else []
    return actions


def exchanges_between_warps(op: Operation) -> bool:
    """Whether an op brings elements of a tile from one warp to another, between barriers."""
    if isinstance(op, TileMoveOpInterface):
        # A buffer has no layout of registers.
        source, target = (tile_layout(value.type) for value in (op.source, op.results[0]))
        return source is None or target is None or source.warp != target.warp
    if isinstance(op, CollectiveOp):
        type = op.inputs[0].type
        layout = tile_layout(type)
        along = sum(dimension_bases(tile_shape(type).shape, op.axis.value.data))
        return layout is not None and any(base & along for base in layout.warp)
    return False


# Work that all warpgroups do.


@dataclass
class _Work:
    """The work left of an op, in cycles of a dedicated unit."""

    left: float
    done: Callable[[], None]


@dataclass
class _Warpgroup:
    number: int
    position: int = 0
    """The next action, counted over all iterations."""
    resource: Resource | None = None
    """The unit that executes the current op."""
    left: float = 0.0
    """The remaining cycles of the current op."""
    has_arrived: bool = False
    meetings: int = 0
    """The number of barriers of all warpgroups at which the warpgroup has arrived."""


@dataclass
class _Simulation:
    timing: WarpgroupTiming
    actions: Sequence[_Action]
    now: float = 0.0
    holder: int = 0
    """The warpgroup that holds, or may next acquire, the mutex."""
    held_from: float = 0.0
    """The time from which the holder may continue."""
    groups: list[_Warpgroup] = field(init=False)
    mmas: deque[_Work] = field(init=False)
    """Issued MMAs, in the order in which the matrix unit executes them."""
    available: dict[tuple[int, Operation | Block, int], float] = field(init=False)
    """When the accumulator of an MMA of an iteration can be read, if in the future."""

    def __post_init__(self) -> None:
        count = self.timing.groups
        self.groups = [_Warpgroup(number) for number in range(count)]
        self.mmas = deque()
        self.available = {}

    def run(self) -> int:
        begin = self._run_to(WARM_UP)
        return round((self._run_to(WARM_UP + MEASURED) - begin) / MEASURED)

    def _run_to(self, iterations: int) -> float:
        """The cycle at which the last warpgroup has executed this many iterations."""
        end = iterations * len(self.actions)
        while True:
            while sum(map(self._advance, self.groups)):
                pass
            if all(group.position - bool(group.left) >= end for group in self.groups):
                return self.now
            self._pass_time()

    def _advance(self, group: _Warpgroup) -> bool:
        """Executes the next action of a warpgroup, unless it is busy or has to wait."""
        # Beyond the last measured iteration there would be no end without anything to wait for.
        if group.left or group.position == (WARM_UP + MEASURED) * len(self.actions):
            return False
        iteration, at = divmod(group.position, len(self.actions))
        action, groups = self.actions[at], self.timing.groups
        match action:
            case _Compute():
                group.resource, group.left = action.resource, action.cycles / groups
            case _Issue():
                self._issue(group.number, action, iteration)
            case _Await():
                key = (group.number, action.mma, iteration + action.offset)
                if key in self.available:
                    return False
            case _Meet():
                group.meetings += not group.has_arrived
                group.has_arrived = any(g.meetings < group.meetings for g in self.groups)
                if group.has_arrived:
                    return False
            case _Acquire():
                if self.holder != group.number or self.held_from > self.now:
                    return False
            case _Release():
                self.holder = (group.number + 1) % groups
                self.held_from = self.now + self.timing.barrier_latency
        group.position += 1
        return True

    def _issue(self, number: int, action: _Issue, iteration: int) -> None:
        key = (number, action.mma, iteration + action.offset)
        self.available[key] = inf

        def done() -> None:
            self.available[key] = self.now + action.latency

        work = _Work(action.cycles / self.timing.groups, done)
        self.mmas.append(work)

    def _pass_time(self) -> None:
        """Advances the time to the next event."""
        computing = [group for group in self.groups if group.left]
        resources = [group.resource for group in computing]
        times = [*self.available.values(), self.held_from]
        elapsed = min(
            *(group.left * resources.count(group.resource) for group in computing),
            *(work.left for work in list(self.mmas)[:1]),
            *(time - self.now for time in times if self.now < time < inf),
            inf,
        )
        assert elapsed < inf, "each warpgroup waits for another"
        self.now += elapsed
        for group in computing:
            group.left = _without(group.left, elapsed / resources.count(group.resource))
        if self.mmas:
            self.mmas[0].left = _without(self.mmas[0].left, elapsed)
            if not self.mmas[0].left:
                self.mmas.popleft().done()
        pending = self.available.items()
        self.available = {key: time for key, time in pending if time > self.now + EPSILON}


def _without(left: float, done: float) -> float:
    return left - done if left - done > EPSILON else 0.0
