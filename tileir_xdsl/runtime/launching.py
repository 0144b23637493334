"""Runs a kernel at any level on numpy: PTX in the emulator, IR in the interpreters."""

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TextIO, TypeAlias

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr
from xdsl.ir import Operation

from tileir_xdsl import emulator, interpreters
from tileir_xdsl.dialects.launch_attributes import DYNAMIC_SHARED_ATTRIBUTE
from tileir_xdsl.dialects.nv_tileas.tensor_maps import tensor_map_recipes
from tileir_xdsl.emulator.launch import DEFAULT_STEP_LIMIT
from tileir_xdsl.interpreters.execution import LaunchListener
from tileir_xdsl.interpreters.grid import check_grid
from tileir_xdsl.interpreters.launch import DEFAULT_ITERATION_LIMIT
from tileir_xdsl.interpreters.memory_order import MemoryOrder, RandomOrder
from tileir_xdsl.interpreters.races import Race, RaceDetector
from tileir_xdsl.runtime.arrays import Argument, as_argument
from tileir_xdsl.runtime.binding import LaunchArgument, bind_arguments
from tileir_xdsl.runtime.diagnostics import InputError, errors_in
from tileir_xdsl.runtime.kernels import find_kernel
from tileir_xdsl.runtime.lowering import DEFAULT_GPU, LEVELS, Program, lower
from tileir_xdsl.runtime.reader import new_context, read_bytecode, read_file
from tileir_xdsl.runtime.tensor_maps import TensorMapError, tensor_map
from tileir_xdsl.runtime.tracing import Trace

Grid = tuple[int, int, int]

Source: TypeAlias = str | os.PathLike[str] | bytes | ModuleOp
"""Where a kernel comes from, see `load`."""


@dataclass(frozen=True)
class LaunchOptions:
    """How a kernel is run; all but `step_limit` are for levels that the interpreter runs.

    `step_limit` bounds the loop iterations of a tile block, or the instructions of a launch of
    PTX. With `block_seed` the tile blocks run in a random order.
    """

    memory_order: MemoryOrder | None = None
    block_seed: int | None = None
    strict: bool = False
    step_limit: int | None = None
    listeners: tuple[LaunchListener, ...] = ()
    output: TextIO | None = None


def launch(
    program: Program,
    kernel: str,
    grid: Grid,
    arguments: Sequence[LaunchArgument],
    file: str,
    options: LaunchOptions = LaunchOptions(),
) -> None:
    """Runs the kernel on every block of the grid; arrays are changed in place.

    Raises InputError for a fault of the kernel or of its arguments.
    """
    with errors_in(file, emulator.EmulatorError, interpreters.InterpreterError, TensorMapError):
        check_grid(grid, interpreters.InterpreterError)
        if program.ptx is not None:
            limit = options.step_limit or DEFAULT_STEP_LIMIT
            emulator.load(program.ptx).launch(
                kernel,
                grid,
                with_tensor_maps(program.module, kernel, arguments),
                dynamic_shared=dynamic_shared_memory(program.module, kernel),
                step_limit=limit,
                output=options.output,
            )
            return
        seed = options.block_seed
        order = None if seed is None else _shuffled(math.prod(grid), seed)
        interpreters.launch(
            program.module,
            kernel,
            grid,
            arguments,
            order=order,
            output=options.output,
            iteration_limit=options.step_limit or DEFAULT_ITERATION_LIMIT,
            memory_order=options.memory_order,
            strict=options.strict,
            listeners=options.listeners,
        )


def with_tensor_maps(
    module: ModuleOp, kernel: str, arguments: Sequence[LaunchArgument | int | float]
) -> list[emulator.Argument]:
    """The arguments of a compiled kernel: those given, and the tensor maps made from them.

    Raises TensorMapError where they describe no object that can be mapped.
    """
    function = _compiled_kernel(module, kernel)
    recipes = () if function is None else tensor_map_recipes(function)
    return [*arguments, *(tensor_map(recipe, arguments) for recipe in recipes)]


def _compiled_kernel(module: ModuleOp, kernel: str) -> Operation | None:
    name = StringAttr(kernel)
    return next((op for op in module.body.block.ops if op.properties.get("sym_name") == name), None)


def dynamic_shared_memory(module: ModuleOp, kernel: str) -> int:
    """The bytes of shared memory that a launch of a compiled kernel must ask for."""
    function = _compiled_kernel(module, kernel)
    size = None if function is None else function.attributes.get(DYNAMIC_SHARED_ATTRIBUTE)
    return size.value.data if isinstance(size, IntegerAttr) else 0


def _shuffled(count: int, seed: int) -> list[int]:
    return np.random.default_rng(seed).permutation(count).tolist()


def load(source: Source) -> ModuleOp:
    """The module in a file of Tile IR text or bytecode, in bytes of bytecode, or itself.

    Raises InputError for anything that is wrong with it.
    """
    match source:
        case ModuleOp():
            return source
        case bytes():
            return read_bytecode(source, "<bytecode>")
        case _:
            return read_file(new_context(), os.fspath(source))


def _as_grid(grid: Sequence[int]) -> Grid:
    if not 1 <= len(grid) <= 3:
        raise InputError("grid", f"expected one to three extents, got {tuple(grid)}")
    x, y, z = (*grid, 1, 1)[:3]
    return x, y, z


def check_options(level: str, options: LaunchOptions) -> None:
    """Raises InputError for options that a level has not."""
    if level not in LEVELS:
        raise InputError(f"level {level}", f"expected {', '.join(LEVELS)}")
    if options.strict and level != "cuda_tile":
        raise InputError(f"level {level}", "only cuda_tile has a strict mode")
    if level == "ptx" and (options.memory_order is not None or options.listeners):
        raise InputError(
            f"level {level}",
            "an order of memory operations, races, traces and stops need a "
            "level that the interpreter runs, such as cuda_tile",
        )


def run(
    source: Source,
    grid: Sequence[int],
    arguments: Sequence[object],
    *,
    kernel: str | None = None,
    level: str = "cuda_tile",
    gpu: str = DEFAULT_GPU,
    random_order: int | None = None,
    strict: bool = False,
    step_limit: int | None = None,
    trace: TextIO | None = None,
    output: TextIO | None = None,
) -> None:
    """Runs a kernel of `source` (see `load`) on numpy, without a GPU.

    `grid` counts tile blocks, with one to three extents. `arguments` are numbers and arrays, of
    numpy or with DLPack; the kernel works on the memory of the arrays. An array that is not
    followed by its sizes and strides stands for them, too. `kernel` may be left out where there is
    only one. `level` is a key of `runtime.lowering.LEVELS`.

    With `random_order`, the seed of it, memory operations and tile blocks run in a random order
    that the tokens allow. `strict` makes undefined behaviour an error. `step_limit` bounds the loop
    iterations of a tile block (PTX: the instructions). What every op gives is written to `trace`,
    what the kernel prints to `output`, by default the standard output.

    Raises InputError, one line, for whatever is wrong with the kernel or its launch.
    """
    options = LaunchOptions(
        None if random_order is None else RandomOrder(random_order),
        random_order,
        strict,
        step_limit,
        output=output,
    )
    check_options(level, options)
    prepared = _prepare(source, grid, arguments, kernel, level, gpu)
    if trace is not None:
        options = replace(options, listeners=(Trace(prepared.program.module, trace),))
        check_options(level, options)
    prepared.launch(options)


def find_races(
    source: Source,
    grid: Sequence[int],
    arguments: Sequence[object],
    *,
    kernel: str | None = None,
    level: str = "cuda_tile",
    gpu: str = DEFAULT_GPU,
) -> list[Race]:
    """Runs a kernel as `run` does, and returns the accesses that conflict and nothing orders."""
    detector = RaceDetector()
    options = LaunchOptions(detector)
    check_options(level, options)
    _prepare(source, grid, arguments, kernel, level, gpu).launch(options)
    return detector.races


@dataclass(frozen=True)
class _Launch:
    """A lowered kernel and all it is launched with."""

    program: Program
    kernel: str
    grid: Grid
    arguments: Sequence[LaunchArgument]
    file: str

    def launch(self, options: LaunchOptions) -> None:
        launch(self.program, self.kernel, self.grid, self.arguments, self.file, options)


def _prepare(
    source: Source,
    grid: Sequence[int],
    arguments: Sequence[object],
    kernel: str | None,
    level: str,
    gpu: str,
) -> _Launch:
    module = load(source)
    file = "<module>" if isinstance(source, ModuleOp | bytes) else os.fspath(source)
    extents = _as_grid(grid)
    found = find_kernel(module, kernel, file)
    given = [
        Argument(None, as_argument(value, f"argument {position}"))
        for position, value in enumerate(arguments)
    ]
    bound = bind_arguments(found, given)
    # Passes change the module that they are given.
    program = lower(new_context(), module.clone(), level, gpu=gpu, file=file)
    return _Launch(program, found.name, extents, bound, file)
