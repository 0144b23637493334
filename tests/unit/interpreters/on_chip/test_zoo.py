"""Kernels of the zoo have no races in on-chip memory as `tileas-insert-barriers` leaves them."""

import pytest

from tests.unit.interpreters.on_chip.compiled import compiled, races_of
from tests.unit.soak import spread

NAMES = (
    "divisible/matmul_f16",
    "divisible/batched_matmul_warpgroup",
    "divisible/persistent_matmul_warpgroup",
    "divisible/attention",
    "divisible/attention_causal_warpgroup",
    "divisible/split_k_matmul",
    "cumulative",
    "convolution",
    "fft_step",
    "gather_rows",
    "histogram",
    "layer_norm_backward",
    "atomic_updates_i32",
    "linear_recurrence",
    "mixture_of_experts",
    "moving_sum",
    "permute_3d",
    "print_formats",
    "reductions",
    "segment_sums",
    "softmax_online",
    "split_words",
    "top_k",
    "transpose",
)


@pytest.mark.parametrize("gpu", ["sm_80", "sm_90a", "sm_100a", "sm_120a"])
@pytest.mark.parametrize("name", spread(NAMES, every=6))
def test_no_races(name: str, gpu: str):
    assert races_of(compiled(name, gpu), name) == []
