"""`tileir tune`: compiles variants of a kernel, and says which is best for a launch."""

import argparse
import json
import re
from collections.abc import Mapping, Sequence

import numpy as np

from tileir_xdsl.cli.arguments import parse_argument, parse_grid
from tileir_xdsl.cli.compile_options import add_with
from tileir_xdsl.cli.output import write_output
from tileir_xdsl.cli.run import add_launch_arguments
from tileir_xdsl.cli.tune_table import as_data, best_options, is_measured, result_lines
from tileir_xdsl.runtime import tuning
from tileir_xdsl.runtime.devices import EMULATOR, GPU_DEVICE
from tileir_xdsl.runtime.driver import GPUError
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.executors import opened_executor
from tileir_xdsl.runtime.files import read_bytes
from tileir_xdsl.runtime.gpu import GPU
from tileir_xdsl.runtime.lowering import chosen_target
from tileir_xdsl.runtime.reader import new_context, read_contents
from tileir_xdsl.targets import DEFAULT_TARGET

AUTOMATIC = "auto"

AXES: Mapping[str, tuple[Sequence[int | None], str]] = {
    "warps": (tuning.WARPS, "of a thread block"),
    "stages": (tuning.STAGES, "of pipelines"),
    "ctas": (tuning.CTAS, "thread blocks that execute a tile block"),
    "occupancy": (tuning.UNSET, "thread blocks that shall fit on a multiprocessor"),
}
"""The values tried for each option, and help; the keys are parameter names of `candidates`."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `tileir tune`."""
    add_launch_arguments(parser, "1")
    add_with(parser)
    for name, (values, what) in AXES.items():
        default = "left to the compiler" if values == tuning.UNSET else ",".join(map(str, values))
        parser.add_argument(f"--{name}", metavar="N,N", help=f"{what}, to try, default: {default}")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="write the options of the best, which compile, run and check take by --options",
    )
    parser.add_argument(
        "--jobs",
        type=int,
        metavar="N",
        help="processes that compile and emulate, default: all processors",
    )
    parser.add_argument(
        "--executor",
        metavar="dask:ADDRESS",
        help="what compiles and emulates instead of processes: the workers of a dask scheduler",
    )
    parser.add_argument("--json", action="store_true", help="print a JSON object")
    parser.add_argument(
        "--device",
        choices=(AUTOMATIC, EMULATOR, GPU_DEVICE),
        default=AUTOMATIC,
        help="what measures: a GPU if there is one, else a model of what the emulator counts",
    )


def _positive(option: str, text: str | None) -> tuple[int, ...] | None:
    """The numbers of a comma-separated list; None without a text. Raises InputError."""
    if text is None:
        return None
    if not re.fullmatch(r"[0-9]{1,9}(,[0-9]{1,9})*", text):
        raise InputError(
            f"{option} {text}",
            "expected positive whole numbers of at most nine digits, such as 2,4",
        )
    numbers = tuple(map(int, text.split(",")))
    if min(numbers) < 1:
        raise InputError(
            f"{option} {text}",
            "expected positive whole numbers of at most nine digits, such as 2,4",
        )
    return numbers


def _device(choice: str) -> GPU | None:
    """The GPU to measure on; None for the emulator."""
    if choice == EMULATOR:
        return None
    try:
        return GPU.open()
    except GPUError as error:
        if choice == GPU_DEVICE:
            raise InputError("--device gpu", error) from error
        return None


def run(args: argparse.Namespace) -> int:
    """Prints the variants, best first; returns exit status 1 if no variant can be run."""
    given = {name: _positive(f"--{name}", getattr(args, name)) for name in AXES}
    if args.jobs is not None and args.jobs < 1:
        raise InputError(f"--jobs {args.jobs}", "expected a positive number")
    if args.executor is None:
        tuning.check_assembler()
    gpu, configurations, is_search = _configurations(args)
    configurations = tuning.with_extensions(configurations, args.extensions or ())
    tried = tuning.candidates(configurations, gpu, **given, is_search=is_search)
    # More processes than variants would have nothing to do.
    jobs = None if args.jobs is None else min(args.jobs, len(tried))
    device = _device(args.device)
    with opened_executor(args.executor, jobs) as executor:
        measured = tuning.search(tried, gpu=gpu, executor=executor, device=device, progress=True)
    if args.json:
        print(json.dumps(as_data(measured)))
    else:
        print("\n".join(result_lines(measured)))
    if not any(map(is_measured, measured)):
        return 1
    if args.output is not None:
        write_output(args.output, best_options(measured))
    return 0


def _configurations(args: argparse.Namespace) -> tuple[str, Sequence[tuning.Configuration], bool]:
    """The target, the configurations to try, and whether they come from a Python file's search."""
    found: Sequence[tuning.Configuration] | None = getattr(args, "configurations", None)
    if found is not None:
        return args.gpu or DEFAULT_TARGET, found, True
    random = np.random.default_rng(args.seed)
    contents, file = read_bytes(args.file)
    gpu = chosen_target(
        read_contents(new_context(args.extensions or ()), contents, file), args.gpu, file
    )
    arguments = [parse_argument(text, random).value for text in args.arg]
    grid = parse_grid(args.grid)
    return gpu, [tuning.configuration(contents, file, grid, arguments, kernel=args.kernel)], False
