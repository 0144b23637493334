"""Launches of cuTile kernels on the arrays of a caller, with a GPU or without one.

@ct.kernel
def vector_add(a, b, c, tile: ct.Constant[int]): ...

launch((8,), vector_add, (a, b, c, 128))
compile(vector_add, (a, b, c, 128), "sm_90a").text
"""

from __future__ import annotations

import io
import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal, NamedTuple, TextIO

import numpy as np

from tileir_xdsl.cutile.cpu import launch_on_cpu, request_of
from tileir_xdsl.cutile.errors import raised_at_caller
from tileir_xdsl.cutile.gpu import launch_on_gpu, target_of_device
from tileir_xdsl.cutile.signatures import Arguments
from tileir_xdsl.cutile.specializing import (
    OnChange,
    Specialization,
    checked_arguments,
    specialized,
)
from tileir_xdsl.levels import CUDA_TILE
from tileir_xdsl.options import Options
from tileir_xdsl.runtime.arrays import as_argument
from tileir_xdsl.runtime.binding import named_arguments
from tileir_xdsl.runtime.compiled import Compiled
from tileir_xdsl.runtime.cpu.compiling import NotCovered
from tileir_xdsl.runtime.errors import ArgumentError, CompileError, InterpreterWarning
from tileir_xdsl.runtime.launching import as_grid
from tileir_xdsl.runtime.memory_views import copies
from tileir_xdsl.runtime.outputs import PTX
from tileir_xdsl.runtime.program import Program
from tileir_xdsl.runtime.running import Run
from tileir_xdsl.targets.cpu import is_cpu


@raised_at_caller
def load(
    kernel: object,
    args: Sequence[object],
    gpu: str | None = None,
    *,
    options: Options | None = None,
    on_change: OnChange = "raise",
) -> Program:
    """The Tile IR of a kernel for arguments like `args`, as a program to lower, run and inspect.

    `kernel` is decorated by `cuda.tile.kernel`. `args` are its arguments: arrays of any library,
    numbers, values of constants, lists of arrays, and tuples of these. Arrays are of numpy,
    torch, jax, cupy, or of any type with `__dlpack__`, `__cuda_array_interface__` or
    `__array_interface__`. The compiler may rely on facts that hold for these arrays: element types,
    ranks, strides of 1, and which arrays share memory. The compiler may also rely on divisors of
    sizes, strides and addresses. Without `options`, the optimization level is that of the kernel's
    decorator.

    A kernel is compiled with the values that globals, closure variables and called functions have
    at its first launch. If a value has changed since, `on_change="raise"` raises an error that
    names the variable, and `on_change="recompile"` compiles the kernel again.

    Raises CompileError for arguments that the kernel does not take, and, with the line, for errors
    that cuTile finds in its code. Also raises CompileError for a changed variable, and for an
    unknown target or option.
    """
    return specialized(kernel, checked_arguments(kernel, args), gpu, options, on_change).program


@raised_at_caller
def compile(
    kernel: object,
    args: Sequence[object],
    gpu: str | None = None,
    *,
    emit: str = PTX,
    options: Options | None = None,
    on_change: OnChange = "raise",
) -> Compiled:
    """Compiles a kernel for arguments like `args`, as `load` does. `emit` is as for
    `tileir.compile`.
    """
    return load(kernel, args, gpu, options=options, on_change=on_change).compile(emit)


@raised_at_caller
def launch(
    grid: Sequence[int] | int,
    kernel: object,
    args: Sequence[object],
    *,
    gpu: str | None = None,
    level: str | None = None,
    stream: object = None,
    options: Options | None = None,
    on_change: OnChange = "raise",
    races: bool = False,
    random_order: int | None = None,
    strict: bool = False,
    undefined: bool | Literal["first"] = False,
    trace: TextIO | None = None,
    step_limit: int | None = None,
    time_limit: float | None = None,
    progress: Callable[[int, int], None] | bool = True,
    output: TextIO | None = None,
    resident_blocks: int | None = None,
) -> Run:
    """Launches a kernel, which writes into the arrays of the caller. Nothing is copied.

    Arrays in the memory of the host need no GPU. The interpreter executes the kernel at `level`
    `cuda_tile` (the default), `nv_tileaa` or `nv_tileas`. At `ptx` the emulator executes code for
    the target `gpu`. With `gpu="cpu"` the kernel is compiled for this machine's processor; if that
    fails, the interpreter runs it, with an `InterpreterWarning`. For arrays on a GPU, the kernel
    runs there, on `stream` or on their library's current stream; the call does not wait for it.

    `args`, `options` and `on_change` are as for `load`; a kernel is compiled once for each
    signature, target and options. The other parameters are those of `Program.run`, and need arrays
    of the host. With `undefined` at another level than `cuda_tile`, the kernel also runs at
    `cuda_tile`, on copies. `undefined="first"` checks only the first launch of a kernel for each
    signature.

    Raises CompileError as `load` does, for a fault of the kernel, and, before the kernel runs, for
    a read-only array that it writes.
    """
    asked = (races, random_order, strict, trace, step_limit, resident_blocks)
    how = _How(*asked, time_limit, progress, output)
    processor, gpu = _processor_of(gpu, level is None and not undefined and how.is_plain)
    extents = as_grid(grid)
    request = request_of(kernel, args, processor, options) if processor is not None else None
    if request is not None and (again := request.run(extents, time_limit, output)) is not None:
        return again
    found = checked_arguments(kernel, args)
    number = _device(found)
    gpu = target_of_device(number) if number is not None and gpu is None else gpu
    specialization = specialized(kernel, found, gpu, options, on_change)
    _check_writable(specialization, found)
    if number is not None:
        _check_options_of_gpu(level, how)
        return _on_gpu(specialization, found, number, extents, stream, args)
    if processor is not None:
        run = launch_on_cpu(processor, specialization, found, extents, time_limit, output, request)
        if not isinstance(run, NotCovered):
            return run
        told = f"{run.error.location}: {run.error.message}"
        warnings.warn(told, InterpreterWarning, stacklevel=_CALLER)
    return _interpreted(specialization, found, extents, level, undefined, how)


class _How(NamedTuple):
    """The parameters of a launch that go to `Program.run`."""

    races: bool
    random_order: int | None
    strict: bool
    trace: TextIO | None
    step_limit: int | None
    resident_blocks: int | None
    time_limit: float | None
    progress: Callable[[int, int], None] | bool
    output: TextIO | None

    @property
    def is_plain(self) -> bool:
        """Whether no parameter needs an interpreter."""
        asked = self.races or self.strict or self.trace or self.step_limit or self.resident_blocks
        return not asked and self.random_order is None and not callable(self.progress)

    @property
    def is_watched(self) -> bool:
        """Whether a parameter, such as `races`, excludes a launch on a GPU."""
        return self.races or self.strict or self.random_order is not None or self.trace is not None


def _interpreted(
    specialization: Specialization,
    found: Arguments,
    extents: tuple[int, int, int],
    level: str | None,
    undefined: bool | Literal["first"],
    how: _How,
) -> Run:
    program = specialization.at(level or CUDA_TILE.name)
    run = partial(program.run, extents, *found.values, level=level, **how._asdict())
    return _looked_at(run, specialization, extents, found, level, undefined)


def _processor_of(gpu: str | None, is_plain: bool) -> tuple[str | None, str | None]:
    """The processor or the GPU of a launch; raises CompileError if a processor cannot do what is
    asked.
    """
    if not is_cpu(gpu):
        return None, gpu
    if not is_plain:
        message = "levels, races, traces, limits of steps and orders of blocks need the interpreter"
        raise CompileError(f"gpu={gpu}", message)
    return gpu, None


_CALLER = 3
"""The number of stack frames between `launch` and its caller, as for warnings."""


def _check_options_of_gpu(level: str | None, how: _How) -> None:
    if level not in (None, PTX) or how.is_watched:
        message = "the arrays are on a GPU: other levels, races and traces need arrays of the host"
        raise CompileError("arguments", message)


def _on_gpu(
    specialization: Specialization,
    found: Arguments,
    number: int,
    extents: tuple[int, int, int],
    stream: object,
    args: Sequence[object],
) -> Run:
    started = time.perf_counter()
    launch_on_gpu(specialization, found, number, extents, stream, args)
    name = specialization.program.kernels[0].name
    return Run(name, PTX, extents, time.perf_counter() - started)


def _looked_at(
    run: Callable[..., Run],
    specialization: Specialization,
    extents: Sequence[int],
    found: Arguments,
    level: str | None,
    undefined: bool | Literal["first"],
) -> Run:
    """Runs a launch on the host, and checks it for undefined behaviour as `undefined` says."""
    is_looked_at = specialization.is_first_look() if undefined == "first" else undefined
    if not is_looked_at or level in (None, CUDA_TILE.name):
        return run(undefined=is_looked_at)
    values = copies([as_argument(value, "argument") for value in found.values])
    source = specialization.program.run(
        extents, *values, undefined=True, progress=False, output=io.StringIO()
    )
    return run()._replace(undefined=source.undefined, remarks=source.remarks)


def _device(found: Arguments) -> int | None:
    """The CUDA device that holds all arrays, None for the host. Raises CompileError."""
    numbers = set(found.devices.values())
    if len(numbers) > 1:
        listed = ", ".join(f"{name} on {_place(device)}" for name, device in found.devices.items())
        raise ArgumentError("arguments", f"the arrays are not all in one memory: {listed}")
    return next(iter(numbers), None)


def _place(device: int | None) -> str:
    return "the host" if device is None else f"CUDA device {device}"


def _check_writable(specialization: Specialization, found: Arguments) -> None:
    for position, argument in enumerate(named_arguments(found.names, found.values)):
        array = argument.value
        read_only = isinstance(array, np.ndarray) and not array.flags.writeable
        if read_only and position in specialization.written:
            raise ArgumentError(
                argument.name or "arguments",
                "the kernel writes this read-only array: pass a writable "
                "array, such as one of numpy; "
                "jax arrays are always read-only",
            )
