"""Kernels of the zoo have no races in on-chip memory as `tileas-insert-barriers` leaves them."""

import pytest

from tests.unit.interpreters.on_chip.compiled import compiled, races_of
from tileir_xdsl.options import Options
from tileir_xdsl.testing.kernels import Problem

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


@pytest.mark.one_in(12)
@pytest.mark.parametrize("gpu", ["sm_80", "sm_90a", "sm_100a", "sm_120a"])
@pytest.mark.parametrize("name", NAMES)
def test_no_races(name: str, gpu: str):
    assert races_of(compiled(name, gpu), name) == []


FORMS = (
    ("divisible/persistent_matmul_warpgroup", "sm_90a", Options(dynamic_persistent=True), None),
    ("divisible/matmul_f16_warpgroup", "sm_100a", Options(dynamic_persistent=True), (128, 64, 704)),
    ("divisible/matmul_f16_warpgroup", "sm_90a", Options(ctas=2), (128, 64, 704)),
    ("divisible/matmul_f16_warpgroup", "sm_90a", Options(strategy="unspecialize"), (64, 64, 704)),
    ("divisible/matmul_f16_warpgroup", "sm_100a", Options(strategy="unspecialize"), (64, 64, 704)),
    ("divisible/matmul_f16_warpgroup", "sm_90a", Options(opt_level=0), (64, 64, 704)),
    ("divisible/matmul_f16", "sm_80", Options(stages=2), (32, 32, 288)),
)


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("name", "gpu", "options", "problem"), FORMS)
def test_no_races_in_other_forms(name: str, gpu: str, options: Options, problem: Problem | None):
    assert races_of(compiled(name, gpu, options), name, problem) == []
