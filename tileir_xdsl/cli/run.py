"""`tileir run`: launches a kernel once on numpy arrays."""

import argparse
import math
import sys
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tileir_xdsl.cli.arguments import add_launch, parse_argument, parse_grid
from tileir_xdsl.cli.compile_options import add_options, add_verify_each, options_of
from tileir_xdsl.cli.results import (
    Launched,
    NamedArray,
    add_json_argument,
    add_save_argument,
    report,
    saved_array,
)
from tileir_xdsl.interpreters.listeners import LaunchListener
from tileir_xdsl.interpreters.memory_order import MemoryOrder, RandomOrder
from tileir_xdsl.interpreters.races import RaceDetector
from tileir_xdsl.runtime.arrays import Argument
from tileir_xdsl.runtime.binding import LaunchArgument, argument_names, bind_arguments
from tileir_xdsl.runtime.cpu.compiling import NotCovered
from tileir_xdsl.runtime.cpu.launching import launchable, packed
from tileir_xdsl.runtime.cpu.programs import loaded_kernel
from tileir_xdsl.runtime.debugger import Debugger, Stopped
from tileir_xdsl.runtime.devices import DEVICES, EMULATOR
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.gpu import DEFAULT_TIMEOUT
from tileir_xdsl.runtime.kernels import find_kernel
from tileir_xdsl.runtime.launching import (
    LaunchOptions,
    LoweredLaunch,
    check_options,
    traced,
    watched,
)
from tileir_xdsl.runtime.lowering import (
    RUNNABLE,
    RUNS_AS,
    Lowered,
    chosen_target,
    enter_road,
    lower,
)
from tileir_xdsl.runtime.memory_views import arrays_in
from tileir_xdsl.runtime.outputs import PTX
from tileir_xdsl.runtime.program import program_of
from tileir_xdsl.runtime.reader import new_context, read_file
from tileir_xdsl.runtime.running import CPU_LEVEL
from tileir_xdsl.targets import DEFAULT_TARGET as DEFAULT_GPU
from tileir_xdsl.targets.cpu import is_cpu

DEFAULT_LEVEL = "ptx"
INTERPRETED_LEVEL = "cuda_tile"
"""The default level for features that only an interpreter has."""


def add_launch_arguments(parser: argparse.ArgumentParser, grid: str) -> None:
    """Declares the common arguments of commands that run one kernel."""
    parser.add_argument("file", metavar="FILE", help="IR text or Tile IR bytecode, - for stdin")
    add_kernel_arguments(parser, grid)


def add_kernel_arguments(parser: argparse.ArgumentParser, grid: str) -> None:
    """Declares the options that launch a kernel of a file."""
    add_launch(parser.add_argument, grid)
    parser.add_argument(
        "--gpu", help=f"target, default: the one that the program names, else {DEFAULT_GPU}"
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `tileir run`."""
    add_launch_arguments(parser, "1")
    add_options(parser)
    add_verify_each(parser)
    parser.add_argument(
        "--level",
        choices=(*RUNNABLE, *RUNS_AS),
        help=f"the stage to run the kernel at, default {DEFAULT_LEVEL}; {INTERPRETED_LEVEL} with "
        "any of the next five options",
    )
    parser.add_argument(
        "--order",
        choices=("program", "random"),
        default="program",
        help="random: memory operations and tile blocks in any order that the tokens allow",
    )
    parser.add_argument(
        "--races", action="store_true", help="report accesses that conflict and nothing orders"
    )
    parser.add_argument("--trace", action="store_true", help="print the value of every op")
    parser.add_argument(
        "--break",
        dest="breakpoints",
        action="append",
        default=[],
        type=int,
        metavar="LINE",
        help="stop before this source line and take commands, such as help",
    )
    parser.add_argument(
        "--strict", action="store_true", help="undefined behaviour of the kernel is an error"
    )
    parser.add_argument(
        "--step-limit",
        type=int,
        metavar="N",
        help="loop iterations of a tile block, or instructions of PTX, that are not endless yet",
    )
    parser.add_argument(
        "--device",
        choices=DEVICES,
        default=EMULATOR,
        help="what runs PTX, default %(default)s; gpu needs the package cuda-bindings",
    )
    parser.add_argument(
        "--timeout",
        type=float,
        metavar="SECONDS",
        help=f"after which a launch is an error, default: never, but {DEFAULT_TIMEOUT:g} on a GPU",
    )
    parser.add_argument(
        "--resident-blocks",
        type=int,
        metavar="N",
        help="blocks of PTX that the emulator runs at once, default: as many as are quick to run. "
        "Blocks that may wait for each other run as on a GPU",
    )
    add_save_argument(parser)
    add_json_argument(parser)


def _named_arrays(
    arguments: Sequence[Argument], bound: Sequence[LaunchArgument]
) -> list[NamedArray]:
    """The arrays among `arguments` as they were bound; `bound` may also have sizes and strides."""
    arrays = iter(arrays_in(bound))
    named: list[NamedArray] = []
    for position, argument in enumerate(arguments):
        if isinstance(argument.value, tuple):
            name = argument.name or str(position)
            members = range(len(argument.value))
            named += [NamedArray(f"{name}[{n}]", position, next(arrays)) for n in members]
        elif isinstance(argument.value, np.ndarray):
            named.append(NamedArray(argument.name, position, next(arrays)))
    return named


def _level(args: argparse.Namespace) -> str:
    interpreted = args.races or args.trace or args.breakpoints or args.strict
    if args.level is None:
        return INTERPRETED_LEVEL if interpreted or args.order == "random" else DEFAULT_LEVEL
    level: str = args.level
    return RUNS_AS.get(level, level)


def _memory_order(args: argparse.Namespace, level: str) -> MemoryOrder | None:
    if args.races:
        if level == PTX:
            return None
        if args.order == "random":
            raise InputError(
                "--races", "races are detected only in program order, not with --order random"
            )
        return RaceDetector()
    return RandomOrder(args.seed) if args.order == "random" else None


def _options(args: argparse.Namespace, level: str) -> LaunchOptions:
    """All options but the listeners, for which the module is needed."""
    if args.step_limit is not None and args.step_limit < 1:
        raise InputError(f"--step-limit {args.step_limit}", "expected a positive number")
    if args.timeout is not None and not args.timeout > 0:
        raise InputError(f"--timeout {args.timeout}", "expected a positive number")
    if args.breakpoints and args.file == "-":
        raise InputError(
            "--break", "the standard input holds the kernel, not commands of the debugger"
        )
    return LaunchOptions(
        _memory_order(args, level),
        args.seed if args.order == "random" else None,
        args.strict,
        args.step_limit,
        # Also that there will be listeners, for the check of the level.
        (LaunchListener(),) if args.breakpoints else (),
        device=args.device,
        time_limit=args.timeout,
        races=args.races and level == PTX,
        resident_blocks=args.resident_blocks,
    )


def _observed(
    args: argparse.Namespace, program: Lowered, level: str, options: LaunchOptions
) -> LaunchOptions:
    """The options with a trace, and with a debugger in place of its placeholder listener."""
    stops = (
        (Debugger(program.module, args.breakpoints, sys.stdin, sys.stdout),)
        if args.breakpoints
        else ()
    )
    options = replace(options, listeners=stops)
    return traced(options, sys.stdout if args.trace else None, program, level)


def run(args: argparse.Namespace) -> int:
    """Lowers the file to the level, runs the kernel, and prints and saves the arrays.

    The exit status is 1 if there are races, or if the user ended the launch.
    """
    if is_cpu(args.gpu):
        return _run_on_cpu(args)
    level = _level(args)
    options = _options(args, level)
    check_options(level, options)
    random = np.random.default_rng(args.seed)
    grid = parse_grid(args.grid)
    context = new_context(options_of(args).extensions)
    module = read_file(context, args.file)
    gpu = chosen_target(module, args.gpu, args.file)
    enter_road(context, module, args.file, gpu, options_of(args))
    kernel = find_kernel(module, args.kernel, args.file)
    arguments = [parse_argument(text, random) for text in args.arg]
    values = bind_arguments(kernel, arguments)
    arrays = _named_arrays(arguments, values)
    saved = [saved_array(request, arrays) for request in args.save]
    program = lower(
        context,
        module,
        level,
        gpu=gpu,
        file=args.file,
        options=options_of(args),
        verify_each=args.verify_each,
    )

    start = time.perf_counter()
    resident: list[int] = []
    options = _observed(args, program, level, options)
    names = argument_names(kernel, arguments)
    options = replace(options, told_resident=resident.append, names=names)
    with watched(options, math.prod(grid), progress=True) as options:
        try:
            race = LoweredLaunch(program, kernel.name, grid, values, args.file).run(options)
        except Stopped:
            print(f"{kernel.name}: stopped")
            return 1
    seconds = time.perf_counter() - start

    races = _races(options.memory_order) if race is None else [race]
    at_once = next(iter(resident), None)
    report(Launched(kernel.name, grid, seconds, level, arrays, races, at_once), saved, args.json)
    return 1 if races else 0


_INTERPRETER_ONLY = {
    "level": "--level",
    "races": "--races",
    "trace": "--trace",
    "breakpoints": "--break",
    "strict": "--strict",
    "step_limit": "--step-limit",
    "resident_blocks": "--resident-blocks",
}
"""Options that are not available for code for a processor."""


def _run_on_cpu(args: argparse.Namespace) -> int:
    """Compiles the file for a processor, and runs the kernel on it.

    The interpreter runs a kernel that cannot be compiled, and one line explains why.
    """
    for name, option in _INTERPRETER_ONLY.items():
        if getattr(args, name):
            raise InputError(
                option, f"this option needs the interpreter: leave out --gpu {args.gpu}"
            )
    if args.order == "random" or args.device != EMULATOR:
        raise InputError(
            f"--gpu {args.gpu}",
            "the kernel runs on this processor in program order: leave out --device and --order",
        )
    random = np.random.default_rng(args.seed)
    grid = parse_grid(args.grid)
    options = options_of(args)
    module = read_file(new_context(options.extensions), args.file)
    program = program_of(module, args.file, None, options)
    kernel = program.kernel(args.kernel)
    arguments = [parse_argument(text, random) for text in args.arg]
    values = bind_arguments(kernel, arguments)
    arrays = _named_arrays(arguments, values)
    saved = [saved_array(request, arrays) for request in args.save]
    contents = str(program.module).encode()
    given = packed(values)
    loaded = launchable(loaded_kernel(program, contents, args.gpu, args.kernel), given)
    if isinstance(loaded, NotCovered):
        print(f"{loaded.location}: remark: {loaded.error.message}", file=sys.stderr)
        args.gpu, args.level = None, INTERPRETED_LEVEL
        return run(args)
    start = time.perf_counter()
    loaded.launch(grid, given, args.timeout)
    seconds = time.perf_counter() - start
    report(Launched(kernel.name, grid, seconds, CPU_LEVEL, arrays, [], None), saved, args.json)
    return 0


def _races(order: MemoryOrder | None) -> list[str]:
    """The races that the detector has found."""
    if not isinstance(order, RaceDetector):
        return []
    return [f"race: {race}" for race in order.races]
