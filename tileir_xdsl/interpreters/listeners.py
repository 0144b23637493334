"""Listeners, which are called for events of a launch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.interpreter import Interpreter
from xdsl.ir import Operation

from tileir_xdsl.interpreters.accesses import Access
from tileir_xdsl.interpreters.buffers import Buffer
from tileir_xdsl.interpreters.grid import Coordinates
from tileir_xdsl.interpreters.running_block import RunningBlock
from tileir_xdsl.interpreters.stages import Pipeline, Stage


class LaunchListener(Interpreter.Listener):
    """A listener is called before and after every op runs, and before every tile block runs."""

    NOTES_ACCESSES: ClassVar[bool] = False
    """Whether the listener is called for accesses to global memory, with the accessed bytes."""

    def performed(self, access: Access) -> None:
        """Called after an access to global memory that was not delayed."""

    def will_launch(self, running: RunningBlock) -> None:
        """Called before the first tile block. `running` is updated during the launch."""

    def will_run_block(self, block: Coordinates) -> None:
        """Called before the first op of a tile block, on each thread block that executes it."""

    def will_resume_block(self, block: Coordinates) -> None:
        """Called before a tile block resumes after others have run, on its thread block."""

    def made_stage(self, pipeline: Pipeline, stage: Stage) -> None:
        """Called when the buffers of a stage exist, before it is filled for the first time."""

    def acquired(self, pipeline: Pipeline, stage: Stage) -> None:
        """Called when a producer has acquired a stage."""

    def committed(self, pipeline: Pipeline, stage: Stage) -> None:
        """Called when a producer commits a stage."""

    def awaited(self, pipeline: Pipeline, stage: Stage) -> None:
        """Called when a consumer has waited for a stage."""

    def released(self, pipeline: Pipeline, stage: Stage) -> None:
        """Called when a consumer releases a stage."""

    def accessed_stage(self, op: Operation, buffers: Sequence[Buffer], *, writes: bool) -> None:
        """Called when a pipeline op itself loads or stores values of a stage, such as scalars."""
