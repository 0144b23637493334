"""Functions that explain, check and tune a kernel, from Python and notebooks.

    cutile.explain(add, (a, b, c, 128), "sm_90a")
    cutile.check(8, add, (a, b, c, 128))
    cutile.tune(8, add, (a, b, c, 128), "sm_90a")

Each function does what the command of the same name does, and notebooks display its result.
"""

from __future__ import annotations

import html
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any

from tileir_xdsl.checking.levels import CheckedLaunch, How, LevelResult, check_launch
from tileir_xdsl.cli.output import write_output
from tileir_xdsl.cli.tune_table import best_of, best_options, result_lines
from tileir_xdsl.cutile.frontend import FRONTEND, kernel_function
from tileir_xdsl.frontends.interface import Launch, Search, Specialization
from tileir_xdsl.frontends.searching import configuration_of, configurations_of
from tileir_xdsl.options import Options
from tileir_xdsl.report.explaining import Explained
from tileir_xdsl.report.explaining import explain as explain_program
from tileir_xdsl.report.files import ReportFiles
from tileir_xdsl.report.forcing import read_forced
from tileir_xdsl.runtime.arrays import Argument
from tileir_xdsl.runtime.binding import argument_names, bind_arguments
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.kernels import find_kernel
from tileir_xdsl.runtime.launching import as_grid
from tileir_xdsl.runtime.memory_views import copies
from tileir_xdsl.runtime.reader import read_bytecode
from tileir_xdsl.runtime.tuning import Measured, candidates
from tileir_xdsl.runtime.tuning import search as search_candidates
from tileir_xdsl.targets import DEFAULT_TARGET


class _Table(ABC):
    """A table of text that notebooks display verbatim."""

    @property
    @abstractmethod
    def lines(self) -> list[str]:
        """The lines of the table that the command prints."""

    def __repr__(self) -> str:
        return "\n".join(self.lines)

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(repr(self))}</pre>"


@dataclass(frozen=True, repr=False)
class Checked(_Table):
    """The results of a launch at every level: the table of `tileir check`."""

    heading: Sequence[str]
    levels: Sequence[LevelResult]

    @property
    def is_right(self) -> bool:
        """Whether all levels agree, and none has a race."""
        return all(level.is_right for level in self.levels)

    @property
    def lines(self) -> list[str]:
        return [*self.heading, *(line for level in self.levels for line in level.lines)]


@dataclass(frozen=True, repr=False)
class Tuned(_Table):
    """Variants of a kernel, best first: the table of `tileir tune`."""

    measured: Sequence[Measured]

    @property
    def best(self) -> Options | None:
        """The options of the best variant; None if no variant is best."""
        found = best_of(self.measured)
        return None if found is None else found.variant

    @property
    def constants(self) -> Mapping[str, object]:
        """The constants of the best variant; empty if no constants were tuned."""
        found = best_of(self.measured)
        return {} if found is None else found.constants

    def write(self, file: str) -> None:
        """Writes the options of the best variant as JSON, for the flag `--options` of commands.

        Raises CompileError.
        """
        write_output(file, best_options(self.measured))

    @property
    def lines(self) -> list[str]:
        return result_lines(self.measured)


def explain(
    kernel: object,
    args: Sequence[object],
    gpu: str | None = None,
    *,
    options: Options | None = None,
    force: Sequence[str] = (),
) -> Explained:
    """Compiles a kernel for arguments like `args`, and tells what each pass did and why.

    `args` and `options` are as for `compile`; `force` names candidates that passes must choose, as
    in reports. Nothing is launched. Raises CompileError.
    """
    made, name = FRONTEND.specialize(kernel, args, gpu), _name(kernel)
    options = options or made.options
    forced, files = read_forced(force, options.extensions), ReportFiles(())
    return explain_program(made.contents, name, gpu, options, files, forced=forced)


def check(
    grid: Sequence[int] | int,
    kernel: object,
    args: Sequence[object],
    gpu: str | None = None,
    *,
    options: Options | None = None,
    races: bool = True,
) -> Checked:
    """Runs a launch at every level, on copies of the arrays, and compares the resulting arrays.

    `options` are as for `compile`. With `races`, it also detects data races.

    Raises CompileError.
    """
    made, file = FRONTEND.specialize(kernel, args, gpu), _name(kernel)
    module = read_bytecode(made.contents, file)
    found, given = find_kernel(module, None, file), _arguments(made, file)
    values, names = bind_arguments(found, given), argument_names(found, given)
    launch = CheckedLaunch(module, file, found, as_grid(grid), values, names)
    checking = check_launch(launch, How(gpu, options or made.options, races))
    return Checked(tuple(checking.heading), tuple(checking.levels))


def _arguments(made: Specialization, file: str) -> list[Argument]:
    """The arguments of a launch, with copies of the arrays. Raises InputError."""
    if made.arguments is None:
        raise InputError(file, "check needs arrays in the memory of the host")
    values = copies([each.value for each in made.arguments])
    return [Argument(each.name, value) for each, value in zip(made.arguments, values, strict=True)]


def tune(
    grid: Sequence[int] | int | Callable[[Any], Sequence[int] | int],
    kernel: object,
    args: Sequence[object] | Callable[[Any], Sequence[object]],
    gpu: str | None = None,
    *,
    options: Options | None = None,
    search_space: Sequence[Any] | None = None,
    warps: Sequence[int] | None = None,
    stages: Sequence[int] | None = None,
    ctas: Sequence[int] | None = None,
    occupancy: Sequence[int] | None = None,
    executor: Executor | None = None,
) -> Tuned:
    """Compiles variants of a kernel, and orders them by modelled cycles of the launch.

    With a `search_space`, the grid, the arguments and the kernel may be functions of a
    configuration, as for cuTile's `exhaustive_search`. A configuration that fails is listed with
    the reason. Warps, stages and other options that are not given come from `options`, which are as
    for `compile`. Without a search space, `warps`, `stages` and `ctas` have default values.

    Variants are measured on copies of the arrays, by `executor`, or by one process per processor.
    Raises CompileError.
    """
    target = gpu or DEFAULT_TARGET
    if search_space is not None:
        made = kernel_function(kernel)
        search = Search(FRONTEND, search_space, made, _function(grid), _function(args))
        found = configurations_of(search, gpu)
    elif callable(grid) or callable(args):
        raise InputError(
            _name(kernel),
            "expected search_space, because the grid or the arguments are given as a function",
        )
    else:
        found = [configuration_of(Launch(FRONTEND, kernel, as_grid(grid), args), gpu)]
    if options is not None:
        found = [replace(one, options=options) for one in found]
    is_search = search_space is not None
    tried = candidates(found, target, warps, stages, ctas, occupancy, is_search=is_search)
    return Tuned(tuple(search_candidates(tried, gpu=target, executor=executor)))


def _function(value: Any) -> Callable[[Any], Any]:
    """`value` itself if it is callable, otherwise a function that always returns `value`."""
    return value if callable(value) else lambda _: value


def _name(kernel: object) -> str:
    source = FRONTEND.source(kernel)
    return f"{source.file}:{source.name}"
