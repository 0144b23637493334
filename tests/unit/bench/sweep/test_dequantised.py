"""Weights that threads convert on their way to a dot: right values, and copies ahead of time."""

from itertools import product

import pytest

from bench.sweep.dequantised import axes
from bench.sweep.kinds import Generated
from bench.sweep.measuring import compile_ours, emulate
from bench.sweep.plan import point_of

WITH_TMA = ("sm_90a", "sm_100a", "sm_120a")
FORMS = ("plain", "scaled", "masked")
CASES = sorted(
    (gpu, str(weights), form, transposed)
    for gpu in ("sm_80", *WITH_TMA)
    for weights, form, transposed in product(axes(gpu)["weights"], FORMS, (0, 1))
)


def generated(weights: str, form: str, transposed: int) -> Generated:
    shape = f"m=64 n=64 k=32 weights={weights} form={form} transposed={transposed}"
    return point_of(f"dequantised {shape}").generate()


@pytest.mark.one_in(24)
@pytest.mark.parametrize(("gpu", "weights", "form", "transposed"), CASES)
def test_values_on_a_ragged_shape(gpu: str, weights: str, form: str, transposed: int):
    point = generated(weights, form, transposed)
    program = point.text()
    lowered, _ = compile_ours(program, gpu)
    emulate(point, program, lowered)


@pytest.mark.parametrize("gpu", WITH_TMA)
def test_threads_take_the_weights_from_shared_memory(gpu: str):
    lowered, _ = compile_ours(generated("i8", "plain", 0).text(), gpu)
    assert lowered.ptx is not None
    assert "ld.global" not in lowered.ptx
    assert lowered.ptx.count("cp.async.bulk.tensor.2d.shared") == 2


@pytest.mark.parametrize("form", FORMS)
def test_copies_of_threads_run_ahead(form: str):
    program = generated("i8" if form != "masked" else "f16", form, 0).text()
    lowered, _ = compile_ours(program, "sm_80")
    assert lowered.ptx is not None
    # Scales are loaded once, before the loop.
    loop = lowered.ptx[lowered.ptx.index("cp.async.wait_group") :]
    assert "mma.sync" in loop and "ld.global" not in loop
