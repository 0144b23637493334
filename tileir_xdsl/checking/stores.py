"""Which op of a tile program stores an element."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from tileir_xdsl.checking.inputs import LaunchInput
from tileir_xdsl.checking.observation import interpret
from tileir_xdsl.interpreters.accesses import Access, Token
from tileir_xdsl.interpreters.address_space import Allocation, Touch
from tileir_xdsl.interpreters.listeners import LaunchListener
from tileir_xdsl.interpreters.memory_order import ProgramOrder
from tileir_xdsl.interpreters.running_block import RunningBlock


@dataclass
class Writes(ProgramOrder, LaunchListener):
    """Records which op has written which elements: allocation, byte offsets and bytes of each."""

    NOTES_TOUCHES = True

    made: list[tuple[Operation, Touch]] = field(default_factory=list[tuple[Operation, Touch]])
    allocations: Sequence[Allocation] = ()

    def listeners(self) -> Sequence[LaunchListener]:
        return (self,)

    def will_launch(self, running: RunningBlock) -> None:
        self.allocations = running.memory.allocations

    def perform(self, access: Access, action: Callable[[], Any]) -> tuple[Any, Token]:
        done = super().perform(access, action)
        self.made += [(access.op, touch) for touch in access.touches if touch.writes]
        return done


def storing_op(
    module: ModuleOp, kernel: str, launch_input: LaunchInput, argument: int, element: int
) -> Operation | None:
    """The op that last stores an element of an argument, or the one that stores nearest to it."""
    writes = Writes()
    interpret(module, kernel, launch_input, memory_order=writes)
    arrays = [n for n, each in enumerate(launch_input.arguments) if isinstance(each, np.ndarray)]
    allocation = writes.allocations[arrays.index(argument)]
    array = launch_input.arguments[argument]
    assert isinstance(array, np.ndarray)
    byte = element * array.itemsize
    nearest: tuple[int, Operation] | None = None
    for op, touch in writes.made:
        if touch.allocation is allocation and touch.offsets.size:
            far = int(np.abs(touch.offsets.astype(np.int64) - byte).min())
            if nearest is None or far <= nearest[0]:
                nearest = far, op
    return None if nearest is None else nearest[1]
