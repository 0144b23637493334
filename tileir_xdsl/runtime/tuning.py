"""Tuning: one kernel compiled in several ways, and which of them is best for a launch.

    best, *rest = tune("gemm.mlir", (8, 8), [a, b, c])

Variants differ in the warps of a thread block, the stages of pipelines, whether loads have warps of
their own, and how many thread blocks (CTAs) execute a tile block. They compile in parallel
through any `concurrent.futures` executor. On a GPU the fastest wins; without one the variant that
spills least, then the one whose warps issue the fewest instructions in the emulator, and of those
that are as good as equal the one with the most stages.
"""

from __future__ import annotations

import itertools
import math
import multiprocessing
import signal
import statistics
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tileir_xdsl import emulator
from tileir_xdsl.backend import ptx
from tileir_xdsl.dialects.nv_tileaa import FuncOp
from tileir_xdsl.dialects.nv_tileaa.attributes import KernelSpecAttr
from tileir_xdsl.dialects.nv_tileaa.core import cluster_shape
from tileir_xdsl.dialects.nv_tileas.tensor_maps import TensorMapRecipe
from tileir_xdsl.dialects.target_attributes import DEFAULT_TARGET as DEFAULT_GPU
from tileir_xdsl.levels import CUDA_TILE, LLVM
from tileir_xdsl.runtime.arrays import Argument, Array, as_argument
from tileir_xdsl.runtime.binding import LaunchArgument, bind_arguments
from tileir_xdsl.runtime.diagnostics import InputError, errors_in
from tileir_xdsl.runtime.gpu import GPU, Grid
from tileir_xdsl.runtime.gpu_launching import DeviceArrays
from tileir_xdsl.runtime.kernels import find_kernel
from tileir_xdsl.runtime.launching import (
    LAUNCH_ERRORS,
    Source,
    as_grid,
    block_shape,
    dynamic_shared_memory,
    load,
    recipes_of,
)
from tileir_xdsl.runtime.lowering import levels_from, steps_to
from tileir_xdsl.runtime.ptxas import assemble
from tileir_xdsl.runtime.reader import new_context, read_text
from tileir_xdsl.runtime.tensor_maps import tensor_map
from tileir_xdsl.targets import Feature, UnknownTargetError, get_target
from tileir_xdsl.transforms.convert_cuda_tile_to_tileaa import ConvertCudaTileToTileAAPass
from tileir_xdsl.transforms.tileas_materialize_async import TileASMaterializeAsyncPass
from tileir_xdsl.transforms.tileas_materialize_schedule import TileASMaterializeSchedulePass
from tileir_xdsl.transforms.tileas_plan_cta import TileASPlanCTAPass

WARM_UPS, RUNS = 3, 10
"""Launches on a GPU before measuring, and those of which the median counts."""

WARPS, STAGES, CTAS = (4, 8), (2, 3, 4, 6), (1, 2)
"""What is tried unless told otherwise."""

EQUAL = 0.1
"""Counts of instructions that are nearer than this part say less than the stages do."""

SPECIALIZE, UNSPECIALIZE = "warp-specialize", "unspecialize"


@dataclass(frozen=True)
class Variant:
    """One way to compile a kernel."""

    warps: int
    stages: int
    """The most stages that a pipeline may have."""
    strategy: str
    """Whether loads have warps of their own, as `pipeline-strategy` of the schedule says."""
    ctas: int = 1
    """The thread blocks of the cluster that executes a tile block."""

    def __str__(self) -> str:
        together = f", {self.ctas} CTAs" if self.ctas > 1 else ""
        return f"{self.warps} warps, {self.stages} stages, {self.strategy}{together}"


def variants(
    gpu: str,
    warps: Sequence[int] = WARPS,
    stages: Sequence[int] = STAGES,
    ctas: Sequence[int] = CTAS,
) -> list[Variant]:
    """All combinations for a target, with clusters and warps for loads alone only if it has them.

    Raises InputError for an unknown target, warps that no thread block of it can have, and where
    no cluster of it is as small as all of `ctas`.
    """
    with errors_in("--gpu", UnknownTargetError):
        target = get_target(gpu)
    most_warps = target.limits.max_warps_per_block
    for count in warps:
        # Layouts divide tiles among warps.
        if not (0 < count <= most_warps and count.bit_count() == 1):
            raise InputError(f"--warps {count}", f"expected powers of two up to {most_warps}")
    has_agents = Feature.SETMAXNREG in target.features
    strategies = (SPECIALIZE, UNSPECIALIZE) if has_agents else (UNSPECIALIZE,)
    most = target.limits.max_blocks_per_cluster if target.copies_to_clusters else 1
    clusters = [count for count in ctas if count <= most]
    if not clusters:
        listed = ",".join(map(str, ctas))
        raise InputError(f"--ctas {listed}", f"a cluster of {gpu} has at most {most} thread blocks")
    return [Variant(*choice) for choice in itertools.product(warps, stages, strategies, clusters)]


@dataclass(frozen=True)
class Compiled:
    """A compiled kernel with what its launches need, fit to be sent between processes."""

    ptx: str
    cubin: bytes
    registers: int
    spills: int
    """Bytes of registers that are stored and loaded again, per thread."""
    block: Grid
    shared: int
    tensor_maps: tuple[TensorMapRecipe, ...]


@dataclass(frozen=True)
class Measured:
    """A variant and how good it is: in seconds on a GPU, else in instructions of warps."""

    variant: Variant
    compiled: Compiled | None
    seconds: float | None = None
    instructions: int | None = None
    problem: str = ""
    """Why there is no measurement; empty if there is one."""

    @property
    def rank(self) -> tuple[float, ...]:
        """Smaller is better."""
        if self.seconds is not None:
            return (0, self.seconds)
        if self.compiled is None or self.instructions is None:
            return (2,)
        step = math.floor(math.log(max(1, self.instructions), 1 + EQUAL))
        return (1, self.compiled.spills, step, -self.variant.stages, self.instructions)


def compile_variant(text: str, kernel: str, gpu: str, variant: Variant) -> Compiled | str:
    """Compiles a kernel in one way; says why if that cannot be done.

    The arguments and the result can be sent to other processes, and other machines.
    """
    context = new_context()
    try:
        module = read_text(context, text, kernel)
        with errors_in(kernel, *LAUNCH_ERRORS):
            for step in steps_to(LLVM, module, gpu):
                _varied(step.module_pass, variant).apply(context, module)
                if isinstance(step.module_pass, ConvertCudaTileToTileAAPass):
                    _set_spec(module, variant)
                if isinstance(step.module_pass, TileASPlanCTAPass):
                    _check_cluster(module, variant)
            return _assembled(module, kernel, gpu)
    except InputError as error:
        return str(error)


def _varied(module_pass: ModulePass, variant: Variant) -> ModulePass:
    match module_pass:
        case TileASMaterializeAsyncPass():
            return replace(module_pass, num_stages=variant.stages)
        case TileASMaterializeSchedulePass():
            return replace(module_pass, pipeline_strategy=variant.strategy)
        case _:
            return module_pass


def _set_spec(module: ModuleOp, variant: Variant) -> None:
    for op in module.walk():
        if isinstance(op, FuncOp) and op.kernel_spec is not None:
            occupancy = getattr(op.kernel_spec.occupancy, "data", None)
            op.kernel_spec = KernelSpecAttr(variant.warps, variant.ctas, occupancy)


def _check_cluster(module: ModuleOp, variant: Variant) -> None:
    """Raises InputError for a kernel that so many CTAs cannot divide: it is another variant."""
    for op in module.walk():
        if isinstance(op, FuncOp) and op.kernel_spec is not None:
            used = math.prod(cluster_shape(op))
            if used != variant.ctas:
                name = f"kernel '{op.sym_name.data}'"
                raise InputError(name, f"is divided among {used} CTAs, not {variant.ctas}")


def _assembled(module: ModuleOp, kernel: str, gpu: str) -> Compiled:
    text = ptx.emit(module, gpu)
    assembly = assemble(text, gpu)
    resources = assembly.kernels[kernel]
    return Compiled(
        text,
        assembly.cubin,
        resources.registers,
        resources.spill_stores + resources.spill_loads,
        block_shape(module, kernel),
        dynamic_shared_memory(module, kernel),
        recipes_of(module, kernel),
    )


def tune(
    source: Source,
    grid: Sequence[int],
    arguments: Sequence[object],
    *,
    kernel: str | None = None,
    gpu: str = DEFAULT_GPU,
    tried: Sequence[Variant] | None = None,
    executor: Executor | None = None,
    device: GPU | None = None,
) -> list[Measured]:
    """The variants of a kernel, best first; those that cannot be compiled or run come last.

    `source`, `grid`, `arguments` and `kernel` are as for `runtime.run`; every variant runs on
    copies of the arrays. `tried` defaults to `variants(gpu)`. They are compiled by `executor`, by
    default in processes of this machine, and measured on `device`; without one, counted in the
    emulator.

    Raises InputError, one line, for whatever is wrong with the kernel or its arguments.
    """
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
    if executor is None:
        with processes() as pool:
            compiled = _compile_all(pool, text, found.name, gpu, choices)
    else:
        compiled = _compile_all(executor, text, found.name, gpu, choices)
    measured = [
        Measured(variant, None, problem=result)
        if isinstance(result, str)
        else _measure(variant, result, found.name, extents, bound, device)
        for variant, result in zip(choices, compiled, strict=True)
    ]
    return sorted(measured, key=lambda one: one.rank)


def processes(count: int | None = None) -> ProcessPoolExecutor:
    """Fresh processes of this machine, by default one for each processor."""
    # A copy of a process with threads may wait for one that it does not have.
    return ProcessPoolExecutor(count, multiprocessing.get_context("spawn"))


@contextmanager
def _interrupts_held() -> Generator[None]:
    """Puts Ctrl-C off: processes started meanwhile never see it, and leave reports to this one."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _compile_all(
    executor: Executor, text: str, kernel: str, gpu: str, choices: Sequence[Variant]
) -> list[Compiled | str]:
    with _interrupts_held():
        futures = [executor.submit(compile_variant, text, kernel, gpu, one) for one in choices]
    try:
        return [future.result() for future in futures]
    except BrokenExecutor as error:
        raise InputError(kernel, error) from error
    finally:
        for future in futures:
            # Whoever interrupts does not wait for what has not started.
            future.cancel()


def _copied(bound: Sequence[LaunchArgument]) -> Iterator[LaunchArgument]:
    """The arguments with copies of the arrays, which keep their strides."""
    for value in bound:
        if isinstance(value, np.ndarray):
            yield _copy(value)
        else:
            yield value


def _copy(array: Array) -> Array:
    return array.copy() if array.flags.c_contiguous else array.copy(order="K")


def _measure(
    variant: Variant,
    compiled: Compiled,
    kernel: str,
    grid: Grid,
    bound: Sequence[LaunchArgument],
    device: GPU | None,
) -> Measured:
    values = list(_copied(bound))
    try:
        maps = [tensor_map(recipe, values) for recipe in compiled.tensor_maps]
        if device is not None:
            seconds = _seconds(device, compiled, kernel, grid, [*values, *maps])
            return Measured(variant, compiled, seconds=seconds)
        statistic = emulator.load(compiled.ptx).launch(
            kernel, grid, [*values, *maps], dynamic_shared=compiled.shared
        )
        return Measured(variant, compiled, instructions=statistic.lane_instructions // 32)
    except LAUNCH_ERRORS as error:
        return Measured(variant, compiled, problem=" ".join(str(error).split()))


def _seconds(
    device: GPU,
    compiled: Compiled,
    kernel: str,
    grid: Grid,
    arguments: Sequence[LaunchArgument | emulator.TensorMap],
) -> float:
    loaded = device.load(compiled.cubin, kernel, compiled.shared)
    arrays = [a.array if isinstance(a, emulator.TensorMap) else a for a in arguments]
    copies = DeviceArrays(device)
    try:
        copies.upload([array for array in arrays if isinstance(array, np.ndarray)])
        parameters = copies.pack(arguments)

        def once() -> None:
            loaded.launch(grid, compiled.block, parameters)

        for _ in range(WARM_UPS):
            once()
        return statistics.median(device.seconds(once) for _ in range(RUNS))
    finally:
        copies.free()
