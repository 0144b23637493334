"""`tileir run`: one launch of a kernel on numpy arrays."""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tileir_xdsl.cli.arguments import parse_argument
from tileir_xdsl.runtime.arrays import Argument, Array, is_integer
from tileir_xdsl.runtime.diagnostics import InputError, errors_in
from tileir_xdsl.runtime.kernels import LaunchArgument, bind_arguments, find_kernel
from tileir_xdsl.runtime.launching import launch, parse_grid
from tileir_xdsl.runtime.lowering import DEFAULT_GPU, LEVELS, lower
from tileir_xdsl.runtime.reader import new_context, read_file


def add_launch_arguments(parser: argparse.ArgumentParser, grid: str) -> None:
    """Declares what `tileir run` and `tileir check` have in common."""
    parser.add_argument("file", metavar="FILE", help="IR text, or - for the standard input")
    parser.add_argument("--kernel", metavar="NAME", help="default: the only kernel in the file")
    parser.add_argument(
        "--grid", metavar="X,Y,Z", default=grid, help="number of tile blocks, default %(default)s"
    )
    parser.add_argument("--gpu", default=DEFAULT_GPU, help="target, default %(default)s")
    parser.add_argument(
        "--arg",
        action="append",
        default=[],
        metavar="ARG",
        help="one kernel argument, in order: a number, or [NAME:] and FILE.npy, zeros:TYPE:SHAPE "
        "or random:TYPE:SHAPE, such as out:zeros:f32:64x128",
    )
    parser.add_argument("--seed", type=int, default=0, help="of random values, default 0")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `tileir run`."""
    add_launch_arguments(parser, "1")
    parser.add_argument(
        "--level",
        choices=LEVELS,
        default="ptx",
        help="the stage to run the kernel at, default %(default)s",
    )
    parser.add_argument(
        "--save",
        metavar="[NAME=]FILE.npy",
        action="append",
        default=[],
        help="save the argument NAME afterwards; without NAME the one called as FILE, or else the "
        "last array",
    )


def _saved(
    request: str, arguments: Sequence[Argument], values: Sequence[LaunchArgument]
) -> tuple[Path, Array]:
    """The file and the array that `--save` asks for."""
    name, _, file = request.rpartition("=")
    arrays = [
        (argument.name, value)
        for argument, value in zip(arguments, values, strict=True)
        if isinstance(value, np.ndarray)
    ]
    named = {name: value for name, value in arrays if name is not None}
    if name and name not in named:
        raise InputError(f"--save {request}", f"there is no array argument called '{name}'")
    if not arrays:
        raise InputError(f"--save {request}", "there is no array argument")
    return Path(file), named.get(name or Path(file).stem, arrays[-1][1])


def _summary(name: str, value: Array) -> str:
    """The element type, the shape, and the first and last elements in row-major order."""
    shape = "x".join(map(str, value.shape))
    values = value.reshape(-1)
    edge = values if values.size <= 8 else np.concatenate([values[:3], values[-3:]])
    texts = [str(x) if is_integer(value.dtype) else f"{float(x):.6g}" for x in edge]
    if len(texts) < values.size:
        texts.insert(3, "...")
    return f"{name}: {value.dtype}[{shape}] = [{', '.join(texts)}]"


def run(args: argparse.Namespace) -> int:
    """Lowers the file to the level, runs the kernel, and shows and saves the arrays."""
    random = np.random.default_rng(args.seed)
    grid = parse_grid(args.grid)
    context = new_context()
    module = read_file(context, args.file)
    kernel = find_kernel(module, args.kernel, args.file)
    arguments = [parse_argument(text, random) for text in args.arg]
    values = bind_arguments(kernel, arguments)
    saved = [_saved(request, arguments, values) for request in args.save]
    program = lower(context, module, args.level, gpu=args.gpu, file=args.file)

    start = time.perf_counter()
    launch(program, kernel.name, grid, values, args.file)
    seconds = time.perf_counter() - start

    print(f"{kernel.name}: {grid[0]}x{grid[1]}x{grid[2]} blocks in {seconds:.3f} s ({args.level})")
    for index, (argument, value) in enumerate(zip(arguments, values, strict=True)):
        if isinstance(value, np.ndarray):
            print(_summary(argument.name or f"argument {index}", value))
    for file, value in saved:
        with errors_in(str(file)), file.open("wb") as stream:
            np.save(stream, value)
    return 0
