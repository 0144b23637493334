"""Launches of a program: on numpy at any level, PTX also on a GPU."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol, TextIO

from tileir_xdsl.interpreters.memory_order import RandomOrder
from tileir_xdsl.interpreters.races import RaceDetector
from tileir_xdsl.interpreters.undefined_notes import UndefinedNotes
from tileir_xdsl.runtime.arrays import Argument, as_argument
from tileir_xdsl.runtime.binding import (
    argument_names,
    bind_arguments,
    named_arguments,
)
from tileir_xdsl.runtime.compiled import Extent
from tileir_xdsl.runtime.errors import CompileError, Remark, UndefinedError
from tileir_xdsl.runtime.kernels import Kernel
from tileir_xdsl.runtime.launching import (
    LaunchOptions,
    LoweredLaunch,
    as_grid,
    check_options,
    traced,
    watched,
)
from tileir_xdsl.runtime.lowering import RUNNABLE, RUNS_AS, Lowered
from tileir_xdsl.runtime.memory_views import copies
from tileir_xdsl.runtime.outputs import PTX
from tileir_xdsl.runtime.undetermined import outside_remarks

CPU_LEVEL = "cpu"
"""The level of a launch of code for this processor."""


class Runnable(Protocol):
    """The parts of a program needed to run it, which `Program` describes."""

    @property
    def file(self) -> str: ...

    @property
    def level(self) -> str: ...

    @property
    def argument_names(self) -> Sequence[str]: ...

    def kernel(self, name: str | None = None) -> Kernel: ...

    def lowered(self, level: str) -> Lowered: ...


class Run(NamedTuple):
    """The result of a launch."""

    kernel: str
    level: str
    grid: Extent
    seconds: float
    races: tuple[str, ...] = ()
    """The data races, if they were searched for."""
    resident_blocks: int | None = None
    """The number of blocks that the emulator ran at once, if the user gave it or if blocks may wait
    for each other.
    """
    undefined: tuple[UndefinedError, ...] = ()
    """Loads whose undetermined elements affect results, if they were searched for."""
    remarks: tuple[Remark, ...] = ()
    """Remarks on tiles outside of views, if undefined behaviour was searched for."""


def run_program(
    program: Runnable,
    grid: Sequence[int] | int,
    arguments: Sequence[object],
    *,
    kernel: str | None,
    level: str | None,
    races: bool,
    trace: TextIO | None,
    random_order: int | None,
    strict: bool,
    undefined: bool,
    step_limit: int | None,
    time_limit: float | None,
    progress: Callable[[int, int], None] | bool,
    output: TextIO | None,
    device: str,
    resident_blocks: int | None,
) -> Run:
    """Runs a program as `Program.run` says. Raises CompileError."""
    level = level or (program.level if program.level in RUNNABLE else PTX)
    level = RUNS_AS.get(level, level)
    order = RandomOrder(random_order) if random_order is not None else None
    detector = RaceDetector() if races and level != PTX else None
    if detector is not None and order is not None:
        raise CompileError("races", "data races are found in program order, not in a random order")
    resident: list[int] = []
    notes = UndefinedNotes() if undefined else None
    options = LaunchOptions(
        memory_order=detector or order,
        block_seed=random_order,
        strict=strict,
        step_limit=step_limit,
        output=output,
        device=device,
        time_limit=time_limit,
        races=races and level == PTX,
        resident_blocks=resident_blocks,
        told_resident=resident.append,
        undefined=notes,
    )
    check_options(level, options)
    extents = as_grid(grid)
    found, given = program.kernel(kernel), _given(program, arguments)
    bound = bind_arguments(found, given)
    options = replace(options, names=argument_names(found, given))
    before = copies(bound) if undefined else ()
    lowered = program.lowered(level)
    launched = LoweredLaunch(lowered, found.name, extents, bound, program.file)
    options = traced(options, trace, lowered, level)
    started = time.perf_counter()
    with watched(options, math.prod(extents), progress) as options:
        race = launched.run(options)
    seconds = time.perf_counter() - started
    listed = ((race,) if race else ()) if detector is None else tuple(map(str, detector.races))
    run = Run(found.name, level, extents, seconds, listed, next(iter(resident), None))
    return run if notes is None else _looked_at(run, replace(launched, arguments=before), options)


def _given(program: Runnable, arguments: Sequence[object]) -> list[Argument]:
    """The arguments of a caller, with their names."""
    values = [as_argument(value, f"argument {number}") for number, value in enumerate(arguments)]
    return named_arguments(program.argument_names, values)


def _looked_at(run: Run, before: LoweredLaunch, options: LaunchOptions) -> Run:
    """The result of a launch, with its undefined behaviour added. Raises CompileError."""
    assert options.undefined is not None
    return run._replace(
        undefined=tuple(load.as_error(before.file) for load in before.undetermined(options)),
        remarks=tuple(outside_remarks(options.undefined, before.file)),
    )
