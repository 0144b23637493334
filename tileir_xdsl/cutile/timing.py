"""cuTile's own tuner without a GPU: modelled cycles replace measured times.

`exhaustive_search` of `cuda.tile.tune` repeatedly measures a launch in microseconds. A thousand
cycles, modelled as by `tileir tune`, count as one microsecond.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from tileir_xdsl.cutile.specializing import checked_arguments, specialized
from tileir_xdsl.frontends.environment import GPU
from tileir_xdsl.runtime.arrays import Argument, as_argument
from tileir_xdsl.runtime.binding import bind_arguments
from tileir_xdsl.runtime.diagnostics import errors_in
from tileir_xdsl.runtime.launching import LAUNCH_ERRORS, as_grid
from tileir_xdsl.runtime.modelled_cycles import modelled
from tileir_xdsl.runtime.outputs import CUBIN, PTX
from tileir_xdsl.runtime.tuning import emulated

_PER_MICROSECOND = 1000


def microseconds(
    _stream: object, grid: Sequence[int], kernel: object, arguments: Sequence[object], *_: object
) -> float:
    """The modelled time of a launch, emulated once for each specialization and grid.

    The launch writes into the arrays that the tuner passes. Raises CompileError as a launch does.
    """
    found = checked_arguments(kernel, arguments)
    specialization = specialized(kernel, found, os.environ.get(GPU) or None, None)
    extents = as_grid(grid)
    with specialization.lock:
        cycles = specialization.cycles.get(extents)
        if cycles is None:
            program = specialization.at(PTX)
            chosen = program.kernel()
            given = [Argument(None, as_argument(value, "argument")) for value in found.values]
            values = bind_arguments(chosen, given)
            compiled = program.compile(CUBIN)
            with errors_in(program.file, *LAUNCH_ERRORS):
                done = emulated(compiled.text, compiled.kernel(), extents, values)
            cycles = modelled(done, compiled).cycles
            specialization.cycles[extents] = cycles
    return cycles / _PER_MICROSECOND


def _with_timeout(
    stream: object, grid: Sequence[int], kernel: object, arguments: Sequence[object], *_: object
) -> tuple[float, None]:
    return microseconds(stream, grid, kernel, arguments), None


TIMERS: Mapping[str, object] = {
    "_benchmark": microseconds,
    "benchmark_with_timeout": _with_timeout,
}
"""Replacements for functions of cuTile's tuner, by name."""
