"""Runs PTX text on numpy, without a GPU.

`run` runs a kernel once. `load` only parses the text of a module. `Module.launch` runs all threads
of all blocks of a kernel, many at a time. `Module.launch` reports faults with PTX line, block, warp
and lane.
"""

from tileir_xdsl.emulator.arguments import Argument
from tileir_xdsl.emulator.banks import SharedTraffic
from tileir_xdsl.emulator.choices import Choices, explore
from tileir_xdsl.emulator.errors import (
    ArgumentFault,
    DeadlockFault,
    EmulatorError,
    MemoryFault,
    RaceFault,
    ThreadLocation,
)
from tileir_xdsl.emulator.launch import Launch, Module, Result, run
from tileir_xdsl.emulator.machine import LaunchStatistics, Machine
from tileir_xdsl.emulator.sparse_arrays import sparse_array
from tileir_xdsl.emulator.state_spaces import MALLOC_BYTES
from tileir_xdsl.emulator.syntax import Kernel, Parameter
from tileir_xdsl.emulator.tensor_maps import TensorMap
from tileir_xdsl.emulator.watch import Watch

__all__ = [
    "MALLOC_BYTES",
    "Argument",
    "ArgumentFault",
    "Choices",
    "DeadlockFault",
    "EmulatorError",
    "Kernel",
    "Launch",
    "LaunchStatistics",
    "Machine",
    "MemoryFault",
    "Module",
    "Parameter",
    "RaceFault",
    "Result",
    "SharedTraffic",
    "TensorMap",
    "ThreadLocation",
    "Watch",
    "explore",
    "load",
    "run",
    "sparse_array",
]


def load(ptx_text: str) -> Module:
    """Parse PTX text.

    Raises `EmulatorError` with the PTX line for a syntax error, an unknown instruction and an
    undeclared register.
    """
    return Module(ptx_text)
