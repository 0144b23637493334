"""Stages that `tcgen05` MMAs alone read, and hardware releases."""

import numpy as np

from tests.unit.road.agreement import kernel
from tests.unit.road.loops.test_copy_groups import HALF, ROUNDS, SIZE, SUM, TILES
from tileir_xdsl import emulator
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.runtime.launching import dynamic_shared_memory, with_tensor_maps
from tileir_xdsl.testing import tools

GPU = "sm_100a"
SOMETIMES_TWICE = f"""
%is_second = cmpi equal %k, %one, signed : tile<i32> -> tile<i1>
%e = if %is_second -> ({SUM}) {{
  %f = mmaf %x, %y, %d : {HALF}, {HALF}, {SUM}
  yield %f : {SUM}
}} else {{
  yield %d : {SUM}
}}
continue %e : {SUM}
"""


def test_a_stage_whose_last_reader_is_in_a_branch_is_released():
    """Not by that reader, but where the release is: there are more iterations than stages."""
    text = kernel(ROUNDS, ["f16", "f16", "f32"]).replace(
        "%p2: tile<ptr<f32>>", "%p2: tile<ptr<f32>>, %n: tile<i32>"
    )
    text = text.replace(f"continue %d : {SUM}", SOMETIMES_TWICE)
    module = tools.run_passes(tools.parse(text), f"tileir-pipeline{{gpu={GPU}}}")
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-2, 3, (TILES, SIZE, SIZE)).astype(np.float16) for _ in "ab")
    products = [
        (k + 1) * (1 + (k == 1)) * a[k].astype(int) @ b[k].astype(int) for k in range(TILES)
    ]
    found = np.zeros((SIZE, SIZE), np.float32)
    emulator.load(emit(module, GPU)).launch(
        "k",
        (1, 1, 1),
        with_tensor_maps(module, "k", [a, b, found, TILES]),
        dynamic_shared=dynamic_shared_memory(module, "k"),
        races=True,
        late=True,
    )
    np.testing.assert_array_equal(found, sum(products))
