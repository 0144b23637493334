"""`tileir reproduce`: stores a failing command with a small module in one file.

    tileir reproduce -o small.mlir compile kernel.mlir --gpu sm_90a
    tileir reproduce -o small.mlir check --pass my-pass --with my_extension.py
    tileir reproduce small.mlir

The first two lines run a command, make its module smaller while the failure stays the same, and
write a file to reproduce it. The last line runs such a file again. No network is used.
"""

import argparse
import importlib
import io
import json
import os
import re
import time
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.checking.inputs import LaunchInput
from tileir_xdsl.checking.pass_check import Trial
from tileir_xdsl.cli import may_be_python
from tileir_xdsl.cli.arguments import parse_grid
from tileir_xdsl.cli.check_pass import NOTHING_COMPARED, candidates, described, programs
from tileir_xdsl.cli.compile_options import options_of
from tileir_xdsl.cli.output import output_file, write_output
from tileir_xdsl.cli.python_files import add_arguments as add_python_arguments
from tileir_xdsl.cli.python_files import with_recorded_launch
from tileir_xdsl.runtime.arrays import Argument
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.files import hold, read_utf8
from tileir_xdsl.runtime.reader import new_context, read_file
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.pass_checks.candidates import Candidate
from tileir_xdsl.testing.pass_checks.checking import (
    Fault,
    Summary,
    check_pass,
    check_program,
    kind_of_fault,
)
from tileir_xdsl.testing.pass_checks.subjects import Subject
from tileir_xdsl.testing.reproducers.reproducer import FILE, Reproducer, read_reproducer
from tileir_xdsl.testing.reproducers.shrinking import shrink
from tileir_xdsl.walking import ops_in

COMMANDS = ("compile", "check", "run")
"""The commands whose failures can be reproduced."""

DEFAULT_SECONDS = 60.0
LAUNCH_SECONDS = 2.0
"""The longest time for a launch of a smaller module."""

LEAST_SECONDS = 0.1
"""The shortest time limit for a launch, because the machine may be busy."""

ONE_BLOCK = (1, 1, 1)

TRIED = "<smaller>"
"""The file name of a smaller module."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `tileir reproduce`."""
    parser.add_argument(
        "-o", "--output", metavar="FILE", type=output_file, help="the file to write"
    )
    parser.add_argument(
        "--seconds",
        type=float,
        default=DEFAULT_SECONDS,
        help="how long to make the module smaller, default %(default)s",
    )
    parser.add_argument(
        "words",
        metavar="COMMAND",
        nargs=argparse.REMAINDER,
        help=f"a failing command ({', '.join(COMMANDS)}) and its arguments, or a file to run again",
    )


def run(args: argparse.Namespace) -> int:
    """Writes a file, or runs a file again. Raises InputError, also if the file still fails."""
    words: list[str] = args.words
    if not words:
        raise InputError("reproduce", "expected a failing command, or a file to run again")
    if words[0] in COMMANDS:
        return _write(args, words)
    if len(words) > 1:
        raise InputError(words[0], f"expected one file, or a command, one of {', '.join(COMMANDS)}")
    return run_again(words[0])


def run_again(file: str) -> int:
    """Runs a file again; returns 0 if it no longer fails, otherwise raises InputError."""
    text, name = read_utf8(file)
    try:
        reproducer = read_reproducer(text)
    except ValueError as error:
        raise InputError(name, error) from None
    if reproducer is None:
        raise InputError(name, "expected a file that `tileir reproduce` has written")
    failed = failure([file if word == FILE else word for word in reproducer.words], reproducer)
    if failed is None:
        print(f"{name}: no longer fails: {reproducer.fails}")
        return 0
    if kind_of(failed) != kind_of(reproducer.fails):
        failed = f"fails otherwise: {failed}; expected: {reproducer.fails}"
    raise InputError(name, failed)


def _write(args: argparse.Namespace, words: Sequence[str]) -> int:
    given = parsed(words)
    is_pass = getattr(given, "pass_name", None) is not None
    found, size = (
        _of_pass(given, args.seconds) if is_pass else _of_command(given, words, args.seconds)
    )
    write_output(args.output, str(found))
    if args.output is not None:
        said = "" if size is None else f"{size} ops, "
        print(f"{args.output}: {said}fails with: {found.fails}")
    return 0


_Found = tuple[Reproducer, int | None]
"""A failure, and the number of ops in its module; None for unreadable IR."""


def parsed(words: Sequence[str]) -> argparse.Namespace:
    """The parsed arguments of a command. Raises InputError for invalid arguments."""
    parser = argparse.ArgumentParser(prog=f"tileir {words[0]}", exit_on_error=False)
    importlib.import_module(f"tileir_xdsl.cli.{words[0]}").add_arguments(parser)
    if any(map(may_be_python, words)):
        add_python_arguments(parser, words[0])
    with redirect_stderr(io.StringIO()):
        try:
            given, unknown = parser.parse_known_args(words[1:])
        except (argparse.ArgumentError, SystemExit) as error:
            raise InputError(f"tileir {words[0]}", str(error)) from None
    if unknown:
        raise InputError(f"tileir {words[0]}", f"unrecognized arguments: {' '.join(unknown)}")
    given.command, given.given = words[0], None
    return given


def failure(
    words: Sequence[str], reproducer: Reproducer | None = None, levels: int | None = None
) -> str | None:
    """The failure of a command in one line, without the place; None if it succeeds.

    `tileir check` computes at most so many levels.
    """
    given = parsed(words)
    given.levels = levels
    if reproducer is not None and reproducer.launch is not None:
        given.grid = ",".join(map(str, reproducer.launch.grid))
        given.arg = [Argument(None, _plain(each)) for each in reproducer.launch.arguments]
    return _failure(given)[0]


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _failure(given: argparse.Namespace) -> tuple[str | None, int]:
    """The failure of a command, and a number of levels that `tileir check` needs at most for it."""
    printed = io.StringIO()
    command = importlib.import_module(f"tileir_xdsl.cli.{given.command}")
    raised, status = None, 1
    try:
        with redirect_stdout(printed), redirect_stderr(io.StringIO()):
            status = command.run(given)
    except InputError as error:
        raised = error.message
    # A fault of the compiler itself is what is to be reproduced.
    except Exception as error:
        raised = " ".join(f"{type(error).__name__}: {error}".split())
    # Two lines of heading, then a row of each level: messages between them only add to the number.
    rows = [line.split() for line in printed.getvalue().splitlines()]
    levels = max(len(rows) - 2, 0)
    if raised is not None:
        return raised, levels + 1
    if status in (0, NOTHING_COMPARED):
        return None, levels
    bad = [f"{row[0]} {' '.join(row[6:])}" for row in rows if set(row) & set(_VERDICTS)]
    return f"levels differ: {', '.join(bad)}" if bad else f"exit status {status}", levels


_VERDICTS = ("disagrees", "depends", "races", "undefined")
_NUMBERS = re.compile(r"%[\w#.-]+|[-+]?\b\d[\w.+-]*|\b(?:nan|inf)\b")


def kind_of(message: str) -> str:
    """The part of a message that smaller modules share: without numbers, values or ops at fault."""
    if message.startswith("pass '"):
        return kind_of_fault(message)
    return _NUMBERS.sub("", ": ".join(message.partition("; ")[0].split(": ")[:2]))


def _of_command(given: argparse.Namespace, words: Sequence[str], seconds: float) -> _Found:
    """The failure of a command on its one file, or on its one launch of a script."""
    name = _input_of(given)
    if any(map(may_be_python, words)):
        with_recorded_launch(given, words)
    launch = _launch_of(given)
    failed, levels = _failure(given)
    if failed is None:
        raise InputError(name, f"`tileir {words[0]}` does not fail on this file")
    stored = tuple(FILE if word == name else word for word in words)
    found = Reproducer(stored, "", failed, getattr(given, "seed", 0), _options(given), launch)
    try:
        module = read_file(new_context(), _input_of(given))
    except InputError:
        return replace(found, ir=read_utf8(name)[0]), None
    kind = kind_of(failed)
    tried = [TRIED if word == FILE else word for word in stored]

    def fails(smaller: ModuleOp) -> bool:
        hold(TRIED, tools.to_text(smaller).encode("utf-8"))
        again = failure(tried, found, levels)
        return again is not None and kind_of(again) == kind

    module = shrink(module, fails, seconds)
    hold(TRIED, tools.to_text(module).encode("utf-8"))
    fails_with = failure(tried, found) or failed
    return replace(found, ir=tools.to_text(module), fails=fails_with), len(ops_in(module))


def _input_of(given: argparse.Namespace) -> str:
    files: list[str] = getattr(given, "files", None) or [given.file]
    if len(files) != 1:
        raise InputError("reproduce", f"expected a command with one file, not with {len(files)}")
    return files[0]


def _launch_of(given: argparse.Namespace) -> LaunchInput | None:
    """The launch of a script, which is not in the command line."""
    values = [each.value for each in getattr(given, "arg", ()) if isinstance(each, Argument)]
    plain = [value for value in values if not isinstance(value, tuple)]
    return LaunchInput(parse_grid(given.grid), tuple(plain)) if plain else None


def _options(given: argparse.Namespace) -> str:
    return json.dumps(options_of(given).given())


def _of_pass(given: argparse.Namespace, seconds: float) -> _Found:
    """The failure of a pass on the first program for which it is wrong."""
    for candidate in candidates(given):
        fault, _ = check_pass(candidate, programs(given, candidate), given.seconds)
        if fault is not None:
            return _of_fault(given, candidate, fault, seconds)
    raise InputError(given.pass_name, "no program was found on which this pass is wrong")


def _of_fault(
    given: argparse.Namespace, candidate: Candidate, fault: Fault, seconds: float
) -> _Found:
    subject = fault.subject
    for grid in (ONE_BLOCK, subject.launches[0].grid):
        tried = _on(grid, subject)
        start = time.monotonic()
        if _fails(candidate, tried, fault, Trial(LAUNCH_SECONDS)):
            break
    # A smaller program that takes longer than the whole one has lost the end of a loop.
    trial = Trial(min(LAUNCH_SECONDS, max(LEAST_SECONDS, time.monotonic() - start)))
    end = time.process_time() + seconds

    def smaller_of(tried: Subject) -> ModuleOp:
        return shrink(
            tried.module,
            lambda smaller: _fails(candidate, replace(tried, module=smaller), fault, trial),
            end - time.process_time(),
        )

    module = smaller_of(tried)
    alone = _on(ONE_BLOCK, replace(tried, module=module))
    # The reduced program may need one block only, and is smaller then.
    if tried.launches != alone.launches and _fails(candidate, alone, fault, trial):
        tried, module = alone, smaller_of(alone)
    small = replace(tried, module=module)
    again = check_program(candidate, small, Summary(), with_ptx=True) or fault
    names = [word for name in given.extensions or () for word in ("--with", _anywhere(name))]
    if given.pass_name.endswith(".py"):
        names += ["--with", _anywhere(given.pass_name)]
    place = ["--kernel", subject.kernel, "--gpu", subject.target]
    found = Reproducer(
        ("check", FILE, "--pass", candidate.name, *names, *place, "--seed", str(given.seed)),
        tools.to_text(module),
        described(again, given),
        given.seed,
        _options(given),
        tried.launches[0],
    )
    return found, len(ops_in(module))


def _on(grid: tuple[int, int, int], subject: Subject) -> Subject:
    """A program with only its first launch, on a grid."""
    return replace(subject, launches=(replace(subject.launches[0], grid=grid),))


def _fails(candidate: Candidate, subject: Subject, fault: Fault, trial: Trial) -> bool:
    try:
        found = check_program(candidate, subject, Summary(), trial, with_ptx=fault.is_of_ptx)
    # A smaller module may be one that verifies and that no executor takes.
    except Exception:
        return False
    return found is not None and found.kind == fault.kind


def _anywhere(name: str) -> str:
    """The name of an extension that is valid in every folder."""
    return os.path.abspath(name) if name.endswith(".py") else name
