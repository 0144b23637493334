"""The points of the sweep that are nearest to what targets have: compiled and assembled.

`make soak` compiles the first forty points of every target, and runs a tenth in the emulator.
"""

import pytest

from bench.sweep.measuring import compile_ours
from bench.sweep.plan import point_of
from tileir_xdsl.runtime.ptxas import assemble

LATENT = (
    "attention queries=16 keys=128 head=latent type=bf16 causal=1 group=1 capped=0 paged=1 "
    "log_sum_exp=0 sinks=0"
)
CAPPED = (
    "attention queries=128 keys=128 head=64 type=f16 causal=1 group=1 capped=1 paged=0 "
    "log_sum_exp=1 sinks=1"
)
TALL = (
    "attention queries=256 keys=16 head=128 type=f16 causal=1 group=4 capped=1 paged=1 "
    "log_sum_exp=0 sinks=0"
)
WIDE = (
    "attention queries=256 keys=32 head=256 type=bf16 causal=0 group=1 capped=0 paged=1 "
    "log_sum_exp=1 sinks=1"
)
SMALL = (
    "attention queries=64 keys=64 head=64 type=bf16 causal=1 group=1 capped=0 paged=0 "
    "log_sum_exp=1 sinks=0"
)
BACKWARD = (
    "attention_backward of=queries queries=64 keys=16 head=256 type=f16 causal=0 group=1 "
    "capped=0 scores_transposed=1"
)
SCAN = "scan op=linear width=64 others=32 type=f64 axis=1 reverse=0"
DOUBLE = (
    "matmul m=256 n=32 k=64 type=f64 a_transposed=1 b_transposed=0 form=plain "
    "epilogue=alpha_beta ctas=4"
)
SINGLE = (
    "matmul m=64 n=128 k=32 type=f32 a_transposed=1 b_transposed=1 form=persistent "
    "epilogue=alpha_beta ctas=1"
)

HARDEST = {
    "sm_80": {LATENT: 1000, CAPPED: 0, WIDE: 3000, BACKWARD: 0, SCAN: 0},
    "sm_89": {LATENT: 1500, CAPPED: 0, TALL: 0, SINGLE: 5000, SCAN: 0},
    "sm_90a": {LATENT: 1000, CAPPED: 0, WIDE: 4000, BACKWARD: 0, SCAN: 0},
    "sm_100a": {LATENT: 1000, CAPPED: 0, WIDE: 4000, TALL: 0, DOUBLE: 0},
    "sm_120a": {LATENT: 1500, CAPPED: 0, TALL: 0, SMALL: 0, SCAN: 0},
}
"""By target: points, and the bytes of spill stores and loads that each may have."""


@pytest.mark.parametrize(
    ("gpu", "name"), [(gpu, name) for gpu, names in HARDEST.items() for name in names]
)
def test_the_hardest_points_are_compiled(gpu: str, name: str):
    generated = point_of(name).generate()
    lowered, _ = compile_ours(generated.text(), gpu)
    assert lowered.ptx is not None
    kernel = assemble(lowered.ptx, gpu, "-O3").kernels[generated.case.name]
    assert kernel.spill_stores + kernel.spill_loads <= HARDEST[gpu][name]
