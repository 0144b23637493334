"""The state of a launch that ops see."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TextIO

from xdsl.ir import Operation

from tileir_xdsl.interpreters.memory import AddressSpace
from tileir_xdsl.interpreters.memory_order import (
    Access,
    Coordinates,
    MemoryOrder,
    Ordering,
    ProgramOrder,
    Token,
)


@dataclass
class Execution:
    """What the tile blocks of one launch share, and which of them runs.

    `symbols` holds the address of each global variable; `output` takes what kernels print;
    `order` decides when memory operations happen; `iterations` counts those of all loops of the
    running tile block, up to `iteration_limit`; the first `lasting_allocations` outlive it.
    """

    memory: AddressSpace
    grid: Coordinates
    iteration_limit: int
    block: Coordinates = (0, 0, 0)
    symbols: dict[str, int] = field(default_factory=dict[str, int])
    output: TextIO = field(default_factory=lambda: sys.stdout)
    order: MemoryOrder = field(default_factory=ProgramOrder)
    iterations: int = 0
    lasting_allocations: int = 0

    def start_block(self, block: Coordinates) -> None:
        """Make `block` the running tile block."""
        self.block = block
        self.iterations = 0
        self.memory.release(self.lasting_allocations)

    def perform(
        self,
        op: Operation,
        token: Token | None,
        action: Callable[[], Any],
        ordering: Ordering = Ordering(),  # noqa: B008  (frozen)
    ) -> tuple[Any, Token]:
        """Have the memory operation `op` do `action` after what `token` names.

        Returns the value of the action, maybe deferred, and the token of the operation.
        """
        after = () if token is None else token.accesses
        access = Access(op, self.block, ordering, after)
        if self.order.NOTES_TOUCHES:
            return self.order.perform(access, self._noting(access, action))
        return self.order.perform(access, action)

    def _noting(self, access: Access, action: Callable[[], Any]) -> Callable[[], Any]:
        """`action`, with all that it touches in memory noted in `access`."""

        def run() -> Any:
            self.memory.touches = access.touches
            value = action()
            self.memory.touches = None
            return value

        return run
