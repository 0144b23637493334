"""Warnings about optimisation hints."""

import pytest

from tests.unit.dialects.cuda_tile import samples
from tileir_xdsl.dialects.cuda_tile import CudaTile
from tileir_xdsl.dialects.cuda_tile.hints import HINTS, hint_problems
from tileir_xdsl.dialects.cuda_tile.interfaces import CudaTileOperation
from tileir_xdsl.testing.tools import parse

LOAD = (
    "cuda_tile.module @m {{ testing$func @f(%p: tile<ptr<f32>>) {{ %0, %1 = load_ptr_tko weak %p "
    "optimization_hints = <{}> : tile<ptr<f32>> -> tile<f32>, token }} }}"
)
ENTRY = "cuda_tile.module @m {{ entry @f() optimization_hints=<{}> {{ }} }}"
VIEW = (
    "cuda_tile.module @m {{ testing$func @f(%v: partition_view<tile=(4), tensor_view<4xf32, "
    "strides=[1]>>, %i: tile<i32>) {{ %0, %1 = load_view_tko weak %v[%i] optimization_hints = "
    "<{}> : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<i32> -> "
    "tile<4xf32>, token }} }}"
)


@pytest.mark.parametrize(
    ("text", "hints", "messages"),
    [
        (ENTRY, "sm_70 = {occupancy = 2}", ["unknown hint key sm_70"]),
        (ENTRY, "sm_90 = {latency = 2}", ["latency is not known hint for current Operation"]),
        (ENTRY, "sm_90 = {occupancy = true}", ["integer value expected for sm_90.occupancy"]),
        (
            ENTRY,
            "sm_90 = {occupancy = 33}",
            ["integer value in the range [1, 32] is expected for sm_90.occupancy"],
        ),
        (ENTRY, "sm_80 = {num_cta_in_cga = 2}", ["expected 1 for sm_80.num_cta_in_cga"]),
        (
            ENTRY,
            "sm_90 = {num_cta_in_cga = 3}",
            ["expected power-of-two ≤ 16 for sm_90.num_cta_in_cga"],
        ),
        (
            ENTRY,
            "sm_90 = {num_cta_in_cga = 0}",
            ["expected power-of-two ≤ 16 for sm_90.num_cta_in_cga"],
        ),
        (
            ENTRY,
            "default = {num_worker_warps_per_cta = 64}",
            ["expected power-of-two ≤ 32 for default.num_worker_warps_per_cta"],
        ),
        (
            LOAD,
            "sm_90 = {latency = 11, allow_tma = true}",
            [
                "integer value in the range [1, 10] is expected for sm_90.latency",
                "allow_tma is not known hint for current Operation",
            ],
        ),
        (VIEW, "sm_90 = {allow_tma = 1}", ["boolean value expected for sm_90.allow_tma"]),
        (VIEW, "sm_90 = {allow_tma = false, latency = 1}, default = {}", []),
        (ENTRY, "sm_80 = {num_cta_in_cga = 1}, sm_100 = {num_cta_in_cga = 16}", []),
    ],
)
def test_messages(text: str, hints: str, messages: list[str]):
    module = parse(text.format(hints))
    assert [m for op in module.walk() for _, m in hint_problems(op)] == messages


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", samples.KERNEL_FILES)
def test_real_kernels_have_none(name: str):
    module = parse(samples.text(samples.KERNEL_FILES[name]))
    assert not [m for op in module.walk() for _, m in hint_problems(op)]


def test_every_operation_with_hints_has_a_table():
    with_hints = {
        operation.name
        for operation in CudaTile.operations
        if issubclass(operation, CudaTileOperation)
        and any(prop.name == "optimization_hints" for prop in operation.DEFINITION.properties)
    }
    assert with_hints == set(HINTS)
