"""What a report says to fix first, of made-up results."""

from typing import Any

import pytest

from bench.pack.measured import Results
from bench.pack.priorities import findings

OFF = {"wrong": 3, "of": 10, "worst": 0.5, "worst_ulps": 2.0}


def timed(**contenders: Any) -> dict[str, Any]:
    found = {w: {"seconds": s} if isinstance(s, float) else s for w, s in contenders.items()}
    return {"status": "measured", "contenders": found}


ITEMS: dict[str, Any] = {
    "c/ours/softmax_f32": {"status": "fault", "detail": "CUDA_ERROR_ILLEGAL_ADDRESS"},
    "c/tile/softmax_f32": {"status": "fault", "detail": "CUDA_ERROR_ILLEGAL_ADDRESS"},
    "c/tileiras/matmul": {"status": "wrong", "who": "tileiras", "outputs": [OFF]},
    "d/copy": timed(ours=1.0, tileiras=0.98),
    "d/softmax": timed(ours=2.0, tileiras=1.0, Triton=1.5),
    "d/matmul_f8_4096": timed(ours=1.0, tileiras=0.5),
    "d/matmul_f8_8192": timed(ours=1.0, cuBLAS=0.25, **{"ours, 8 warps": 0.8}),
    "d/attention_128_4096": timed(ours={"hung": "no answer"}, tileiras=1.0),
    "b/forms/cvt.a": {"status": "wrong", "title": "cvt.rn.f32", "outputs": [OFF]},
    "b/forms/cvt.b": {"status": "wrong", "title": "cvt.rz.f32", "outputs": [OFF]},
    "b/forms/add": {"status": "right", "title": "add.f32"},
    "e/matmul_f8_8192": {
        "status": "measured",
        "metrics": {"cycles": 90.0, "stall_barrier": 0.5, "stall_wait": 0.1},
        "prediction": {"cycles": 60.0},
    },
}

IN_ORDER = (
    "`b/forms/cvt.a`, `b/forms/cvt.b`: wrong: 3 of 10 elements, up to 0.5 off",
    "`c/ours/softmax_f32`, `c/tile/softmax_f32`: fault: CUDA_ERROR_ILLEGAL_ADDRESS",
    "`d/attention_128_4096`: ours hung: no answer",
    "`d/matmul_f8_8192`: 31% of the speed of cuBLAS: 0.8 s, not 0.25 s",
    "`d/softmax`: 50% of the speed of tileiras: 2 s, not 1 s",
    "`c/tileiras/matmul`: wrong: 3 of 10 elements, up to 0.5 off",
)


def found(items: dict[str, Any], on: str = "gpu") -> list[str]:
    return [finding.line for finding in findings(Results({"on": on, "items": items}))]


def test_wrong_values_come_first_and_then_failures_and_what_is_slow() -> None:
    lines = [line.partition(". Look at")[0] for line in found(ITEMS)]
    assert lines == list(IN_ORDER)


@pytest.mark.parametrize(
    ("start", "where"),
    [
        ("`b/forms/cvt.a`", "`tileir_xdsl/emulator/instructions`"),
        ("`c/ours/softmax_f32`", "`tileir check tileir_xdsl/testing/kernels/softmax_f32.mlir`"),
        ("`d/matmul_f8_8192`", "90 cycles, 60 predicted; most warps wait for barrier"),
        ("`d/softmax`", "debugging.md#my-kernel-is-slow"),
    ],
)
def test_each_says_where_to_look(start: str, where: str) -> None:
    line = next(line for line in found(ITEMS) if line.startswith(start))
    assert where in line.partition("Look at ")[2]


def test_a_dry_run_has_no_times() -> None:
    assert not [line for line in found(ITEMS, "fake") if "of the speed" in line]
