"""Tuning: one kernel compiled in several ways, and which of them is best for a launch.

    best, *rest = tune("gemm.mlir", (8, 8), [a, b, c])

Variants differ in the warps of a thread block, the stages of pipelines, and whether loads have
dedicated warps. They also differ in how many thread blocks (CTAs) execute a tile block. They
compile in parallel through any `concurrent.futures` executor. On a GPU the fastest wins. Without
one the order is by fewest spills, then by fewest instructions issued by a warp in the emulator.
Among equals the variant with the most stages wins.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from tileir_xdsl import emulator
from tileir_xdsl.levels import CUDA_TILE
from tileir_xdsl.options import DEFAULT_OPTIONS, UNSPECIALIZE, WARP_SPECIALIZE, Options
from tileir_xdsl.runtime.arrays import Argument, as_argument
from tileir_xdsl.runtime.binding import LaunchArgument, bind_arguments
from tileir_xdsl.runtime.compiled import Compiled, CompiledKernel
from tileir_xdsl.runtime.diagnostics import errors_in
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.executors import interrupts_held, lost_worker_errors, processes
from tileir_xdsl.runtime.gpu import GPU, Grid
from tileir_xdsl.runtime.gpu_launching import DeviceArrays, arrays_of
from tileir_xdsl.runtime.kernels import find_kernel
from tileir_xdsl.runtime.launching import (
    LAUNCH_ERRORS,
    Source,
    as_grid,
    load,
)
from tileir_xdsl.runtime.lowering import levels_from
from tileir_xdsl.runtime.memory_views import copies
from tileir_xdsl.runtime.outputs import CUBIN
from tileir_xdsl.runtime.program import program_of
from tileir_xdsl.runtime.ptxas import KernelResources, ToolNotFoundError, ptxas_path
from tileir_xdsl.runtime.reader import new_context, read_text
from tileir_xdsl.runtime.tensor_maps import tensor_map
from tileir_xdsl.runtime.tracing import shown_progress
from tileir_xdsl.targets import DEFAULT_TARGET as DEFAULT_GPU
from tileir_xdsl.targets import Feature, UnknownTargetError, get_target

T = TypeVar("T")

WARM_UPS, RUNS = 3, 10
"""Launches on a GPU before measuring, and those of which the median counts."""

WARPS, STAGES, CTAS = (4, 8), (2, 3, 4, 6), (1, 2)
"""The values tried by default."""

EQUAL = 0.1
"""Counts of instructions that are nearer than this part say less than the stages do."""


def variants(
    gpu: str,
    warps: Sequence[int] = WARPS,
    stages: Sequence[int] = STAGES,
    ctas: Sequence[int] = CTAS,
    options: Options = DEFAULT_OPTIONS,
) -> list[Options]:
    """All combinations for a target, with clusters and warps for loads alone only if it has them.

    The other options are those of `options`. Raises InputError for an unknown target, for
    unsupported values, and where its clusters are smaller than all of `ctas`.
    """
    with errors_in("--gpu", UnknownTargetError):
        target = get_target(gpu)
    has_agents = Feature.SETMAXNREG in target.features
    strategies = (WARP_SPECIALIZE, UNSPECIALIZE) if has_agents else (UNSPECIALIZE,)
    most = target.limits.max_blocks_per_cluster if target.copies_to_clusters else 1
    clusters = [count for count in ctas if count <= most]
    if not clusters:
        listed = ",".join(map(str, ctas))
        raise InputError(f"--ctas {listed}", f"a cluster of {gpu} has at most {most} thread blocks")
    found: list[Options] = []
    with errors_in("options"):
        for count, most_stages, strategy, parts in itertools.product(
            warps, stages, strategies, clusters
        ):
            varied = options.replaced(
                warps=count, stages=most_stages, strategy=strategy, ctas=parts
            )
            varied.check(target)
            found.append(varied)
    return found


@dataclass(frozen=True)
class Measured:
    """A variant and how good it is: in seconds on a GPU, else in instructions of warps."""

    variant: Options
    kernel: str
    compiled: Compiled | None
    seconds: float | None = None
    instructions: int | None = None
    problem: str = ""
    """Why there is no measurement; empty if there is one."""
    same_as: Options | None = None
    """The variant whose code is the same, and which alone was measured."""

    @property
    def resources(self) -> KernelResources:
        """Resources of the kernel as the assembler reports them, if it has been compiled."""
        assert self.compiled is not None
        return self.compiled.resources[self.kernel]

    @property
    def shared_bytes(self) -> int:
        """The bytes of dynamic shared memory of a block, if it has been compiled."""
        assert self.compiled is not None
        return self.compiled.kernel(self.kernel).dynamic_shared

    @property
    def rank(self) -> tuple[float, ...]:
        """Smaller is better."""
        if self.same_as is not None:
            return (2,)
        if self.seconds is not None:
            return (0, self.seconds)
        if self.compiled is None or self.instructions is None:
            return (3,)
        step = math.floor(math.log(max(1, self.instructions), 1 + EQUAL))
        return (1, self.resources.spills, step, -(self.variant.stages or 0), self.instructions)


def compile_variant(text: str, file: str, gpu: str, variant: Options) -> Compiled | str:
    """Compiles a program in one way, to machine code; says why if that cannot be done.

    The arguments and the result can be sent to other processes, and other machines. `file` is the
    name of the program in diagnostics.
    """
    try:
        module = read_text(new_context(), text, file)
        return program_of(module, file, gpu, variant).compile(CUBIN)
    except InputError as error:
        return str(error)


def tune(
    source: Source,
    grid: Sequence[int],
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

    `source`, `grid`, `arguments` and `kernel` are as for `runtime.run`; every variant runs on
    copies of the arrays. `tried` defaults to `variants(gpu)`. They are compiled by `executor`, by
    default in processes of this machine, and measured on `device`; without one, counted in the
    emulator, by `executor` too. Of those with the same machine code the first is measured.
    With `progress`, a terminal shows how far they are once they take over two seconds.

    Raises InputError, one line, for any error in the kernel or its arguments. Without `ptxas` it is
    raised before anything is compiled, unless `executor` may have it elsewhere.
    """
    if executor is None or isinstance(executor, ProcessPoolExecutor):
        check_assembler()
    module = load(source)
    found = find_kernel(module, kernel, "<module>")
    level = levels_from(module, found.location)[0]
    if level != CUDA_TILE.name:
        # Some of what varies is decided by then.
        raise InputError(found.location, f"only {CUDA_TILE.name} can be tuned, this is {level}")
    given = [
        Argument(None, as_argument(value, f"argument {position}"))
        for position, value in enumerate(arguments)
    ]
    bound = bind_arguments(found, given)
    extents, text = as_grid(grid), str(module)
    choices = variants(gpu) if tried is None else list(tried)
    with nullcontext(executor) if executor is not None else processes() as pool:
        calls = [partial(compile_variant, text, found.name, gpu, one) for one in choices]
        with _progress(len(calls), "variants compiled", progress) as told:
            compiled = _all(pool, found.name, calls, told)
        first = _first_of_each(compiled)
        measures = [
            partial(_measure, choices[number], compiled[number], found.name, extents, bound, device)
            for number in dict.fromkeys(first.values())
        ]
        with _progress(len(measures), "variants measured", progress) as told:
            # A device is of this process.
            done = _each(measures, told) if device else _all(pool, found.name, measures, told)
    by_number = dict(zip(dict.fromkeys(first.values()), done, strict=True))
    measured = [
        by_number.get(number)
        or _unmeasured(variant, found.name, result, choices, first.get(number))
        for number, (variant, result) in enumerate(zip(choices, compiled, strict=True))
    ]
    return sorted(measured, key=lambda one: one.rank)


def _unmeasured(
    variant: Options,
    kernel: str,
    result: Compiled | str,
    choices: Sequence[Options],
    original: int | None,
) -> Measured:
    """A variant that is not compiled, or whose code is that of another one."""
    if isinstance(result, str):
        return Measured(variant, kernel, None, problem=result)
    assert original is not None
    return Measured(variant, kernel, result, same_as=choices[original])


def _first_of_each(compiled: Sequence[Compiled | str]) -> dict[int, int]:
    """For each variant that is compiled, the first one with its code."""
    first: dict[tuple[str, bytes], int] = {}
    return {
        number: first.setdefault((result.text, result.cubin), number)
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
    variant: Options,
    compiled: Compiled | str,
    kernel: str,
    grid: Grid,
    bound: Sequence[LaunchArgument],
    device: GPU | None,
) -> Measured:
    assert isinstance(compiled, Compiled)
    values = copies(bound)
    try:
        launched = compiled.kernel(kernel)
        if device is not None:
            maps = [tensor_map(recipe, values) for recipe in launched.tensor_maps]
            seconds = _seconds(device, compiled.cubin, launched, grid, [*values, *maps])
            return Measured(variant, kernel, compiled, seconds=seconds)
        instructions = warp_instructions(compiled.text, launched, grid, values)
        return Measured(variant, kernel, compiled, instructions=instructions)
    except LAUNCH_ERRORS as error:
        return Measured(variant, kernel, compiled, problem=" ".join(str(error).split()))


def warp_instructions(
    ptx: str, kernel: CompiledKernel, grid: Grid, arguments: Sequence[LaunchArgument]
) -> int:
    """The instructions that the warps of a launch issue in the emulator.

    Raises EmulatorError or TensorMapError.
    """
    maps = [tensor_map(recipe, arguments) for recipe in kernel.tensor_maps]
    statistic = emulator.load(ptx).launch(
        kernel.symbol, grid, [*arguments, *maps], dynamic_shared=kernel.dynamic_shared
    )
    return statistic.lane_instructions // 32


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
