"""Tuning: compiles variants of one kernel, and finds the best variant for a launch.

    best, *rest = tune("gemm.mlir", (8, 8), [a, b, c])

Variants differ in the warps of a thread block, the stages of pipelines, and whether loads have
dedicated warps. Variants also differ in the number of thread blocks (CTAs) that execute a tile
block, and in the occupancy. Configurations differ in constants of the kernel, and so in the launch.
Variants and configurations are compiled in parallel by any `concurrent.futures` executor. On a GPU,
variants are ordered by time. Without a GPU, they are ordered by modelled cycles
(`modelled_cycles.py`); if these are equal, by fewer spills, then more stages, then fewer
instructions.
"""

from __future__ import annotations

import itertools
import math
import os
import statistics
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import TypeVar

from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl import emulator
from tileir_xdsl.emulator.errors import WARP_SIZE
from tileir_xdsl.emulator.machine import LaunchStatistics
from tileir_xdsl.levels import CUDA_TILE
from tileir_xdsl.options import DEFAULT_OPTIONS, UNSPECIALIZE, WARP_SPECIALIZE, Options
from tileir_xdsl.runtime.arrays import Argument, as_argument
from tileir_xdsl.runtime.binding import LaunchArgument, bind_arguments
from tileir_xdsl.runtime.cache.keys import extension_facts
from tileir_xdsl.runtime.compiled import Compiled, CompiledKernel
from tileir_xdsl.runtime.diagnostics import errors_in
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.executors import (
    expect_extensions,
    interrupts_held,
    lost_worker_errors,
    processes,
)
from tileir_xdsl.runtime.files import read_bytes
from tileir_xdsl.runtime.gpu import GPU, Grid
from tileir_xdsl.runtime.gpu_launching import DeviceArrays, arrays_of
from tileir_xdsl.runtime.kernels import find_kernel
from tileir_xdsl.runtime.launching import (
    LAUNCH_ERRORS,
    Source,
    as_grid,
)
from tileir_xdsl.runtime.lowering import levels_from
from tileir_xdsl.runtime.memory_views import copies
from tileir_xdsl.runtime.modelled_cycles import Modelled, modelled
from tileir_xdsl.runtime.outputs import CUBIN
from tileir_xdsl.runtime.program import program_of
from tileir_xdsl.runtime.ptxas import KernelResources, ToolNotFoundError, ptxas_path
from tileir_xdsl.runtime.reader import new_context, read_contents
from tileir_xdsl.runtime.tensor_maps import tensor_map
from tileir_xdsl.runtime.tracing import shown_progress
from tileir_xdsl.targets import DEFAULT_TARGET as DEFAULT_GPU
from tileir_xdsl.targets import Feature, UnknownTargetError, get_target

T = TypeVar("T")

WARM_UPS, RUNS = 3, 10
"""The number of launches on a GPU before measuring, and of launches whose median is taken."""

WARPS, STAGES, CTAS = (4, 8), (2, 3, 4, 6), (1, 2)
"""The values tried by default."""

UNSET = (None,)
"""The only value tried for an option that is left to the compiler."""

EQUAL = 0.1
"""Modelled cycles with a relative difference below this are taken as equal."""


@dataclass(frozen=True)
class Configuration:
    """A kernel with one launch, which can be pickled for processes that compile and emulate it."""

    contents: bytes
    """Tile IR, as text or bytecode."""
    file: str
    """The name of the program in diagnostics without a source line."""
    kernel: str
    grid: Grid
    arguments: Sequence[LaunchArgument]
    options: Options = DEFAULT_OPTIONS
    """The options that the kernel itself sets."""
    constants: Mapping[str, object] = field(default_factory=dict[str, object])
    """The values of the constants that tuning varies."""
    name: str = ""
    """The name of the configuration, if its constants do not identify it."""
    problem: str = ""
    """The reason why there is no kernel; empty if there is one."""


def with_extensions(
    configurations: Sequence[Configuration], extensions: Sequence[str]
) -> list[Configuration]:
    """The configurations, with extensions added. Raises InputError for an unknown extension."""
    if not extensions:
        return list(configurations)
    with errors_in("options"):
        return [
            replace(one, options=one.options.replaced(extensions=tuple(extensions)))
            for one in configurations
        ]


def candidates(
    configurations: Sequence[Configuration],
    gpu: str,
    warps: Sequence[int] | None = None,
    stages: Sequence[int] | None = None,
    ctas: Sequence[int] | None = None,
    occupancy: Sequence[int] | None = None,
    *,
    is_search: bool,
) -> list[tuple[Configuration, Options]]:
    """Each configuration with its own options, and with all combinations of the given options.

    In a search of configurations, options that are None are left to the compiler. For a single
    launch, these options default to `WARPS`, `STAGES` and `CTAS`. Raises InputError as `variants`
    does.
    """
    chosen = (warps, stages, ctas, occupancy)
    if not is_search:
        defaults = (WARPS, STAGES, CTAS, UNSET)
        chosen = tuple(given or default for given, default in zip(chosen, defaults, strict=True))
    warps_tried, stages_tried, ctas_tried, occupancy_tried = (given or UNSET for given in chosen)
    return [
        (one, options)
        for one in configurations
        for options in variants(
            gpu, warps_tried, stages_tried, ctas_tried, occupancy_tried, one.options
        )
    ]


def variants(
    gpu: str,
    warps: Sequence[int | None] = WARPS,
    stages: Sequence[int | None] = STAGES,
    ctas: Sequence[int | None] = CTAS,
    occupancy: Sequence[int | None] = UNSET,
    options: Options = DEFAULT_OPTIONS,
) -> list[Options]:
    """`options`, then all combinations for a target; None leaves a choice to the compiler.

    Clusters and dedicated load warps are tried only if the target supports them. Raises InputError
    for an unknown target, for unsupported values, and if all of `ctas` exceed the target's
    clusters.
    """
    with errors_in("--gpu", UnknownTargetError):
        target = get_target(gpu)
    has_agents = Feature.SETMAXNREG in target.features
    strategies = (WARP_SPECIALIZE, UNSPECIALIZE) if has_agents else (UNSPECIALIZE,)
    axes = (warps, stages, ctas, occupancy)
    if all(values == UNSET for values in axes):
        return [options]
    if warps == stages == UNSET:
        strategies = UNSET
    most = target.limits.max_blocks_per_cluster if target.copies_to_clusters else 1
    clusters = [count for count in ctas if count is None or count <= most]
    if not clusters:
        listed = ",".join(map(str, ctas))
        raise InputError(f"--ctas {listed}", f"a cluster of {gpu} has at most {most} thread blocks")
    with errors_in("options"):
        found = [
            options.replaced(
                warps=count, stages=most_stages, strategy=strategy, ctas=parts, occupancy=resident
            )
            for count, most_stages, strategy, parts, resident in itertools.product(
                warps, stages, strategies, clusters, occupancy
            )
        ]
        for varied in found:
            varied.check(target)
    return list(dict.fromkeys([options, *found]))


@dataclass(frozen=True)
class Measured:
    """A variant with its time: in seconds on a GPU, otherwise in modelled cycles."""

    variant: Options
    kernel: str
    compiled: Compiled | None
    seconds: float | None = None
    instructions: int | None = None
    modelled: Modelled | None = None
    """The modelled time; None on a GPU."""
    constants: Mapping[str, object] = field(default_factory=dict[str, object])
    """The values of the constants that tuning varied."""
    configuration: str = ""
    """The name of the configuration, if its constants do not identify it."""
    grid: Grid = (1, 1, 1)
    problem: str = ""
    """The reason why there is no measurement; empty if there is one."""
    same_as: Options | None = None
    """The variant with the same code that was measured in place of this one."""

    @property
    def resources(self) -> KernelResources:
        """Resources of the kernel as the assembler reports them, if it has been compiled."""
        assert self.compiled is not None
        return self.compiled.resources[self.compiled.kernel(self.kernel).symbol]

    @property
    def shared_bytes(self) -> int:
        """The bytes of shared memory of a block, static and dynamic, if it has been compiled."""
        assert self.compiled is not None
        return self.compiled.shared_bytes(self.kernel)

    @property
    def shared_limit(self) -> int:
        """The most bytes of shared memory that a block of the target has."""
        assert self.compiled is not None
        return get_target(self.compiled.gpu).limits.shared_memory_per_block

    @property
    def rank(self) -> tuple[float, ...]:
        """Smaller is better."""
        if self.same_as is not None:
            return (2,)
        if self.seconds is not None:
            return (0, self.seconds)
        if self.modelled is None or self.instructions is None:
            return (3,)
        step = math.floor(math.log(self.modelled.cycles, 1 + EQUAL))
        # Left to the compiler, there are as many as fit; without shared memory there are none.
        stages = (self.variant.stages or math.inf) if self.shared_bytes else 0
        return (
            *(1, step, self.resources.spills, -stages),
            *(self.modelled.cycles, self.instructions),
        )


def compile_variant(
    contents: bytes,
    file: str,
    gpu: str,
    variant: Options,
    extensions: Mapping[str, str] = MappingProxyType({}),
) -> Compiled | str:
    """Compiles a variant of a program to machine code; returns the reason if that fails.

    The arguments and the result can be sent to other processes, and other machines. `contents` are
    text or bytecode, and `file` is the name of the program in diagnostics. `extensions` has
    the version of each extension of the variant, from `extension_facts`.
    """
    try:
        expect_extensions(extensions)
        module = read_contents(new_context(variant.extensions), contents, file)
        return program_of(module, file, gpu, variant).compile(CUBIN)
    except InputError as error:
        return str(error)


def configuration(
    contents: bytes,
    file: str,
    grid: Sequence[int] | int,
    arguments: Sequence[object],
    *,
    kernel: str | None = None,
    options: Options = DEFAULT_OPTIONS,
) -> Configuration:
    """The configuration of a kernel and a launch, as for `runtime.run`. Raises InputError."""
    module = read_contents(new_context(options.extensions), contents, file)
    found = find_kernel(module, kernel, file)
    level = levels_from(module, found.location)[0]
    if level != CUDA_TILE.name:
        # Some of what varies is decided by then.
        raise InputError(
            found.location,
            f"only a program at level {CUDA_TILE.name} can be tuned, but this is at {level}",
        )
    given = [
        Argument(None, as_argument(value, f"argument {position}"))
        for position, value in enumerate(arguments)
    ]
    bound = bind_arguments(found, given)
    return Configuration(contents, file, found.name, as_grid(grid), tuple(bound), options)


def _contents(source: Source) -> tuple[bytes, str]:
    """The text or the bytecode of a program, and its name in diagnostics. Raises InputError."""
    match source:
        case ModuleOp():
            return str(source).encode(), "<module>"
        case bytes():
            return source, "<bytecode>"
        case _:
            return read_bytes(os.fspath(source))


def tune(
    source: Source,
    grid: Sequence[int] | int,
    arguments: Sequence[object],
    *,
    kernel: str | None = None,
    gpu: str = DEFAULT_GPU,
    tried: Sequence[Options] | None = None,
    executor: Executor | None = None,
    device: GPU | None = None,
    progress: bool = False,
) -> list[Measured]:
    """The variants of a kernel, best first; those that cannot be compiled or run come last.

    `source`, `grid`, `arguments` and `kernel` are as for `runtime.run`. `tried` defaults to
    `variants(gpu)`; other arguments and errors are those of `search`.
    """
    if executor is None or isinstance(executor, ProcessPoolExecutor):
        check_assembler()
    found = configuration(*_contents(source), grid, arguments, kernel=kernel)
    choices = variants(gpu) if tried is None else tried
    return search(
        [(found, one) for one in choices],
        gpu=gpu,
        executor=executor,
        device=device,
        progress=progress,
    )


def search(
    candidates: Sequence[tuple[Configuration, Options]],
    *,
    gpu: str = DEFAULT_GPU,
    executor: Executor | None = None,
    device: GPU | None = None,
    progress: bool = False,
) -> list[Measured]:
    """Configurations and options, best first; those that cannot be compiled or run come last.

    Every candidate runs on copies of the arrays. `executor`, by default processes of this machine,
    compiles the candidates. Candidates are measured on `device`; without a device, `executor` runs
    them in the emulator. Of candidates with the same machine code and launch, only the first is
    measured. With `progress`, a terminal shows the progress after two seconds.

    Raises InputError, without `ptxas` before anything is compiled, unless a given `executor` may
    have `ptxas` on other machines.
    """
    if executor is None or isinstance(executor, ProcessPoolExecutor):
        check_assembler()
    with nullcontext(executor) if executor is not None else processes() as pool:
        calls = [
            partial(_compiled, one, gpu, options, extension_facts(options))
            for one, options in candidates
        ]
        with _progress(len(calls), "variants compiled", progress) as told:
            compiled = _all(pool, gpu, calls, told)
        first = _first_of_each(candidates, compiled)
        measures = [
            partial(_measure, *candidates[number], compiled[number], device)
            for number in dict.fromkeys(first.values())
        ]
        with _progress(len(measures), "variants measured", progress) as told:
            # A device is of this process.
            done = _each(measures, told) if device else _all(pool, gpu, measures, told)
    by_number = dict(zip(dict.fromkeys(first.values()), done, strict=True))
    measured = [
        by_number.get(number) or _unmeasured(*candidate, result, candidates, first.get(number))
        for number, (candidate, result) in enumerate(zip(candidates, compiled, strict=True))
    ]
    return sorted(measured, key=lambda one: one.rank)


def _compiled(
    one: Configuration, gpu: str, options: Options, extensions: Mapping[str, str]
) -> Compiled | str:
    return one.problem or compile_variant(one.contents, one.file, gpu, options, extensions)


def _unmeasured(
    one: Configuration,
    variant: Options,
    result: Compiled | str,
    candidates: Sequence[tuple[Configuration, Options]],
    original: int | None,
) -> Measured:
    """A variant that is not compiled, or whose code equals that of another variant."""
    found = _unknown(one, variant)
    if isinstance(result, str):
        return replace(found, problem=result)
    assert original is not None
    return replace(found, compiled=result, same_as=candidates[original][1])


def _unknown(one: Configuration, variant: Options) -> Measured:
    """A variant without measurement."""
    return Measured(
        variant,
        one.kernel,
        None,
        constants=one.constants,
        configuration=one.name,
        grid=one.grid,
    )


def _first_of_each(
    candidates: Sequence[tuple[Configuration, Options]], compiled: Sequence[Compiled | str]
) -> dict[int, int]:
    """For each compiled variant, the first variant with the same code and launch."""
    first: dict[tuple[int, str, bytes], int] = {}
    return {
        number: first.setdefault((id(candidates[number][0]), result.text, result.cubin), number)
        for number, result in enumerate(compiled)
        if not isinstance(result, str)
    }


def check_assembler() -> None:
    """Raises InputError without `ptxas`, which makes the machine code of every variant."""
    with errors_in("ptxas", ToolNotFoundError):
        ptxas_path()


def _progress(
    count: int, what: str, is_wanted: bool
) -> AbstractContextManager[Callable[[int], None] | None]:
    return shown_progress(count, what) if is_wanted else nullcontext(None)


def _told(result: T, number: int, progress: Callable[[int], None] | None) -> T:
    """A result, after reporting that it is available."""
    if progress is not None:
        progress(number)
    return result


def _each(calls: Sequence[Callable[[], T]], progress: Callable[[int], None] | None) -> list[T]:
    """The results of calls, one after the other in this process."""
    return [_told(call(), number, progress) for number, call in enumerate(calls, 1)]


def _all(
    executor: Executor,
    kernel: str,
    calls: Sequence[Callable[[], T]],
    progress: Callable[[int], None] | None,
) -> list[T]:
    """The results of calls, in their order. Raises InputError if a process ends early."""
    with interrupts_held():
        futures = [executor.submit(call) for call in calls]
    try:
        return [
            _told(future.result(), number, progress) for number, future in enumerate(futures, 1)
        ]
    except lost_worker_errors() as error:
        raise InputError(kernel, error) from None
    finally:
        for future in futures:
            # An interrupt does not wait for work that has not started.
            future.cancel()


def _measure(
    one: Configuration, variant: Options, compiled: Compiled | str, device: GPU | None
) -> Measured:
    assert isinstance(compiled, Compiled)
    found = replace(_unknown(one, variant), compiled=compiled)
    values = copies(one.arguments)
    try:
        launched = compiled.kernel(one.kernel)
        if device is not None:
            maps = [tensor_map(recipe, values) for recipe in launched.tensor_maps]
            seconds = _seconds(device, compiled.cubin, launched, one.grid, [*values, *maps])
            return replace(found, seconds=seconds)
        done = emulated(compiled.text, launched, one.grid, values)
    except LAUNCH_ERRORS as error:
        return replace(found, problem=" ".join(str(error).split()))
    return replace(
        found,
        modelled=modelled(done, compiled, one.kernel),
        instructions=done.lane_instructions // WARP_SIZE,
    )


def emulated(
    ptx: str, kernel: CompiledKernel, grid: Grid, arguments: Sequence[LaunchArgument]
) -> LaunchStatistics:
    """The counts of a launch in the emulator. Raises EmulatorError or TensorMapError."""
    maps = [tensor_map(recipe, arguments) for recipe in kernel.tensor_maps]
    return emulator.load(ptx).launch(
        kernel.symbol, grid, [*arguments, *maps], dynamic_shared=kernel.dynamic_shared
    )


def _seconds(
    device: GPU,
    cubin: bytes,
    kernel: CompiledKernel,
    grid: Grid,
    arguments: Sequence[LaunchArgument | emulator.TensorMap],
) -> float:
    assert kernel.block is not None
    block = kernel.block
    loaded = device.load(cubin, kernel.name, kernel.dynamic_shared)
    copies = DeviceArrays(device)
    try:
        copies.upload(arrays_of(arguments))
        parameters = copies.pack(arguments)

        def once() -> None:
            loaded.launch(grid, block, parameters)

        for _ in range(WARM_UPS):
            once()
        return statistics.median(device.seconds(once) for _ in range(RUNS))
    finally:
        copies.free()
