"""Finds the failed instruction and the first thread at fault of an error in a launch."""

from __future__ import annotations

import numpy as np

from tileir_xdsl.emulator.compile import SOURCE_NAME, CompiledBlock, CompiledKernel
from tileir_xdsl.emulator.errors import WARP_SIZE, EmulatorError, LaneFault, ThreadLocation
from tileir_xdsl.emulator.registers import Geometry
from tileir_xdsl.emulator.syntax import Instruction
from tileir_xdsl.emulator.threads import Threads
from tileir_xdsl.emulator.types import Mask


class Faults:
    """Creates the errors of a batch of resident blocks."""

    def __init__(self, compiled: CompiledKernel, geometry: Geometry) -> None:
        self.compiled = compiled
        self.geometry = geometry

    def failed_instruction(self, fault: LaneFault, function: CompiledBlock) -> Instruction:
        """The failed instruction: the one that the fault names, or that of the failed line."""
        if fault.instruction is not None:
            return fault.instruction
        origins = self.compiled.origins[function]
        trace = fault.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == SOURCE_NAME:
                # Line 1 is the `def`.
                return origins[trace.tb_lineno - 2]
            trace = trace.tb_next
        raise fault

    def fault(self, fault: LaneFault, group: Threads, instruction: Instruction) -> EmulatorError:
        lanes = fault.lanes & group.active()
        # A collective may fail over a lane that does not take part: then all are at fault.
        at_fault = lanes if lanes.any() else group.active()
        line, kind = instruction.line, fault.becomes
        return self.error(fault.message, group, at_fault, line, instruction, kind)

    def error(
        self,
        message: str,
        group: Threads,
        lanes: Mask,
        line: int,
        instruction: Instruction | None = None,
        kind: type[EmulatorError] = EmulatorError,
    ) -> EmulatorError:
        """An error that names the first of some threads of a group."""
        return kind(
            message,
            line=line,
            instruction=None if instruction is None else instruction.text,
            location=self.first_thread(group, lanes),
        )

    def first_thread(self, group: Threads, lanes: Mask) -> ThreadLocation:
        block, thread = (int(i) for i in np.argwhere(lanes)[0])
        return self.location(group.b0 + block, group.t0 + thread)

    def location(self, block: int, thread: int) -> ThreadLocation:
        x, y, z = (int(i) for i in self.geometry.blocks[block])
        return ThreadLocation((x, y, z), thread // WARP_SIZE, thread % WARP_SIZE)
