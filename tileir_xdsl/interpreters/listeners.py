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
    """It is called before and after every op runs, and before every tile block runs."""

    NOTES_ACCESSES: ClassVar[bool] = False
    """Whether it is called for accesses to global memory, with the accessed bytes."""

    def performed(self, access: Access) -> None:
        """Called when an access of global memory has been done, where its op is executed."""

    def will_launch(self, running: RunningBlock) -> None:
        """Called before the first tile block. `running` changes as the launch goes on."""

    def will_run_block(self, block: Coordinates) -> None:
        """Called before the first op of a tile block, on each thread block that executes it."""

    def will_resume_block(self, block: Coordinates) -> None:
        """Called before a tile block goes on that has let others run, on its thread block."""

    def made_stage(self, pipeline: Pipeline, stage: Stage) -> None:
        """Called when the buffers of a stage exist, before it is filled for the first time."""

    def acquired(self, pipeline: Pipeline, stage: Stage) -> None:
        """Called when a producer has got a stage to fill."""

    def committed(self, pipeline: Pipeline, stage: Stage) -> None:
        """Called when a producer publishes a stage."""

    def awaited(self, pipeline: Pipeline, stage: Stage) -> None:
        """Called when a consumer has got a stage to read."""

    def released(self, pipeline: Pipeline, stage: Stage) -> None:
        """Called when a consumer gives a stage back."""

    def accessed_stage(self, op: Operation, buffers: Sequence[Buffer], *, writes: bool) -> None:
        """Called when a handshake itself loads or stores values of a stage, such as scalars."""
