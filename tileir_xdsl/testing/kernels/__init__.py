"""The zoo: kernels in cuTile Python, by name, with their Tile IR and their references in numpy."""

from __future__ import annotations

from tileir_xdsl.testing.kernels import (
    array_layouts,
    atomics,
    attention,
    bitcasts,
    comparisons,
    control_flow,
    convergence,
    conversion_rounding,
    conversions,
    convolution,
    deep_matmul,
    dependent_launch,
    directed_rounding,
    divisions,
    dropout,
    elementary,
    elementwise_float,
    elementwise_int,
    fast_math,
    fft,
    heat_step,
    hints,
    indexing,
    insertion,
    integer_folds,
    launch_grid,
    layer_norm,
    masked_matmul,
    matmul,
    matmul_schedules,
    memory_orders,
    mixture_of_experts,
    packing,
    padding_modes,
    powers,
    printing,
    quantization,
    reductions,
    rms_norm,
    rounding_modes,
    scalar_parameters,
    scans,
    segments,
    shapes,
    softmax,
    softmax_online,
    tiled_views,
    transpose,
    vector_add,
    vector_add_gather,
)
from tileir_xdsl.testing.kernels.agreement import Expected, assert_agrees
from tileir_xdsl.testing.kernels.case import KernelCase, Problem, launch_arguments
from tileir_xdsl.testing.kernels.divisible import divisible_twins

_MODULES = (
    vector_add,
    vector_add_gather,
    elementwise_float,
    elementwise_int,
    elementary,
    conversions,
    rounding_modes,
    transpose,
    shapes,
    softmax,
    softmax_online,
    layer_norm,
    rms_norm,
    reductions,
    scans,
    indexing,
    matmul,
    matmul_schedules,
    masked_matmul,
    deep_matmul,
    convolution,
    fft,
    attention,
    mixture_of_experts,
    dropout,
    control_flow,
    atomics,
    tiled_views,
    memory_orders,
    packing,
    bitcasts,
    divisions,
    comparisons,
    directed_rounding,
    fast_math,
    padding_modes,
    array_layouts,
    hints,
    launch_grid,
    segments,
    powers,
    dependent_launch,
    insertion,
    conversion_rounding,
    quantization,
    integer_folds,
    convergence,
    scalar_parameters,
    heat_step,
    printing,
)

KERNELS: dict[str, KernelCase] = {case.name: case for module in _MODULES for case in module.CASES}
"""Every kernel by name; new kernels are added at the end."""

DIVISIBLE: dict[str, KernelCase] = divisible_twins(
    (
        *KERNELS.values(),
        *matmul.WARPGROUP_CASES,
        *matmul_schedules.WARPGROUP_CASES,
        *attention.WARPGROUP_CASES,
    )
)
"""Twins of `KERNELS` with divisible strides, and kernels that exist only with such strides.

Loads of these kernels may be asynchronous, unlike loads with other strides.
"""

LAUNCHES: tuple[tuple[str, Problem], ...] = tuple(
    (case.name, problem) for case in KERNELS.values() for problem in case.problems
)
"""Every kernel with every one of its problems; see `launch_id`."""


def launch_id(launch: tuple[str, Problem]) -> str:
    """The id of one of `LAUNCHES` in tests, such as `vector_add-1000`."""
    name, problem = launch
    return f"{name}-{'x'.join(map(str, problem))}"


__all__ = [
    "DIVISIBLE",
    "KERNELS",
    "LAUNCHES",
    "Expected",
    "KernelCase",
    "Problem",
    "assert_agrees",
    "launch_arguments",
    "launch_id",
]
