"""Runs a kernel at any level on numpy: PTX in the emulator, IR in the interpreters."""

import math
import os
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from typing import TextIO, TypeAlias

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, ModuleOp, StringAttr
from xdsl.ir import Operation

from tileir_xdsl import emulator, interpreters
from tileir_xdsl.dialects.launch_attributes import DYNAMIC_SHARED_ATTRIBUTE
from tileir_xdsl.dialects.nv_tileas.tensor_maps import TensorMapRecipe, tensor_map_recipes
from tileir_xdsl.dialects.target_attributes import abi_of
from tileir_xdsl.dialects.target_attributes import target_around as module_target
from tileir_xdsl.emulator.machine import DEFAULT_STEP_LIMIT
from tileir_xdsl.interpreters.grid import check_grid
from tileir_xdsl.interpreters.launch import DEFAULT_ITERATION_LIMIT
from tileir_xdsl.interpreters.listeners import LaunchListener
from tileir_xdsl.interpreters.memory_order import MemoryOrder, RandomOrder
from tileir_xdsl.interpreters.on_chip import OnChipRace
from tileir_xdsl.interpreters.races import Race, RaceDetector
from tileir_xdsl.interpreters.undefined_notes import UndefinedNotes
from tileir_xdsl.runtime.arrays import Argument, as_argument
from tileir_xdsl.runtime.binding import LaunchArgument, bind_arguments
from tileir_xdsl.runtime.devices import DEVICES, EMULATOR, GPU_DEVICE
from tileir_xdsl.runtime.diagnostics import errors_in
from tileir_xdsl.runtime.driver import GPUError
from tileir_xdsl.runtime.errors import (
    ArgumentError,
    CodeError,
    DeadlockError,
    InputError,
    MemoryFaultError,
    RaceError,
    UndefinedError,
)
from tileir_xdsl.runtime.gpu import DEFAULT_TIMEOUT, GPU, GPUKernel
from tileir_xdsl.runtime.gpu_launching import launch_on_arrays
from tileir_xdsl.runtime.kernels import find_kernel
from tileir_xdsl.runtime.lowering import RUNNABLE, Lowered, lower
from tileir_xdsl.runtime.memory_views import copies
from tileir_xdsl.runtime.ptx_sources import with_sources
from tileir_xdsl.runtime.ptxas import AssemblyError, ToolNotFoundError, assemble
from tileir_xdsl.runtime.reader import new_context, read_bytecode, read_file
from tileir_xdsl.runtime.residency import blocks_at_once
from tileir_xdsl.runtime.tensor_maps import TensorMapError, tensor_map
from tileir_xdsl.runtime.tracing import Progress, Trace, shown_progress
from tileir_xdsl.runtime.undetermined import Repeated, Undetermined
from tileir_xdsl.targets import ABI
from tileir_xdsl.targets import DEFAULT_TARGET as DEFAULT_GPU
from tileir_xdsl.targets.symbols import ptx_name
from tileir_xdsl.walking import clone_of

Grid = tuple[int, int, int]

Source: TypeAlias = str | os.PathLike[str] | bytes | ModuleOp
"""The source of a kernel, see `load`."""


LAUNCH_ERRORS = (
    emulator.EmulatorError,
    interpreters.InterpreterError,
    AssemblyError,
    GPUError,
    TensorMapError,
    ToolNotFoundError,
)
"""Exceptions that report a fault of a kernel or of its launch."""

_CAUSES: Mapping[type[Exception], type[InputError]] = {
    emulator.ArgumentFault: ArgumentError,
    emulator.DeadlockFault: DeadlockError,
    emulator.MemoryFault: MemoryFaultError,
    emulator.RaceFault: RaceError,
    interpreters.ArgumentFault: ArgumentError,
    interpreters.DeadlockFault: DeadlockError,
    interpreters.MemoryFault: MemoryFaultError,
    interpreters.UndefinedFault: UndefinedError,
    AssemblyError: CodeError,
    TensorMapError: ArgumentError,
}
"""The subclass of InputError for each exception with a specific cause."""


def launch_errors_in(file: str) -> AbstractContextManager[None]:
    """Converts faults of a kernel and of its launch to InputError or its subclass for the cause."""
    return errors_in(file, *LAUNCH_ERRORS, causes=_CAUSES)


@dataclass(frozen=True)
class LaunchOptions:
    """The options of a run of a kernel.

    `step_limit` bounds the loop iterations of a tile block, or the instructions of a launch of PTX.
    `time_limit` bounds the seconds of a launch, by default `DEFAULT_TIMEOUT` on a GPU. `progress`
    is called repeatedly with the number of finished tile blocks. Memory orders, random orders of
    blocks, strictness and listeners are for levels that the interpreter runs. For PTX there are
    `races`, which stops at the first race, `trace`, and `device`, one of `DEVICES`. The emulator
    runs `resident_blocks` at once, by default as many as a GPU if blocks may wait for each other.
    `told_resident` is called with the number of resident blocks.
    """

    memory_order: MemoryOrder | None = None
    block_seed: int | None = None
    strict: bool = False
    step_limit: int | None = None
    listeners: tuple[LaunchListener, ...] = ()
    output: TextIO | None = None
    device: str = EMULATOR
    time_limit: float | None = None
    progress: Callable[[int], None] | None = None
    races: bool = False
    trace: TextIO | None = None
    resident_blocks: int | None = None
    told_resident: Callable[[int], object] | None = None
    names: tuple[str | None, ...] = ()
    """The names of the arguments in the source, for messages."""
    undefined: UndefinedNotes | None = None
    """Notes accesses at level `cuda_tile` that leave values undefined."""


@dataclass(frozen=True)
class LoweredLaunch:
    """A lowered kernel, with its grid and arguments."""

    program: Lowered
    kernel: str
    grid: Grid
    arguments: Sequence[LaunchArgument]
    file: str

    def run(self, options: LaunchOptions = LaunchOptions()) -> str | None:
        """Runs the kernel on every block of the grid; arrays are changed in place.

        With `options.races`, a launch of PTX stops at the first race, and the emulator's message is
        returned. Raises InputError for any other fault of the kernel or of its arguments.
        """
        with launch_errors_in(self.file):
            check_grid(self.grid, interpreters.InterpreterError)
            if self.program.ptx is None:
                self._interpret(options)
            elif options.device == GPU_DEVICE:
                self._run_on_gpu(options)
            else:
                try:
                    self._emulate(self.program.ptx, options)
                except emulator.RaceFault as error:
                    return str(error)
        return None

    def undetermined(self, options: LaunchOptions) -> list[Undetermined]:
        """The loads of a launch whose undetermined elements matter.

        The arguments have their values from before the launch; `options` has the notes of the
        launch. If a load may have left elements undetermined, the launch is repeated. Raises
        InputError if the repetition fails.
        """
        if options.undefined is None or not options.undefined.loads:
            return []
        limit = options.step_limit or DEFAULT_ITERATION_LIMIT
        with launch_errors_in(self.file):
            repeated = Repeated(
                self.program.module,
                self.kernel,
                self.grid,
                self.arguments,
                limit,
                options.time_limit,
            )
            return repeated.undetermined()

    def _interpret(self, options: LaunchOptions) -> None:
        seed, order = options.block_seed, None
        if seed is not None:
            order = np.random.default_rng(seed).permutation(math.prod(self.grid)).tolist()
        notes = options.undefined or (UndefinedNotes() if options.strict else None)
        before = replace(self, arguments=copies(self.arguments)) if options.strict else self
        interpreters.launch(
            self.program.module,
            self.kernel,
            self.grid,
            self.arguments,
            order=order,
            output=options.output,
            iteration_limit=options.step_limit or DEFAULT_ITERATION_LIMIT,
            memory_order=options.memory_order,
            strict=options.strict,
            listeners=options.listeners,
            time_limit=options.time_limit,
            progress=options.progress,
            names=options.names,
            undefined=notes,
        )
        if options.strict:
            loads = before.undetermined(replace(options, undefined=notes))
            if found := [load.as_error(self.file) for load in loads]:
                first, *others = found
                raise UndefinedError(first.location, first.message, [*map(str, others)])

    def _emulate(self, ptx: str, options: LaunchOptions) -> None:
        source = self.program.module
        watched = options.time_limit is not None or options.progress or options.trace
        module, shared = emulator.load(ptx), dynamic_shared_memory(source, self.kernel)
        at_once = blocks_at_once(module, ptx_name(self.kernel), dynamic_shared=shared)
        resident = at_once if options.resident_blocks is None else options.resident_blocks
        if options.told_resident is not None and resident is not None:
            options.told_resident(resident)
        try:
            module.launch(
                ptx_name(self.kernel),
                self.grid,
                with_tensor_maps(source, self.kernel, self.arguments),
                dynamic_shared=shared,
                resident_blocks=resident,
                step_limit=options.step_limit or DEFAULT_STEP_LIMIT,
                output=options.output,
                races=options.races,
                self_contained=abi_of(source) is ABI.TILE,
                names=options.names,
                watch=emulator.Watch(options.time_limit, options.progress, options.trace)
                if watched
                else None,
            )
        except emulator.EmulatorError as error:
            raise with_sources(error, source, self.kernel, ptx) from error

    def _run_on_gpu(self, options: LaunchOptions) -> None:
        module = self.program.module
        loaded = load_on_gpu(self.program, self.kernel, GPU.open())
        values = [*self.arguments, *tensor_maps(module, self.kernel, self.arguments)]
        timeout = DEFAULT_TIMEOUT if options.time_limit is None else options.time_limit
        launch_on_arrays(loaded, self.grid, block_shape(module, self.kernel), values, timeout)


def load_on_gpu(program: Lowered, kernel: str, gpu: GPU) -> GPUKernel:
    """Assembles a compiled program for its target, and loads one of its kernels.

    Raises GPUError or AssemblyError.
    """
    assert program.ptx is not None
    function = _compiled_kernel(program.module, kernel)
    target = None if function is None else module_target(function)
    assembled = assemble(program.ptx, DEFAULT_GPU if target is None else target.name)
    shared = dynamic_shared_memory(program.module, kernel)
    return gpu.load(assembled.cubin, kernel, shared)


def block_shape(module: ModuleOp, kernel: str) -> Grid:
    """The threads of a block of a compiled kernel."""
    function = _compiled_kernel(module, kernel)
    shape = None if function is None else function.attributes.get("nvvm.reqntid")
    assert isinstance(shape, DenseArrayBase)
    x, y, z = (int(extent) for extent in shape.iter_values())
    return x, y, z


def with_tensor_maps(
    module: ModuleOp, kernel: str, arguments: Sequence[LaunchArgument | int | float]
) -> list[emulator.Argument]:
    """The arguments of a compiled kernel: the given arguments, and the tensor maps made from them.

    Raises TensorMapError if the arguments describe an object that cannot be mapped.
    """
    return [*arguments, *tensor_maps(module, kernel, arguments)]


def tensor_maps(
    module: ModuleOp, kernel: str, arguments: Sequence[LaunchArgument | int | float]
) -> list[emulator.TensorMap]:
    """The tensor maps that follow the arguments of a compiled kernel, as in `with_tensor_maps`."""
    return [tensor_map(recipe, arguments) for recipe in recipes_of(module, kernel)]


def recipes_of(module: ModuleOp, kernel: str) -> tuple[TensorMapRecipe, ...]:
    """The recipes by which a launch of a compiled kernel makes its tensor maps."""
    function = _compiled_kernel(module, kernel)
    return () if function is None else tensor_map_recipes(function)


def _compiled_kernel(module: ModuleOp, kernel: str) -> Operation | None:
    name = StringAttr(kernel)
    return next((op for op in module.body.block.ops if op.properties.get("sym_name") == name), None)


def dynamic_shared_memory(module: ModuleOp, kernel: str) -> int:
    """The bytes of dynamic shared memory that a launch of a compiled kernel must request."""
    function = _compiled_kernel(module, kernel)
    size = None if function is None else function.attributes.get(DYNAMIC_SHARED_ATTRIBUTE)
    return size.value.data if isinstance(size, IntegerAttr) else 0


def load(source: Source) -> ModuleOp:
    """The module in a file of Tile IR text or bytecode or in bytes; a module is returned as it is.

    Raises InputError if the source is invalid.
    """
    match source:
        case ModuleOp():
            return source
        case bytes():
            return read_bytecode(source, "<bytecode>")
        case _:
            return read_file(new_context(), os.fspath(source))


def as_grid(grid: Sequence[int] | int) -> Grid:
    """A grid of three extents; missing ones are 1. Raises InputError."""
    if isinstance(grid, int):
        return grid, 1, 1
    if not 1 <= len(grid) <= 3:
        raise InputError("grid", f"expected one to three extents, got {tuple(grid)}")
    x, y, z = (*grid, 1, 1)[:3]
    return x, y, z


def check_options(level: str, options: LaunchOptions) -> None:
    """Raises InputError for options that a level does not support."""
    if level not in RUNNABLE:
        raise InputError(f"level {level}", f"expected one of {', '.join(RUNNABLE)}")
    if options.strict and level != "cuda_tile":
        raise InputError(f"level {level}", "only level cuda_tile has a strict mode")
    if options.undefined is not None and level != "cuda_tile":
        raise InputError(f"level {level}", "only level cuda_tile detects undefined behaviour")
    if options.device not in DEVICES:
        raise InputError(f"device {options.device}", f"expected {', '.join(DEVICES)}")
    if options.device == GPU_DEVICE and level != "ptx":
        raise InputError(f"level {level}", "only level ptx runs on a GPU")
    if level == "ptx" and (options.memory_order is not None or options.listeners):
        raise InputError(
            f"level {level}",
            "random orders and breakpoints need a level of the interpreter, such as cuda_tile",
        )
    if options.resident_blocks is not None:
        if options.resident_blocks < 1:
            raise InputError(
                "resident_blocks", f"expected at least 1, got {options.resident_blocks}"
            )
        if level != "ptx" or options.device == GPU_DEVICE:
            raise InputError(
                "resident_blocks", "only the emulator, at level ptx, can limit resident blocks"
            )
    if options.device == GPU_DEVICE and (options.races or options.trace is not None):
        raise InputError(f"device {options.device}", "race detection and traces need the emulator")


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
    device: str = EMULATOR,
) -> None:
    """Runs a kernel of `source` (see `load`) on numpy, or on a GPU with `device="gpu"`.

    `grid` counts tile blocks, with one to three extents. `arguments` are numbers and arrays, of
    numpy or with DLPack; the kernel works on the memory of the arrays. An array that is not
    followed by its sizes and strides also supplies them. `kernel` may be left out if there is only
    one. `level` is a key of `runtime.lowering.RUNNABLE`.

    With a seed `random_order`, memory operations and tile blocks run in a random order that the
    tokens allow. `strict` makes undefined behaviour an error. `step_limit` bounds the loop
    iterations of a tile block (PTX: the instructions). The result of every op is written to
    `trace`. The kernel prints to `output`, by default the standard output. At level `ptx` the
    `device` may be `gpu`: arrays are copied to the GPU and back, and the driver prints the output
    of the kernel.

    Raises InputError for an error in the kernel or its launch.
    """
    options = LaunchOptions(
        None if random_order is None else RandomOrder(random_order),
        random_order,
        strict,
        step_limit,
        output=output,
        device=device,
    )
    check_options(level, options)
    prepared = _prepare(source, grid, arguments, kernel, level, gpu)
    prepared.run(traced(options, trace, prepared.program, level))


def traced(
    options: LaunchOptions, trace: TextIO | None, program: Lowered, level: str
) -> LaunchOptions:
    """The options with a trace to a stream, in the form for the level. Raises InputError."""
    if trace is None:
        return options
    if level == "ptx":
        options = replace(options, trace=trace)
    else:
        options = replace(options, listeners=(Trace(program.module, trace), *options.listeners))
    check_options(level, options)
    return options


@contextmanager
def watched(
    options: LaunchOptions, count: int, progress: Callable[[int, int], None] | bool
) -> Generator[LaunchOptions]:
    """The options of a launch of `count` tile blocks, with progress by a bar or callback.

    A bar is shown only if standard error is a terminal and there is no trace.
    """
    if callable(progress):
        yield replace(options, progress=Progress(count, progress))
        return
    if not progress or options.trace or options.listeners:
        yield options
        return
    with shown_progress(count) as shown:
        yield replace(options, progress=shown)


def find_races(
    source: Source,
    grid: Sequence[int],
    arguments: Sequence[object],
    *,
    kernel: str | None = None,
    level: str = "cuda_tile",
    gpu: str = DEFAULT_GPU,
) -> list[Race | OnChipRace]:
    """Runs a kernel as `run` does, and returns its data races."""
    detector = RaceDetector()
    options = LaunchOptions(detector)
    check_options(level, options)
    _prepare(source, grid, arguments, kernel, level, gpu).run(options)
    return detector.races


def _prepare(
    source: Source,
    grid: Sequence[int],
    arguments: Sequence[object],
    kernel: str | None,
    level: str,
    gpu: str,
) -> LoweredLaunch:
    module = load(source)
    file = "<module>" if isinstance(source, ModuleOp | bytes) else os.fspath(source)
    extents = as_grid(grid)
    found = find_kernel(module, kernel, file)
    given = [
        Argument(None, as_argument(value, f"argument {position}"))
        for position, value in enumerate(arguments)
    ]
    bound = bind_arguments(found, given)
    # Passes change the module that they are given.
    program = lower(new_context(), clone_of(module), level, gpu=gpu, file=file)
    return LoweredLaunch(program, found.name, extents, bound, file)
