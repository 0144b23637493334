"""The state of a launch that ops can access."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import Any, TextIO

from xdsl.ir import Operation

from tileir_xdsl.dialects.nv_tileaa.core import FuncOp, cluster_shape
from tileir_xdsl.interpreters.accesses import Access, Ordering, Token
from tileir_xdsl.interpreters.agents import Agent
from tileir_xdsl.interpreters.errors import InterpreterError, error_at
from tileir_xdsl.interpreters.grid import Coordinates
from tileir_xdsl.interpreters.listeners import LaunchListener
from tileir_xdsl.interpreters.memory_order import MemoryOrder, ProgramOrder
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.interpreters.running_block import FIRST_CTA, Cta, RunningBlock
from tileir_xdsl.interpreters.turns import LoopTurns
from tileir_xdsl.interpreters.undefined_notes import UndefinedNotes
from tileir_xdsl.interpreters.watched_memory import Read, WatchedMemory


def ctas_of(function: FuncOp) -> tuple[Cta, ...]:
    """The thread blocks that execute a tile block of a kernel."""
    rows, columns = cluster_shape(function)
    return tuple(product(range(rows), range(columns)))


@dataclass
class Execution(RunningBlock):
    """The state that tile blocks of one launch share, and that of the running tile block.

    `symbols` holds the address of each global variable, and `output` receives what kernels print.
    `order` decides when memory operations happen. `iterations` counts loop iterations of the
    running tile block, up to `iteration_limit`. `not_started` yields the tile blocks that have not
    started. If `strict`, undefined behaviour is an error; `listeners` are called for every tile
    block. `filling` holds the asynchronous work that fills a buffer, by identity of the storage,
    `consumers` the numbers of each pipeline's consumers. `arenas` has the buffers of each tile
    block on a CPU. A launch that takes longer than `time_limit` seconds is an error; `progress` is
    called repeatedly with the number of `ended` tile blocks. `waits` has the loops that poll
    memory, as `waiting_loops` finds them. If there are any, or if `concurrent`, `memory` is a
    `WatchedMemory`, and tile blocks take turns. `undefined` records accesses with undefined
    results.
    """

    iteration_limit: int = field(kw_only=True)
    symbols: dict[str, int] = field(default_factory=dict[str, int])
    output: TextIO = field(default_factory=lambda: sys.stdout)
    order: MemoryOrder = field(default_factory=ProgramOrder)
    iterations: int = 0
    not_started: Iterator[Coordinates] = field(default_factory=lambda: iter(()))
    strict: bool = False
    listeners: Sequence[LaunchListener] = ()
    filling: dict[int, list[Token]] = field(default_factory=dict[int, list[Token]])
    consumers: dict[Operation, frozenset[int]] = field(
        default_factory=dict[Operation, frozenset[int]]
    )
    arenas: dict[Coordinates, Array] = field(default_factory=dict[Coordinates, Array])
    time_limit: float | None = None
    progress: Callable[[int], None] | None = None
    waits: Mapping[Operation, bool] = field(default_factory=dict[Operation, bool])
    concurrent: bool = False
    undefined: UndefinedNotes | None = None
    ended: int = 0
    started: float = field(default_factory=time.monotonic)
    _performing: Access | None = None
    """The access that is being performed while its op executes."""

    def __post_init__(self) -> None:
        self._noting_listeners = [each for each in self.listeners if each.NOTES_ACCESSES]

    def run_grid(
        self,
        grid: Coordinates,
        blocks: Iterator[Coordinates],
        run: Callable[[], object],
        ctas: Sequence[Cta] = (FIRST_CTA,),
    ) -> None:
        """Calls `run` for each tile block of `grid`, in the order of `blocks`.

        If several thread blocks execute a tile block, calls `run` for each of `ctas`. Allocations
        of a tile block end with it.
        """
        outer = (self.grid, self.block, self.iterations, self.not_started)
        self.grid, self.not_started = grid, blocks
        lasting = len(self.memory.allocations)
        if self.waits or self.concurrent:
            turns = (
                Agent(partial(self._run_block, block, cta, run), _Turn(self, block, cta))
                for block in blocks
                for cta in ctas
            )
            self.agents.run_all(turns, _no_progress)
            self.memory.release(lasting)
        else:
            for block in blocks:
                for self.cta in ctas:
                    self._run_block(block, self.cta, run)
                    self.memory.release(lasting)
        self.grid, self.block, self.iterations, self.not_started = outer
        self.cta = FIRST_CTA

    def _run_block(self, block: Coordinates, cta: Cta, run: Callable[[], object]) -> None:
        """Runs a tile block on one of its thread blocks; only the first of these is counted."""
        self.block, self.cta, self.iterations = block, cta, 0
        for listener in self.listeners:
            listener.will_run_block(block)
        self._watch(None)
        run()
        self.order.finish_block()
        self.ended += cta == FIRST_CTA

    def turns_at(self, op: Operation) -> AbstractContextManager[LoopTurns | None]:
        """Lets other blocks run during an execution of the loop `op`; None if the loop
        never waits.
        """
        is_exact = self.waits.get(op)
        if is_exact is None or not isinstance(self.memory, WatchedMemory):
            return nullcontext()
        is_alone = self.agents.current is self.block_agent
        return LoopTurns(op, self.block, self.memory, self.order, self.agents, is_exact, is_alone)

    def count_iteration(self, op: Operation) -> None:
        """Adds one, an iteration of the loop `op`, to the loop iterations of the tile block.

        Raises `InterpreterError` beyond the limit.
        """
        self.iterations += 1
        if self.iterations > self.iteration_limit:
            message = (
                f"the tile block exceeds {self.iteration_limit} loop iterations; "
                "step_limit (--step-limit) sets the limit"
            )
            raise error_at(op, self.block, message)
        self._watch(op)

    def _watch(self, op: Operation | None) -> None:
        """Report progress. Raises `InterpreterError`, at `op`, after the time limit."""
        if self.progress is not None:
            self.progress(self.ended)
        if self.time_limit is not None and time.monotonic() - self.started > self.time_limit:
            limit = f"the time limit of {self.time_limit:g} s"
            if op is None:
                raise InterpreterError(f"{limit} is reached before tile block {self.block}")
            raise error_at(op, self.block, f"{limit} is reached")

    def perform(
        self,
        op: Operation,
        token: Token | None,
        action: Callable[[], Any],
        ordering: Ordering = Ordering(),  # noqa: B008  (frozen)
    ) -> tuple[Any, Token]:
        """Performs `action` for the memory operation `op`, after the accesses of `token`.

        Returns the value of the action, perhaps deferred, and the token of the operation.
        """
        after = () if token is None else token.accesses
        access = Access(op, self.block, ordering, after)
        if not self._noting_listeners and not self.order.NOTES_TOUCHES:
            return self.order.perform(access, action)
        self._performing = access
        value, own = self.order.perform(access, self._noting(access, action))
        self._performing = None
        # Program order names no accesses, as it needs none.
        return value, own if own.accesses or not self._noting_listeners else Token((access,))

    def _noting(self, access: Access, action: Callable[[], Any]) -> Callable[[], Any]:
        """Wraps `action`: records in `access` the elements that it accesses."""

        def run() -> Any:
            self.memory.touches = access.touches
            value = action()
            self.memory.touches = None
            # Postponed work belongs to no op that listeners know of.
            if self._performing is access:
                for listener in self._noting_listeners:
                    listener.performed(access)
            return value

        return run


@dataclass
class _Turn:
    """The turns of a tile block on one thread block, and its state between turns."""

    execution: Execution
    block: Coordinates
    cta: Cta
    _grid: Coordinates = field(init=False)
    _not_started: Iterator[Coordinates] = field(init=False)
    _agent: Agent | None = None
    _iterations: int = 0
    _reads: list[Read] | None = None
    _has_begun: bool = False

    def __post_init__(self) -> None:
        self._grid, self._not_started = self.execution.grid, self.execution.not_started

    def __enter__(self) -> None:
        execution, memory = self.execution, self.execution.memory
        execution.grid, execution.not_started = self._grid, self._not_started
        execution.block, execution.cta, execution.iterations = (
            self.block,
            self.cta,
            self._iterations,
        )
        execution.block_agent = self._agent if self._has_begun else execution.agents.current
        assert isinstance(memory, WatchedMemory)
        memory.reads = self._reads
        for listener in execution.listeners if self._has_begun else ():
            listener.will_resume_block(self.block)
        self._has_begun = True

    def __exit__(self, *_: object) -> None:
        execution, memory = self.execution, self.execution.memory
        self._grid, self._not_started = execution.grid, execution.not_started
        self.block, self.cta, self._iterations = (
            execution.block,
            execution.cta,
            execution.iterations,
        )
        self._agent = execution.block_agent
        assert isinstance(memory, WatchedMemory)
        self._reads = memory.reads


_SHOWN = 3
"""The most tile blocks that a report of a deadlock names."""


def _no_progress(waiting: Sequence[Agent]) -> str:
    positions = "; ".join(agent.position() for agent in waiting[:_SHOWN])
    others = len(waiting) - _SHOWN
    more = f"; {others} more wait" if others > 0 else ""
    return (
        f"deadlock: no tile block can go on, and all have started, so that more at once would not "
        f"help: {positions}{more}"
    )
