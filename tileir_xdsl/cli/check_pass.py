"""`tileir check --pass`: compares kernels of the zoo and random programs before and after a pass.

`testing/pass_checks` chooses the programs, their order, and the comparison.
"""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from xdsl.dialects.llvm import LLVMPointerType

from tileir_xdsl.checking.inputs import LaunchInput, launch_inputs
from tileir_xdsl.cli.arguments import DEFAULT_GRID, parse_argument, parse_grid
from tileir_xdsl.cli.compile_options import options_of
from tileir_xdsl.options import OptionError
from tileir_xdsl.runtime.arrays import Argument
from tileir_xdsl.runtime.binding import bind_arguments
from tileir_xdsl.runtime.diagnostics import errors_in
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.kernels import Kernel, find_kernel
from tileir_xdsl.runtime.lowering import chosen_target
from tileir_xdsl.runtime.reader import new_context, read_file
from tileir_xdsl.targets import TARGETS as ALL_TARGETS
from tileir_xdsl.testing.pass_checks.candidates import Candidate, find_candidates
from tileir_xdsl.testing.pass_checks.checking import Fault, check_pass
from tileir_xdsl.testing.pass_checks.subjects import TARGETS, Subject, at_places, subjects

NOTHING_COMPARED = 3
"""The exit status where a pass has changed nothing that could be compared."""

INPUTS = 4
"""The number of inputs that are generated for a kernel in a file, if none are given."""


def run(args: argparse.Namespace) -> int:
    """Checks each pass; returns `NOTHING_COMPARED` if no result of one could be compared.

    Raises InputError for a pass that is wrong, and for invalid arguments.
    """
    status = 0
    for candidate in candidates(args):
        fault, summary = check_pass(candidate, programs(args, candidate), args.seconds)
        if fault is not None:
            raise InputError(candidate.name, described(fault, args))
        print(f"{candidate.name}: {summary}, seed {args.seed}")
        if not summary.compared:
            text = "nothing was compared, so nothing is known of it"
            asked = "" if args.files else "; give a FILE with a kernel that it changes"
            print(f"warning: {candidate.name}: {text}{asked}", file=sys.stderr)
            status = NOTHING_COMPARED
    return status


def candidates(args: argparse.Namespace) -> list[Candidate]:
    """The passes named by the command line; raises InputError for an unknown pass."""
    try:
        return find_candidates(args.pass_name, options_of(args).extensions)
    except OptionError as error:
        raise InputError(error.location, error.message) from error


def programs(args: argparse.Namespace, candidate: Candidate) -> Iterator[Subject]:
    """The programs to check. Raises InputError for an invalid file or target."""
    if args.files:
        return (subject for file in args.files for subject in _of_file(args, file, candidate))
    if args.gpu is not None and args.gpu not in ALL_TARGETS:
        raise InputError(f"--gpu {args.gpu}", f"expected one of {', '.join(ALL_TARGETS)}")
    return subjects(candidate, args.seed, TARGETS if args.gpu is None else (args.gpu,))


def _of_file(args: argparse.Namespace, file: str, candidate: Candidate) -> Iterator[Subject]:
    """A module at the level of the pass, with launches as given or by its signature.

    Raises InputError for a file that cannot be read, or that an earlier pass rejects.
    """
    module = read_file(new_context(_extensions(args)), file)
    kernel = find_kernel(module, args.kernel, file)
    target = chosen_target(module, args.gpu, file)
    launches = _launches(args, kernel, file)
    title = f"{file}, for {target}"
    with errors_in(file):
        yield from at_places(Subject(title, module, str(kernel.name), launches, target), candidate)


def _extensions(args: argparse.Namespace) -> tuple[str, ...]:
    """The extensions whose dialects a file may have: named extensions, and that of the passes."""
    own = (args.pass_name,) if args.pass_name.endswith(".py") else ()
    return (*options_of(args).extensions, *own)


def _launches(args: argparse.Namespace, kernel: Kernel, file: str) -> tuple[LaunchInput, ...]:
    random = np.random.default_rng(args.seed)
    given: list[Argument] = [parse_argument(text, random) for text in args.arg]
    grid = None if args.grid is None else parse_grid(args.grid)
    if not given:
        assert kernel.block is not None
        types = kernel.block.arg_types
        if any(isinstance(type_, LLVMPointerType) for type_ in types):
            message = "expected --arg, as its parameters do not say what they point to"
            raise InputError(file, message)
        suggested = launch_inputs(types, INPUTS, args.seed)
        return tuple(replace(each, grid=grid or each.grid) for each in suggested)
    # A command line has no lists of arrays.
    values = [v for v in bind_arguments(kernel, given) if not isinstance(v, tuple)]
    return (LaunchInput(grid or parse_grid(DEFAULT_GRID), tuple(values)),)


def described(fault: Fault, args: argparse.Namespace) -> str:
    """The message of a fault: its kind, the program, and the input."""
    message = fault.message.removeprefix("check: ")
    launch = fault.subject.launches[0]
    blocks = "x".join(map(str, launch.grid))
    inputs = ", ".join(map(_short, launch.arguments))
    return (
        f"{message}; on {fault.subject.title}, launched on {blocks} tile blocks with ({inputs}), "
        f"seed {args.seed}"
    )


def _short(argument: object) -> str:
    if isinstance(argument, np.ndarray):
        return f"{argument.dtype}[{'x'.join(map(str, argument.shape))}]"
    return str(argument)
