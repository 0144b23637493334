"""Runs a program at any level on numpy: PTX in the emulator, IR in the interpreters."""

from collections.abc import Sequence

from tileir_xdsl import emulator, interpreters
from tileir_xdsl.runtime.diagnostics import InputError, errors_in
from tileir_xdsl.runtime.kernels import LaunchArgument
from tileir_xdsl.runtime.lowering import Program

Grid = tuple[int, int, int]


def parse_grid(text: str) -> Grid:
    """Reads `X`, `X,Y` or `X,Y,Z`; extents that are not given are 1.  Raises InputError."""
    extents = text.split(",")
    if not 1 <= len(extents) <= 3 or not all(extent.strip().isdecimal() for extent in extents):
        raise InputError(f"--grid {text}", "expected X, X,Y or X,Y,Z")
    x, y, z = (int(extent) for extent in [*extents, "1", "1"][:3])
    return x, y, z


def launch(
    program: Program, kernel: str, grid: Grid, arguments: Sequence[LaunchArgument], file: str
) -> None:
    """Runs the kernel on every block of the grid; arrays are changed in place.

    Raises InputError for a fault of the kernel or of its arguments.
    """
    with errors_in(file, emulator.EmulatorError, interpreters.InterpreterError):
        if program.ptx is not None:
            emulator.load(program.ptx).launch(kernel, grid, arguments)
        else:
            interpreters.launch(program.module, kernel, grid, arguments)
