"""`tileir tune`: compiles a kernel in several ways, and says which is best for a launch."""

import argparse
import json
import re

import numpy as np

from tileir_xdsl.cli.arguments import parse_argument, parse_grid
from tileir_xdsl.cli.output import write_output
from tileir_xdsl.cli.run import add_launch_arguments
from tileir_xdsl.cli.tune_table import as_data, best_of, is_measured, reason, table
from tileir_xdsl.runtime.devices import EMULATOR, GPU_DEVICE
from tileir_xdsl.runtime.driver import GPUError
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.executors import opened_executor
from tileir_xdsl.runtime.gpu import GPU
from tileir_xdsl.runtime.kernels import find_kernel
from tileir_xdsl.runtime.lowering import chosen_target
from tileir_xdsl.runtime.reader import new_context, read_file
from tileir_xdsl.runtime.tuning import (
    CTAS,
    STAGES,
    WARPS,
    check_assembler,
    tune,
    variants,
)

AUTOMATIC = "auto"


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in text.split(","))


def _listed(numbers: tuple[int, ...]) -> str:
    return ",".join(map(str, numbers))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `tileir tune`."""
    add_launch_arguments(parser, "1")
    parser.add_argument(
        "--warps", default=_listed(WARPS), help="of a thread block, to try, default %(default)s"
    )
    parser.add_argument(
        "--stages", default=_listed(STAGES), help="of pipelines, to try, default %(default)s"
    )
    parser.add_argument(
        "--ctas",
        default=_listed(CTAS),
        help="thread blocks that carry out a tile block, to try, default %(default)s",
    )
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
        help="what measures: a GPU if there is one, else the emulator, which counts instructions",
    )


def _positive(option: str, text: str) -> tuple[int, ...]:
    """The numbers of a list. Raises InputError."""
    if not re.fullmatch(r"[0-9]{1,9}(,[0-9]{1,9})*", text) or min(_numbers(text)) < 1:
        raise InputError(f"{option} {text}", "expected positive numbers, such as 2,4")
    return _numbers(text)


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
    """Prints the variants, best first; the exit status is 1 if none can be run."""
    warps, stages = _positive("--warps", args.warps), _positive("--stages", args.stages)
    ctas = _positive("--ctas", args.ctas)
    if args.jobs is not None and args.jobs < 1:
        raise InputError(f"--jobs {args.jobs}", "expected a positive number")
    if args.executor is None:
        check_assembler()
    random = np.random.default_rng(args.seed)
    module = read_file(new_context(), args.file)
    gpu = chosen_target(module, args.gpu, args.file)
    tried = variants(gpu, warps, stages, ctas)
    kernel = find_kernel(module, args.kernel, args.file)
    arguments = [parse_argument(text, random).value for text in args.arg]
    # More processes than variants would have nothing to do.
    jobs = None if args.jobs is None else min(args.jobs, len(tried))
    with opened_executor(args.executor, jobs) as executor:
        measured = tune(
            module,
            parse_grid(args.grid),
            arguments,
            kernel=kernel.name,
            gpu=gpu,
            tried=tried,
            executor=executor,
            device=_device(args.device),
            progress=True,
        )
    if args.json:
        print(json.dumps(as_data(measured)))
    else:
        print("\n".join([*table(measured), reason(measured)]))
    if not any(map(is_measured, measured)):
        return 1
    if args.output is not None:
        # Where nothing differs, the first is as good as any, and was asked for.
        best = best_of(measured) or next(filter(is_measured, measured))
        write_output(args.output, best.variant.to_json())
    return 0
