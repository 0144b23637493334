"""`tileir check`: runs one launch at every level; all levels must return the same results.

`checking/levels.py` compares the results and detects races. One process checks several files one
after the other.
"""

import argparse
import json
import math
from itertools import islice

import numpy as np

from tileir_xdsl.checking.levels import CheckedLaunch, Checking, How, check_launch
from tileir_xdsl.cli.arguments import DEFAULT_GRID, parse_argument, parse_grid
from tileir_xdsl.cli.compile_options import add_options, add_verify_each, options_of
from tileir_xdsl.cli.run import add_kernel_arguments
from tileir_xdsl.runtime.binding import argument_names, bind_arguments, default_arguments
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.kernels import find_kernel
from tileir_xdsl.runtime.lowering import chosen_target, enter_road
from tileir_xdsl.runtime.reader import new_context, read_file

DEFAULT_SECONDS = 50.0
"""The seconds for which a check of a pass searches for a program on which the pass is wrong."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `tileir check`."""
    parser.add_argument(
        "files", metavar="FILE", nargs="*", help="IR text or Tile IR bytecode, - for stdin"
    )
    _add_pass_arguments(parser)
    add_kernel_arguments(parser, DEFAULT_GRID)
    # Without --arg, a check of a pass chooses the grids itself, unless one is given. `levels` is a
    # number where `tileir reproduce` needs none below the level that fails.
    parser.set_defaults(grid=None, levels=None)
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


def _add_pass_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("a pass, in place of all")
    group.add_argument(
        "--pass",
        dest="pass_name",
        metavar="NAME",
        help="run this pass, or those of FILE.py, on the files, or else on kernels and random "
        "programs, and compare",
    )
    group.add_argument(
        "--seconds",
        type=_seconds,
        default=DEFAULT_SECONDS,
        help="how long to look for a program on which it is wrong, in processor time, default "
        "%(default)s",
    )


def _seconds(text: str) -> float:
    """A positive number of seconds; raises ArgumentTypeError for anything else."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(
            f"expected a positive finite number of seconds, got '{text}'"
        )
    return value


def run(args: argparse.Namespace) -> int:
    """Checks the files; the exit status is 1 if one disagrees with itself, has a race or an error.

    Raises InputError for an error of a single file, and for options that several files do not have.
    """
    if args.pass_name is not None:
        # The programs load only for a check of a pass.
        from tileir_xdsl.cli import check_pass

        return check_pass.run(args)
    if not args.files:
        raise InputError("check", "expected a FILE, or --pass")
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
    """Prints a list with an object for each file; one of several files may have an error."""
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
    """Prints one row per level; returns whether all agree, without a race."""
    found = checking(args, file)
    print("\n".join(found.heading))
    is_right = True
    for level in islice(found.levels, args.levels):
        is_right = is_right and level.is_right
        print("\n".join(level.lines))
    return is_right


def checking(args: argparse.Namespace, file: str) -> Checking:
    """The results of a kernel at each level from that of its file on.

    Raises InputError for errors of the file or its launch.
    """
    random = np.random.default_rng(args.seed)
    grid = parse_grid(DEFAULT_GRID if args.grid is None else args.grid)
    options = options_of(args)
    module = read_file(context := new_context(options.extensions), file)
    enter_road(context, module, file, chosen_target(module, args.gpu, file), options)
    kernel = find_kernel(module, args.kernel, file)
    given = [parse_argument(text, random) for text in args.arg]
    values = bind_arguments(kernel, given) if given else default_arguments(kernel, random)
    names = argument_names(kernel, given) if given else ()
    launch = CheckedLaunch(module, file, kernel, grid, values, names, bool(given))
    return check_launch(launch, How(args.gpu, options, args.races, args.verify_each, args.seed))
