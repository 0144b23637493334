"""`tileir emulate`: runs a kernel in PTX text, or a pair of kernels, without a GPU."""

import argparse
import math
import re
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager

import numpy as np

from tileir_xdsl import emulator
from tileir_xdsl.cli.arguments import EXTENTS, add_launch, natural, parse_argument, parse_grid
from tileir_xdsl.cli.compile_options import add_with, know_named
from tileir_xdsl.cli.results import (
    Launched,
    NamedArray,
    add_json_argument,
    add_save_argument,
    report,
    saved_array,
)
from tileir_xdsl.emulator.machine import DEFAULT_STEP_LIMIT, MachineOptions
from tileir_xdsl.emulator.tensor_maps import SWIZZLES
from tileir_xdsl.runtime.arrays import Argument
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.files import read_utf8
from tileir_xdsl.runtime.residency import blocks_at_once
from tileir_xdsl.runtime.tracing import shown_progress

_TENSOR_MAP = re.compile(
    rf"(?P<name>[A-Za-z_]\w*)=(?P<box>{EXTENTS})(?:,(?P<swizzle>[0-9]{{1,18}}))?"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `tileir emulate`."""
    parser.add_argument("file", metavar="FILE", help="PTX text, - for stdin")
    add_with(parser)
    _add_launch_shape(parser)
    parser.add_argument(
        "--tensor-map",
        action="append",
        default=[],
        metavar="NAME=BOX[,SWIZZLE]",
        help="pass the array NAME by a tensor map, with what a copy moves at once and the bytes of "
        "the swizzle, such as a=64x64,128",
    )
    _add_dependent(parser)
    _add_schedule(parser)
    add_save_argument(parser)
    add_json_argument(parser)


def _add_launch_shape(parser: argparse.ArgumentParser) -> None:
    """Declares the kernel to launch, and the numbers of blocks and threads."""
    add_launch(parser.add_argument, blocks="blocks")
    parser.add_argument("--block", metavar="X,Y,Z", help="number of threads, default: .reqntid")
    parser.add_argument(
        "--cluster", metavar="X,Y,Z", help="blocks of a cluster, default: .reqnctapercluster"
    )
    parser.add_argument(
        "--resident-blocks",
        type=int,
        metavar="N",
        help="blocks that run at once, default: as many as are quick to run. Blocks that may wait "
        "for each other run as on a GPU of the target",
    )
    parser.add_argument(
        "--shared",
        type=natural,
        default=0,
        metavar="BYTES",
        help="dynamic shared memory, default 0",
    )


def _add_dependent(parser: argparse.ArgumentParser) -> None:
    """Declares the second launch of a pair."""
    parser.add_argument(
        "--dependent",
        metavar="NAME",
        help="launch this kernel of the file, too, as one that may start before the first has "
        "ended (griddepcontrol)",
    )
    parser.add_argument(
        "--dependent-grid", metavar="X,Y,Z", help="its number of blocks, default: that of --grid"
    )
    parser.add_argument(
        "--dependent-block", metavar="X,Y,Z", help="its number of threads, default: .reqntid"
    )
    parser.add_argument(
        "--dependent-shared",
        type=natural,
        metavar="BYTES",
        help="its dynamic shared memory, default 0",
    )
    parser.add_argument(
        "--dependent-arg",
        action="append",
        metavar="ARG",
        help="one of its arguments, as after --arg, or the NAME of an array of the first kernel",
    )
    parser.add_argument(
        "--dependent-tensor-map",
        action="append",
        metavar="NAME=BOX[,SWIZZLE]",
        help="as --tensor-map, for an array of its arguments",
    )


def _add_schedule(parser: argparse.ArgumentParser) -> None:
    """Declares the order in which threads run, and the checks of the emulator."""
    parser.add_argument(
        "--warp-seed",
        type=natural,
        metavar="N",
        help="run every warp by itself, the next one drawn with this seed",
    )
    parser.add_argument(
        "--late", action="store_true", help="do asynchronous work as late as the kernel allows"
    )
    parser.add_argument(
        "--races", action="store_true", help="report accesses that conflict and nothing orders"
    )
    parser.add_argument(
        "--step-limit",
        type=int,
        default=DEFAULT_STEP_LIMIT,
        metavar="N",
        help="instructions that are not endless yet, default %(default)s",
    )
    parser.add_argument(
        "--timeout",
        type=float,
        metavar="SECONDS",
        help="after which a launch is an error, default: never",
    )


@contextmanager
def _errors_of(file: str, text: str) -> Generator[None]:
    """Turns an error of the emulator into one line, with its place in the PTX text."""
    try:
        yield
    except emulator.EmulatorError as error:
        position, message = file, error.message
        if error.line is not None:
            line = text.splitlines()[error.line - 1 : error.line] or [""]
            position += f":{error.line}:{len(line[0]) - len(line[0].lstrip()) + 1}"
        if error.instruction is not None:
            message += f" in '{error.instruction}'"
        if error.location is not None:
            message += f" ({error.location})"
        raise InputError(position, message) from error


def _tensor_map(
    option: str, request: str, arrays: Sequence[NamedArray]
) -> tuple[int, emulator.TensorMap]:
    """The position of the argument that `--tensor-map` names, and its map."""
    where = f"{option} {request}"
    found = _TENSOR_MAP.fullmatch(request)
    if found is None:
        raise InputError(where, "expected NAME=BOX[,SWIZZLE], such as a=64x64,128")
    array = next((array for array in arrays if array.name == found["name"]), None)
    if array is None:
        raise InputError(where, f"there is no array argument called '{found['name']}'")
    swizzle = int(found["swizzle"] or 0)
    if swizzle not in SWIZZLES:
        raise InputError(
            where, f"expected a swizzle in bytes, one of {', '.join(map(str, SWIZZLES))}"
        )
    box = tuple(int(extent) for extent in found["box"].split("x"))
    return array.position, emulator.TensorMap(array.values, box, swizzle)


Arguments = tuple[list[emulator.Argument], list[NamedArray]]
"""The arguments of a kernel, and the arrays among them."""


def _arguments(
    prefix: str,
    given: Sequence[str],
    maps: Sequence[str],
    random: np.random.Generator,
    earlier: Sequence[NamedArray] = (),
) -> Arguments:
    """The arguments of a launch, whose options begin with `prefix`.

    Arguments may name arrays of an `earlier` launch. Raises InputError for malformed text.
    """
    known = {array.name: array.values for array in earlier if array.name is not None}
    values: list[emulator.Argument] = []
    arrays: list[NamedArray] = []
    for position, text in enumerate(given):
        argument = (
            Argument(text, known[text])
            if text in known
            else parse_argument(text, random, f"{prefix}-arg")
        )
        if text not in known and argument.name in known:
            raise InputError(
                f"{prefix}-arg {text}",
                f"expected another name: the first kernel has an array called '{argument.name}'",
            )
        values.append(argument.value)
        if isinstance(argument.value, np.ndarray):
            arrays.append(NamedArray(argument.name, position, argument.value))
    for request in maps:
        position, values[position] = _tensor_map(f"{prefix}-tensor-map", request, arrays)
    return values, arrays


def _shape(text: str | None, option: str) -> tuple[int, int, int] | None:
    return None if text is None else parse_grid(text, option)


def _dependent(
    args: argparse.Namespace, random: np.random.Generator, earlier: Sequence[NamedArray]
) -> tuple[emulator.Launch, list[NamedArray]] | None:
    """The second launch of a pair and its arrays; None for a single launch."""
    options = ("grid", "block", "shared", "arg", "tensor_map")
    given = {option: getattr(args, f"dependent_{option}") for option in options}
    if args.dependent is None:
        alone = next((option for option, value in given.items() if value is not None), None)
        if alone is not None:
            option = f"--dependent-{alone.replace('_', '-')}"
            raise InputError(option, "expected --dependent NAME, too")
        return None
    values, arrays = _arguments(
        "--dependent", given["arg"] or (), given["tensor_map"] or (), random, earlier
    )
    launch = emulator.Launch(
        args.dependent,
        parse_grid(given["grid"] or args.grid, "--dependent-grid" if given["grid"] else "--grid"),
        values,
        _shape(given["block"], "--dependent-block"),
        dynamic_shared=given["shared"] or 0,
    )
    return launch, arrays


def _resident(module: emulator.Module, launches: Sequence[emulator.Launch]) -> int | None:
    """How many blocks a GPU runs at once; None if this matters for no launch."""
    counts = [
        blocks_at_once(
            module, launch.kernel, block=launch.block, dynamic_shared=launch.dynamic_shared
        )
        for launch in launches
    ]
    return min((count for count in counts if count is not None), default=None)


def _checked(args: argparse.Namespace) -> MachineOptions:
    """The options of the emulator. Raises InputError for a limit that is not positive."""
    if args.step_limit < 1:
        raise InputError(f"--step-limit {args.step_limit}", "expected a positive number")
    if args.timeout is not None and not args.timeout > 0:
        raise InputError(f"--timeout {args.timeout}", "expected a positive number")
    return {
        "step_limit": args.step_limit,
        "warp_seed": args.warp_seed,
        "late": args.late,
        "races": args.races,
    }


def run(args: argparse.Namespace) -> int:
    """Runs the kernel, or the pair, and shows and saves the arrays."""
    know_named(args)
    random = np.random.default_rng(args.seed)
    grid = parse_grid(args.grid)
    block, cluster = _shape(args.block, "--block"), _shape(args.cluster, "--cluster")
    options = _checked(args)
    text, file = read_utf8(args.file)
    values, arrays = _arguments("-", args.arg, args.tensor_map, random)
    pair = _dependent(args, random, arrays)
    further = [] if pair is None else pair[1]
    saved = [saved_array(request, [*arrays, *further]) for request in args.save]

    start, blocks = time.perf_counter(), math.prod(grid)
    if pair is not None:
        blocks += math.prod(pair[0].grid)
    with _errors_of(file, text), shown_progress(blocks, "blocks") as progress:
        module = emulator.load(text)
        name = module.kernel(args.kernel).name
        first = emulator.Launch(name, grid, values, block, cluster, args.shared)
        options["resident_blocks"] = args.resident_blocks
        if args.resident_blocks is None:
            launches = [first] if pair is None else [first, pair[0]]
            options["resident_blocks"] = _resident(module, launches)
        if args.timeout or progress:
            options["watch"] = emulator.Watch(args.timeout, progress)
        if pair is None:
            module.launch(
                name, grid, values, block=block, cluster=cluster, dynamic_shared=args.shared,
                **options,
            )  # fmt: skip
        else:
            module.launch_pair(first, pair[0], **options)
    seconds = time.perf_counter() - start

    second = None
    if pair is not None:
        x, y, z = pair[0].grid
        second = Launched(args.dependent, (x, y, z), seconds, "ptx", pair[1])
    resident = options["resident_blocks"]
    launched = Launched(
        name, grid, seconds, "ptx", arrays, resident_blocks=resident, dependent=second
    )
    report(launched, saved, args.json)
    return 0
