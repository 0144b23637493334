"""`tileir check`: the same launch at every level; all must return what the file says.

Accesses that nothing orders, of the PTX or in the on-chip memory of `nv_tileas`, are a fault, too,
whatever values they give here. The program itself may have such accesses in some order of its tile
blocks, or disagree between orders. A note then says so and names the two accesses. A file is
lowered once, and run at the end of each level. One process checks several files one after the
other.
"""

import argparse
import io
import json
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from tileir_xdsl.checking.block_orders import BlockOrders, Compare, Masks
from tileir_xdsl.checking.rounding import RoundingErrors, allowed_errors
from tileir_xdsl.cli.arguments import parse_argument, parse_grid
from tileir_xdsl.cli.compile_options import add_options, add_verify_each, options_of
from tileir_xdsl.cli.run import add_kernel_arguments
from tileir_xdsl.interpreters.on_chip import OnChipRace, OnChipRaces
from tileir_xdsl.runtime.arrays import Array, is_integer
from tileir_xdsl.runtime.binding import (
    LaunchArgument,
    argument_names,
    bind_arguments,
    default_arguments,
)
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.kernels import find_kernel
from tileir_xdsl.runtime.launching import Grid, LaunchOptions, launch, launch_until_race
from tileir_xdsl.runtime.level_by_level import LevelByLevel
from tileir_xdsl.runtime.lowering import Lowered, chosen_target, levels_from
from tileir_xdsl.runtime.memory_views import arrays_in, copies
from tileir_xdsl.runtime.reader import new_context, read_file
from tileir_xdsl.runtime.tracing import Progress, shown_progress
from tileir_xdsl.walking import clone_of

DEFAULT_GRID = "8"

NO_OPTIONS = LaunchOptions()

TOLERANCES: Mapping[str, float] = {
    "float64": 1e-12,
    "float32": 1e-5,
    "float16": 4e-3,
    "bfloat16": 3e-2,
}
"""By element type: how far a result may be off, relative to 1 and its magnitude together.

Where that is exceeded, what the chain of ops makes of roundings (`checking/rounding.py`) is added.

Integers must be equal; types that are not listed, the reduced floats, may differ by one step.
"""

REDUCED_TOLERANCE = 0.25


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `tileir check`."""
    parser.add_argument(
        "files", metavar="FILE", nargs="+", help="IR text or Tile IR bytecode, - for stdin"
    )
    add_kernel_arguments(parser, DEFAULT_GRID)
    add_options(parser)
    add_verify_each(parser)
    parser.add_argument(
        "--no-races",
        dest="races",
        action="store_false",
        help="do not look for accesses that nothing orders, which takes longest",
    )
    parser.add_argument("--json", action="store_true", help="print what is found as JSON")
    parser.epilog = (
        "Without --arg, arguments follow cuTile's calling convention. A pointer and the 2k "
        "integers after it are a row-major array of rank k with about 1000 random elements."
    )


def maximum_error(actual: Array, expected: Array) -> float:
    """The largest absolute difference of two equally shaped arrays; equal NaNs differ by 0.

    A NaN or an infinity on one side only gives infinity.
    """
    if not actual.size or np.array_equal(actual.view(np.uint8), expected.view(np.uint8)):
        return 0.0
    if is_integer(expected.dtype):
        # Modulo 2**64, the difference of the larger and the smaller is exact.
        high = np.maximum(actual, expected).astype(np.uint64)
        return float(np.max(high - np.minimum(actual, expected).astype(np.uint64)))
    a, b = actual.astype(np.float64), expected.astype(np.float64)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    with np.errstate(invalid="ignore"):
        difference = np.where(same, 0.0, np.abs(a - b))
    return float(np.max(np.where(np.isnan(difference), np.inf, difference)))


def agrees(actual: Array, expected: Array, allowed: Array | float = 0.0) -> bool:
    """Whether `actual` is as close to `expected` as `TOLERANCES` asks for, and `allowed` beyond."""
    return not differing(actual, expected, allowed).any()


def differing(actual: Array, expected: Array, allowed: Array | float = 0.0) -> Array:
    """The elements of `actual` that are further from those of `expected`."""
    if is_integer(expected.dtype):
        return actual != expected
    tolerance = TOLERANCES.get(expected.dtype.name, REDUCED_TOLERANCE)
    a, b = actual.astype(np.float64), expected.astype(np.float64)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    with np.errstate(invalid="ignore"):
        close = np.abs(a - b) <= tolerance * (1.0 + np.abs(b)) + allowed
    return ~(same | (close & (np.isfinite(b) | np.isinf(allowed))))


@dataclass(frozen=True)
class _Launch:
    """A kernel at one level, and what it is launched with; its arguments are copied each time."""

    program: Lowered
    kernel: str
    grid: Grid
    arguments: Sequence[LaunchArgument]
    file: str
    names: tuple[str | None, ...] = ()
    progress: Progress | None = None

    def run(self, options: LaunchOptions = NO_OPTIONS) -> list[LaunchArgument]:
        """The arguments after the launch."""
        results = copies(self.arguments)
        options = replace(options, progress=self.progress, names=self.names)
        launch(self.program, self.kernel, self.grid, results, self.file, options)
        return results

    def looking_for_races(self) -> tuple[list[LaunchArgument], str | None]:
        """The same, and the first race: of PTX, whose detector stops there, so that values are run
        for, or of ops in on-chip memory.
        """
        if self.program.ptx is None:
            races: list[OnChipRace] = []
            results = self.run(LaunchOptions(listeners=(OnChipRaces(races.append),)))
            return results, str(races[0]) if races else None
        results = copies(self.arguments)
        options = LaunchOptions(progress=self.progress, names=self.names)
        race = launch_until_race(self.program, self.kernel, self.grid, results, self.file, options)
        return (results, None) if race is None else (self.run(), race)


@dataclass(frozen=True)
class _Reference:
    """The launch at the first level, and the arrays that it leaves."""

    launch: _Launch
    expected: Sequence[Array]

    @cached_property
    def _allowed(self) -> list[Array]:
        return _allowed_errors(self.launch, self.expected)

    def maximum_error(self, arrays: Sequence[Array]) -> float:
        """How far the arrays of another level are off."""
        pairs = zip(arrays, self.expected, strict=True)
        return max((maximum_error(*pair) for pair in pairs), default=0.0)

    def differing(self, arrays: Sequence[Array]) -> list[Array]:
        """Which of their elements are not as close as they should be."""
        return self.differing_pairs(arrays, self.expected)

    def differing_pairs(self, arrays: Sequence[Array], expected: Sequence[Array]) -> list[Array]:
        """The same, of the arrays that another launch leaves."""
        pairs = list(zip(arrays, expected, strict=True))
        found = [differing(*pair) for pair in pairs]
        if not any(mask.any() for mask in found):
            return found
        # Differences that roundings allow take several launches to determine.
        return [differing(*pair, by) for pair, by in zip(pairs, self._allowed, strict=True)]


def _allowed_errors(first: _Launch, expected: Sequence[Array]) -> list[Array]:
    """How far results may be off from those of the first level; what it prints is dropped."""

    def run_with(errors: RoundingErrors) -> list[Array]:
        return arrays_in(first.run(LaunchOptions(listeners=(errors,), output=io.StringIO())))

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
    """The largest difference from the first level; infinite for a NaN or an infinity of one."""
    agrees: bool
    race: str | None
    """The first race that was found."""
    note: str | None
    """Whether the program that was read has one by itself, in some order of its tile blocks."""
    depends: str | None = None
    """Which accesses of the program decide by their order what disagrees; None if none do."""

    @property
    def is_right(self) -> bool:
        return self.agrees and self.race is None

    @property
    def row(self) -> str:
        """The row of the table."""
        verdict = "" if self.agrees else "  disagrees" if self.depends is None else "  depends"
        verdict += "" if self.race is None else "  races"
        times = f"{self.lower_seconds:7.3f} s {self.run_seconds:7.3f} s"
        return f"{self.level:<10} {times} {self.max_error:>10.3g}{verdict}"

    @property
    def lines(self) -> list[str]:
        """The row, and what else is to be said."""
        told = (self.row, self.race, self.note, self.depends)
        return [line for line in told if line is not None]

    def as_json(self) -> dict[str, object]:
        """The same as JSON, which has no infinity: null."""
        error = self.max_error if math.isfinite(self.max_error) else None
        return {**vars(self), "max_error": error}


@dataclass(frozen=True)
class Checking:
    """A kernel with its launch, and what it does level by level, as it is found out."""

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
    """The note if the program as read leaves accesses without order by itself."""
    race = orders.race()
    return None if race is None else f"note: so does the program that was read: {race}"


def _own_dependence(orders: BlockOrders, differs: Masks, compare: Compare) -> str | None:
    """The note if the program as read does not determine the elements that differ."""
    text = orders.dependence(differs, compare)
    start = "note: the program's own result depends on the order of its tile blocks"
    return None if text is None else f"{start}: {text}"


def _with_blame(error: InputError, orders: BlockOrders) -> InputError:
    """The error of a level, and whether it is one of the program that was read."""
    own = orders.failure() or orders.race()
    if own is None:
        return error
    blame = f"the program that was read is at fault, in some order of its tile blocks: {own}"
    return InputError(error.location, f"{error.message}; {blame}", error.notes)


def run(args: argparse.Namespace) -> int:
    """Checks the files; the exit status is 1 if one disagrees with itself, has a race or an error.

    Raises InputError for what is wrong with a single file, and for what several have not.
    """
    if len(args.files) > 1 and (args.arg or args.kernel is not None):
        raise InputError("check", "--arg and --kernel are for one file")
    if args.json:
        return _print_json(args)
    if len(args.files) == 1:
        return int(not _print_table(args, args.files[0]))
    right = 0
    for file in args.files:
        print(f"{file}:")
        try:
            right += _print_table(args, file)
        except InputError as error:
            print(error)
    print(f"{right} of {len(args.files)} files agree at all levels")
    return int(right < len(args.files))


def _print_json(args: argparse.Namespace) -> int:
    """A list with an object for each file; that of one of several may be its error."""
    found: list[dict[str, object]] = []
    for file in args.files:
        try:
            one = checking(args, file)
            levels = list(one.levels)
        except InputError as error:
            if len(args.files) == 1:
                raise
            found.append({"file": file, "agrees": False, "error": str(error)})
            continue
        found.append(
            {
                "file": file,
                "kernel": one.kernel,
                "grid": one.grid,
                "agrees": all(level.is_right for level in levels),
                "levels": [level.as_json() for level in levels],
            }
        )
    print(json.dumps(found, indent=2))
    return int(not all(file["agrees"] for file in found))


def _print_table(args: argparse.Namespace, file: str) -> bool:
    """Prints one row per level; whether all agree, without a race."""
    found = checking(args, file)
    print("\n".join(found.heading))
    is_right = True
    for level in found.levels:
        is_right = is_right and level.is_right
        print("\n".join(level.lines))
    return is_right


def checking(args: argparse.Namespace, file: str) -> Checking:
    """A kernel at each level from that of its file on.

    Raises InputError for whatever is wrong with the file or its launch.
    """
    random = np.random.default_rng(args.seed)
    grid, options = parse_grid(args.grid), options_of(args)
    context = new_context()
    module = read_file(context, file)
    kernel = find_kernel(module, args.kernel, file)
    levels = levels_from(module, file)
    gpu = chosen_target(module, args.gpu, file)
    first, *below = levels
    if not below:
        raise InputError(file, f"there is no level below {first} to compare with")
    given = [parse_argument(text, random) for text in args.arg]
    values = bind_arguments(kernel, given) if given else default_arguments(kernel, random)
    names = argument_names(kernel, given) if given else ()
    lowering = LevelByLevel(context, levels, gpu, file, options, args.verify_each)

    def results() -> Iterator[LevelResult]:
        reference: _Reference | None = None
        orders = BlockOrders(module, kernel.name, grid, values, args.seed)
        for at in lowering.lower(clone_of(module)):
            run_level = _Launch(at.program, kernel.name, grid, values, file, names)
            start = time.perf_counter()
            with shown_progress(math.prod(grid), f"tile blocks at {at.level}") as progress:
                shown = replace(run_level, progress=progress)
                try:
                    left, race = shown.looking_for_races() if args.races else (shown.run(), None)
                except InputError as error:
                    raise error if reference is None else _with_blame(error, orders) from error
            seconds = time.perf_counter() - start
            arrays = arrays_in(left)
            reference = reference or _Reference(run_level, arrays)
            differs = reference.differing(arrays)
            agrees = not any(mask.any() for mask in differs)
            yield LevelResult(
                at.level,
                at.seconds,
                seconds,
                reference.maximum_error(arrays),
                agrees,
                race,
                None if race is None else _own_race(orders),
                None if agrees else _own_dependence(orders, differs, reference.differing_pairs),
            )

    return Checking(str(kernel), grid, results())
