"""Questions about a kernel, from Python and notebooks: why it is slow, whether it is right.

    cutile.explain(add, (a, b, c, 128), "sm_90a")
    cutile.check(8, add, (a, b, c, 128))
    cutile.tune(8, add, (a, b, c, 128), "sm_90a")

Each does what the command of its name does with a launch of a script, and its answer shows itself.
"""

from __future__ import annotations

import argparse
import html
from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property

from tileir_xdsl.cli import check as check_command
from tileir_xdsl.cli.python_files import with_launch
from tileir_xdsl.cli.tune_table import best_of, reason, table
from tileir_xdsl.cutile.frontend import FRONTEND
from tileir_xdsl.frontends.interface import Launch
from tileir_xdsl.options import Options
from tileir_xdsl.report.explaining import explain as explain_program
from tileir_xdsl.report.files import ReportFiles, page_text
from tileir_xdsl.report.schema import CompilationReport
from tileir_xdsl.runtime.compiled import Compiled
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.launching import as_grid
from tileir_xdsl.runtime.tuning import CTAS, STAGES, WARPS, Measured, variants
from tileir_xdsl.runtime.tuning import tune as tune_program
from tileir_xdsl.targets import DEFAULT_TARGET

_FRAME = '<iframe srcdoc="{page}" style="width: 100%; height: 45em; border: 0"></iframe>'


@dataclass(frozen=True, repr=False)
class Explained:
    """The report of a compilation: in a notebook, the page of `tileir explain`."""

    report: CompilationReport
    compiled: Compiled

    @cached_property
    def page(self) -> str:
        """The page, with all that it needs. Raises CompileError without the package jinja2."""
        return page_text(self.report)

    def write(self, file: str) -> None:
        """Writes the page, or JSON unless the name ends in `.html`. Raises CompileError."""
        ReportFiles((file,)).write(self.report)

    def __repr__(self) -> str:
        return repr(self.compiled)

    def _repr_html_(self) -> str:
        return _FRAME.format(page=html.escape(self.page))


class _Table(ABC):
    """Lines that a notebook shows as they are."""

    @property
    @abstractmethod
    def lines(self) -> list[str]:
        """The table of the command."""

    def __repr__(self) -> str:
        return "\n".join(self.lines)

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(repr(self))}</pre>"


@dataclass(frozen=True, repr=False)
class Checked(_Table):
    """A launch at every level: the table of `tileir check`."""

    heading: Sequence[str]
    levels: Sequence[check_command.LevelResult]

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
        """The options of the best variant; None where none is better than the others."""
        found = best_of(self.measured)
        return None if found is None else found.variant

    @property
    def lines(self) -> list[str]:
        return [*table(self.measured), reason(self.measured)]


def explain(
    kernel: object,
    args: Sequence[object],
    gpu: str | None = None,
    *,
    options: Options | None = None,
) -> Explained:
    """Compiles a kernel for such arguments, and tells what each pass did and why.

    `args` and `options` are as for `compile`. Nothing is launched. Raises CompileError.
    """
    made, name = FRONTEND.specialize(kernel, args, gpu), _name(kernel)
    options = options or made.options
    answer = explain_program(made.contents, name, gpu, options, ReportFiles(()))
    return Explained(answer.report, answer.compiled)


def check(
    grid: Sequence[int] | int,
    kernel: object,
    args: Sequence[object],
    gpu: str | None = None,
    *,
    races: bool = True,
) -> Checked:
    """Runs a launch at every level, on copies of the arrays, and compares what they leave.

    `races` looks for accesses that nothing orders, too. Raises CompileError.
    """
    parser = argparse.ArgumentParser()
    check_command.add_arguments(parser)
    words = ["-", *([] if gpu is None else ["--gpu", gpu]), *([] if races else ["--no-races"])]
    parsed = parser.parse_args(words, argparse.Namespace(command="check"))
    with_launch(parsed, Launch(FRONTEND, kernel, as_grid(grid), args), _file(kernel))
    found = check_command.checking(parsed, parsed.files[0])
    return Checked(tuple(found.heading), tuple(found.levels))


def tune(
    grid: Sequence[int] | int,
    kernel: object,
    args: Sequence[object],
    gpu: str | None = None,
    *,
    warps: Sequence[int] = WARPS,
    stages: Sequence[int] = STAGES,
    ctas: Sequence[int] = CTAS,
    executor: Executor | None = None,
) -> Tuned:
    """Compiles a kernel in several ways, and counts the instructions of each in the emulator.

    Variants are measured on copies of the arrays, by as many processes as there are processors, or
    by the executor. Raises CompileError.
    """
    made = FRONTEND.specialize(kernel, args, gpu)
    if made.arguments is None:
        raise InputError(_name(kernel), "tune needs arrays in the memory of the host")
    gpu = gpu or DEFAULT_TARGET
    measured = tune_program(
        made.contents,
        as_grid(grid),
        [argument.value for argument in made.arguments],
        gpu=gpu,
        tried=variants(gpu, warps, stages, ctas, made.options),
        executor=executor,
    )
    return Tuned(tuple(measured))


def _file(kernel: object) -> str:
    return FRONTEND.source(kernel).file


def _name(kernel: object) -> str:
    return f"{_file(kernel)}:{FRONTEND.source(kernel).name}"
