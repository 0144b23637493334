"""Runs a launch at every level of a program, and compares each with the first level.

Unordered accesses in PTX, or in the on-chip memory of `nv_tileas`, are faults, too, whatever the
values. A note names two accesses of the program itself that are unordered, or whose order decides
the values. The program is lowered once, and runs after each level.
"""

from __future__ import annotations

import io
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.checking.block_orders import BlockOrders, Compare, Masks
from tileir_xdsl.checking.outputs import Outputs
from tileir_xdsl.checking.rounding import RoundingErrors, allowed_errors
from tileir_xdsl.checking.tolerances import differing, maximum_error
from tileir_xdsl.interpreters.on_chip import OnChipRace, OnChipRaces
from tileir_xdsl.interpreters.undefined_notes import UndefinedNotes
from tileir_xdsl.levels import CUDA_TILE, level_of
from tileir_xdsl.options import Options
from tileir_xdsl.passes import PASSES
from tileir_xdsl.runtime.arrays import Array
from tileir_xdsl.runtime.binding import LaunchArgument
from tileir_xdsl.runtime.cpu.compiling import NotCovered, code_or_reason
from tileir_xdsl.runtime.cpu.host import has_llvm
from tileir_xdsl.runtime.cpu.launching import launchable, packed
from tileir_xdsl.runtime.cpu.printing import printing_to
from tileir_xdsl.runtime.cpu.programs import in_memory
from tileir_xdsl.runtime.diagnostics import errors_in
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.kernels import Kernel
from tileir_xdsl.runtime.launching import (
    Grid,
    LaunchOptions,
    LoweredLaunch,
)
from tileir_xdsl.runtime.level_by_level import LevelByLevel
from tileir_xdsl.runtime.lowering import chosen_target, levels_from
from tileir_xdsl.runtime.memory_views import arrays_in, copies
from tileir_xdsl.runtime.reader import new_context
from tileir_xdsl.runtime.running import CPU_LEVEL
from tileir_xdsl.runtime.tracing import shown_progress
from tileir_xdsl.runtime.undetermined import outside_remarks
from tileir_xdsl.targets.cpu import HOST_CPU
from tileir_xdsl.transforms.pipeline_road import steps
from tileir_xdsl.walking import clone_of


@dataclass(frozen=True)
class CheckedLaunch:
    """A kernel of a program, and the launch of it that is checked."""

    module: ModuleOp
    file: str
    kernel: Kernel
    grid: Grid
    arguments: Sequence[LaunchArgument]
    """All parameters; the arrays are copied for each run."""
    names: tuple[str | None, ...] = ()
    """The names of the arguments in the source."""
    is_given: bool = True
    """Whether the user stated the launch; otherwise undefined behaviour is not a fault."""


@dataclass(frozen=True)
class How:
    """How a launch is checked."""

    gpu: str | None = None
    options: Options = field(default_factory=Options)
    races: bool = True
    verify_each: bool = False
    seed: int = 0


def _results_of(launch: LoweredLaunch, options: LaunchOptions) -> list[LaunchArgument]:
    """Copies of the arguments after a launch that may change them."""
    results = copies(launch.arguments)
    replace(launch, arguments=results).run(options)
    return results


def _looking_for_races(
    launch: LoweredLaunch, options: LaunchOptions
) -> tuple[list[LaunchArgument], str | None]:
    """The arguments after a launch, and the first race. The detector for PTX stops at a race, so a
    second run computes the results.
    """
    if launch.program.ptx is None:
        races: list[OnChipRace] = []
        listeners = (OnChipRaces(races.append), *options.listeners)
        results = _results_of(launch, replace(options, listeners=listeners))
        return results, str(races[0]) if races else None
    results = copies(launch.arguments)
    race = replace(launch, arguments=results).run(replace(options, races=True))
    return (results, None) if race is None else (_results_of(launch, options), race)


@dataclass(frozen=True)
class _Reference:
    """The launch at the first level, and its resulting arrays."""

    launch: LoweredLaunch
    expected: Sequence[Array]
    units: float = 1.0
    """The factor by which passes of extensions may increase the allowed roundings."""

    @cached_property
    def _allowed(self) -> list[Array]:
        return [self.units * by for by in _allowed_errors(self.launch, self.expected)]

    def maximum_error(self, arrays: Sequence[Array]) -> float:
        """The largest error of the arrays of another level."""
        pairs = zip(arrays, self.expected, strict=True)
        return max((maximum_error(*pair) for pair in pairs), default=0.0)

    def differing(self, arrays: Sequence[Array]) -> list[Array]:
        """Masks of the elements that differ by more than allowed."""
        return self.differing_pairs(arrays, self.expected)

    def differing_pairs(self, arrays: Sequence[Array], expected: Sequence[Array]) -> list[Array]:
        """Masks of the elements of `arrays` that differ from `expected` by more than allowed."""
        pairs = list(zip(arrays, expected, strict=True))
        found = [differing(*pair) for pair in pairs]
        if not any(mask.any() for mask in found):
            return found
        # Differences that roundings allow take several launches to determine.
        return [differing(*pair, by) for pair, by in zip(pairs, self._allowed, strict=True)]


def _allowed_errors(first: LoweredLaunch, expected: Sequence[Array]) -> list[Array]:
    """The allowed errors of results of the first level; its printed output is dropped."""

    def run_with(errors: RoundingErrors) -> list[Array]:
        options = LaunchOptions(listeners=(errors,), output=io.StringIO())
        return arrays_in(_results_of(first, options))

    try:
        return [*allowed_errors(run_with, expected)]
    except InputError:
        # An assertion or an index may depend on roundings.
        return [np.zeros(array.shape) for array in expected]


@dataclass(frozen=True)
class LevelResult:
    """The result of a kernel at one level."""

    level: str
    lower_seconds: float
    run_seconds: float
    max_error: float
    """The largest difference from the first level; infinite if one is a NaN or an infinity."""
    agrees: bool
    race: str | None
    """The first race at this level."""
    note: str | None
    """Whether the source program itself has a race in some order of its tile blocks."""
    depends: str | None = None
    """The accesses of the source program whose order decides the differing elements; None if none
    do.
    """
    undefined: tuple[str, ...] = ()
    """Loads whose undefined elements affect the results."""
    remarks: tuple[str, ...] = ()
    """Accesses to tiles outside of views, and outputs that are only partly written."""

    @property
    def is_right(self) -> bool:
        return self.agrees and self.race is None and not self.undefined

    @property
    def row(self) -> str:
        """The row of the table."""
        verdict = "" if self.agrees else "  disagrees" if self.depends is None else "  depends"
        verdict += "" if self.race is None else "  races"
        verdict += "  undefined" if self.undefined else ""
        times = f"{self.lower_seconds:7.3f} s {self.run_seconds:7.3f} s"
        return f"{self.level:<10} {times} {self.max_error:>10.3g}{verdict}"

    @property
    def lines(self) -> list[str]:
        """The row, and messages about it."""
        told = (self.row, self.race, self.note, self.depends, *self.undefined, *self.remarks)
        return [line for line in told if line is not None]

    def as_json(self) -> dict[str, object]:
        """The result as JSON, with null for infinity."""
        error = self.max_error if math.isfinite(self.max_error) else None
        return {**vars(self), "max_error": error}


@dataclass(frozen=True)
class Checking:
    """A kernel with its launch, and its results at each level, computed on demand."""

    kernel: str
    grid: Grid
    levels: Iterator[LevelResult]

    @property
    def heading(self) -> list[str]:
        """The first lines of the table."""
        blocks = "x".join(map(str, self.grid))
        columns = f"{'level':<10} {'lower':>9} {'run':>9} {'max error':>10}"
        return [f"{self.kernel} on {blocks} blocks", columns]


def _own_race(orders: BlockOrders) -> str | None:
    """The note if the source program itself has a race."""
    race = orders.race()
    return None if race is None else f"note: so does the program that was read: {race}"


def _own_dependence(orders: BlockOrders, differs: Masks, compare: Compare) -> str | None:
    """The note if the source program itself does not determine the differing elements."""
    text = orders.dependence(differs, compare)
    start = "note: the program's own result depends on the order of its tile blocks"
    return None if text is None else f"{start}: {text}"


def _with_blame(error: InputError, orders: BlockOrders) -> InputError:
    """The error of a level; its message says whether the source program has an error itself."""
    own = orders.failure() or orders.race()
    if own is None:
        return error
    blame = f"the program that was read is at fault, in some order of its tile blocks: {own}"
    return InputError(error.location, f"{error.message}; {blame}", error.notes)


def check_launch(checked: CheckedLaunch, how: How) -> Checking:
    """The results of a kernel at each level from that of its program on.

    Raises InputError for a program without a level below, and for an unknown target. Computing a
    level raises InputError for an error of the launch.
    """
    module, file, grid = checked.module, checked.file, checked.grid
    levels = levels_from(module, file)
    gpu = chosen_target(module, how.gpu, file)
    first, *below = levels
    if not below:
        raise InputError(file, f"there is no level below {first} to compare with")
    lowering = LevelByLevel(
        new_context(how.options.extensions), levels, gpu, file, how.options, how.verify_each
    )
    return Checking(str(checked.kernel), grid, _results(checked, how, lowering))


def _results(checked: CheckedLaunch, how: How, lowering: LevelByLevel) -> Iterator[LevelResult]:
    reference: _Reference | None = None
    is_right = True
    name, grid, values = checked.kernel.name, checked.grid, checked.arguments
    orders = BlockOrders(checked.module, name, grid, values, how.seed, names=checked.names)
    with errors_in(checked.file):
        road = steps(lowering.gpu, how.options)
    units = max([1.0, *(PASSES[step.name].rounding or 0.0 for step in road)])
    for at in lowering.lower(clone_of(checked.module)):
        launch = LoweredLaunch(at.program, name, grid, values, checked.file)
        is_looked_at = checked.is_given and at.level == CUDA_TILE.name
        notes, outputs = UndefinedNotes() if is_looked_at else None, Outputs()
        start = time.perf_counter()
        with shown_progress(math.prod(grid), f"tile blocks at {at.level}") as progress:
            options = LaunchOptions(
                listeners=() if notes is None else (outputs,),
                progress=progress,
                names=checked.names,
                undefined=notes,
            )
            try:
                left, race = (
                    _looking_for_races(launch, options)
                    if how.races
                    else (_results_of(launch, options), None)
                )
            except InputError as error:
                raise error if reference is None else _with_blame(error, orders) from error
        seconds = time.perf_counter() - start
        arrays = arrays_in(left)
        reference = reference or _Reference(launch, arrays, units)
        differs = reference.differing(arrays)
        agrees = not any(mask.any() for mask in differs)
        result = LevelResult(
            at.level,
            at.seconds,
            seconds,
            reference.maximum_error(arrays),
            agrees,
            race,
            None if race is None else _own_race(orders),
            None if agrees else _own_dependence(orders, differs, reference.differing_pairs),
            ()
            if notes is None
            else tuple(
                str(load.as_error(checked.file))
                for load in launch.undetermined(LaunchOptions(undefined=notes))
            ),
            ()
            if notes is None or not checked.is_given
            else _remarks(checked, notes, outputs, arrays),
        )
        is_right = is_right and result.is_right
        yield result
    # A program that is wrong by itself says nothing about code for a processor.
    if reference is not None and is_right:
        yield from _on_cpu(checked, how, reference)


def _on_cpu(checked: CheckedLaunch, how: How, reference: _Reference) -> Iterator[LevelResult]:
    """The result of compiled code for this processor, if the kernel can be compiled for it."""
    if not has_llvm() or level_of(checked.module) is not CUDA_TILE:
        return
    module, file, start = checked.module, checked.file, time.perf_counter()
    contents = str(module).encode()
    code = code_or_reason(contents, lambda: clone_of(module), file, HOST_CPU, options=how.options)
    if isinstance(code, NotCovered):
        return
    left = copies(checked.arguments)
    given = packed(left)
    kernel = launchable(in_memory(code, checked.kernel.name, file), given)
    if isinstance(kernel, NotCovered):
        return
    compiled = time.perf_counter()
    with printing_to(io.StringIO()):
        kernel.launch(checked.grid, given)
    ran, arrays = time.perf_counter(), arrays_in(left)
    agrees = not any(mask.any() for mask in reference.differing(arrays))
    error = reference.maximum_error(arrays)
    yield LevelResult(CPU_LEVEL, compiled - start, ran - compiled, error, agrees, None, None)


def _remarks(
    checked: CheckedLaunch, notes: UndefinedNotes, outputs: Outputs, arrays: Sequence[Array]
) -> tuple[str, ...]:
    where = f"{checked.file}: remark: "
    outside = map(str, outside_remarks(notes, checked.file))
    return (*outside, *(where + text for text in outputs.remarks(arrays)))
