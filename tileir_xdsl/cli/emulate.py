"""`tileir emulate`: one launch of a kernel in PTX text, without a GPU."""

import argparse
import math
import re
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager

import numpy as np

from tileir_xdsl import emulator
from tileir_xdsl.cli.arguments import EXTENTS, natural, parse_argument, parse_grid
from tileir_xdsl.cli.results import (
    Launched,
    NamedArray,
    add_json_argument,
    add_save_argument,
    report,
    saved_array,
)
from tileir_xdsl.emulator.machine import DEFAULT_STEP_LIMIT
from tileir_xdsl.emulator.tensor_maps import SWIZZLES
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
    _add_launch_shape(parser)
    parser.add_argument(
        "--arg",
        action="append",
        default=[],
        metavar="ARG",
        help="one kernel argument, in order: a number, or [NAME:] and FILE.npy, zeros:TYPE:SHAPE "
        "or random:TYPE:SHAPE, such as out:zeros:f32:64x128",
    )
    parser.add_argument(
        "--tensor-map",
        action="append",
        default=[],
        metavar="NAME=BOX[,SWIZZLE]",
        help="pass the array NAME by a tensor map, with what a copy moves at once and the bytes of "
        "the swizzle, such as a=64x64,128",
    )
    parser.add_argument("--seed", type=natural, default=0, help="of random:..., default 0")
    _add_schedule(parser)
    add_save_argument(parser)
    add_json_argument(parser)


def _add_launch_shape(parser: argparse.ArgumentParser) -> None:
    """Declares what is launched, on how many blocks and threads."""
    parser.add_argument("--kernel", metavar="NAME", help="default: the only kernel in the file")
    parser.add_argument(
        "--grid", metavar="X,Y,Z", default="1", help="number of blocks, default %(default)s"
    )
    parser.add_argument("--block", metavar="X,Y,Z", help="number of threads, default: .reqntid")
    parser.add_argument(
        "--cluster", metavar="X,Y,Z", help="blocks of a cluster, default: .reqnctapercluster"
    )
    parser.add_argument(
        "--resident-blocks",
        type=int,
        metavar="N",
        help="blocks that run at once, default: as many as are quick to run, or as a GPU of the "
        "target runs where they may wait for each other",
    )
    parser.add_argument(
        "--shared",
        type=natural,
        default=0,
        metavar="BYTES",
        help="dynamic shared memory, default 0",
    )


def _add_schedule(parser: argparse.ArgumentParser) -> None:
    """Declares in which order threads run, and what is looked for meanwhile."""
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
    """Turns an error of the emulator into one line, with the place in the PTX text."""
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


def _tensor_map(request: str, arrays: Sequence[NamedArray]) -> tuple[int, emulator.TensorMap]:
    """The position of the argument that `--tensor-map` is about, and its map."""
    where = f"--tensor-map {request}"
    found = _TENSOR_MAP.fullmatch(request)
    if found is None:
        raise InputError(where, "expected NAME=BOX[,SWIZZLE], such as a=64x64,128")
    array = next((array for array in arrays if array.name == found["name"]), None)
    if array is None:
        raise InputError(where, f"there is no array argument called '{found['name']}'")
    swizzle = int(found["swizzle"] or 0)
    if swizzle not in SWIZZLES:
        raise InputError(where, f"a swizzle has {', '.join(map(str, SWIZZLES))} bytes")
    box = tuple(int(extent) for extent in found["box"].split("x"))
    return array.position, emulator.TensorMap(array.values, box, swizzle)


def run(args: argparse.Namespace) -> int:
    """Runs the kernel, and shows and saves the arrays."""
    random = np.random.default_rng(args.seed)
    grid = parse_grid(args.grid)
    block = None if args.block is None else parse_grid(args.block, "--block")
    cluster = None if args.cluster is None else parse_grid(args.cluster, "--cluster")
    if args.step_limit < 1:
        raise InputError(f"--step-limit {args.step_limit}", "expected a positive number")
    if args.timeout is not None and not args.timeout > 0:
        raise InputError(f"--timeout {args.timeout}", "expected a positive number")
    text, file = read_utf8(args.file)
    arguments = [parse_argument(text, random) for text in args.arg]
    arrays = [
        NamedArray(argument.name, position, argument.value)
        for position, argument in enumerate(arguments)
        if isinstance(argument.value, np.ndarray)
    ]
    values: list[emulator.Argument] = [argument.value for argument in arguments]
    for request in args.tensor_map:
        position, values[position] = _tensor_map(request, arrays)
    saved = [saved_array(request, arrays) for request in args.save]

    start = time.perf_counter()
    with _errors_of(file, text), shown_progress(math.prod(grid), "blocks") as progress:
        module = emulator.load(text)
        kernel = module.kernel(args.kernel)
        resident = args.resident_blocks
        if resident is None:
            resident = blocks_at_once(module, kernel.name, block=block, dynamic_shared=args.shared)
        module.launch(
            kernel.name,
            grid,
            values,
            block=block,
            cluster=cluster,
            dynamic_shared=args.shared,
            resident_blocks=resident,
            step_limit=args.step_limit,
            warp_seed=args.warp_seed,
            late=args.late,
            races=args.races,
            watch=emulator.Watch(args.timeout, progress) if args.timeout or progress else None,
        )
    seconds = time.perf_counter() - start

    launched = Launched(kernel.name, grid, seconds, "ptx", arrays, resident_blocks=resident)
    report(launched, saved, args.json)
    return 0
