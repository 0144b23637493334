"""MMAs whose accumulator starts anew in every iteration of a loop, whatever becomes of it."""

import numpy as np
import pytest

from tests.unit.road.loops.test_staged_dots import K, M, N, check, kernel

TILE = "tile<64x64xf32>"
RESTARTED = kernel("f16", "f32", transposed=True).replace("%x, %y, %acc", "%x, %y, %init")
ENDS = {
    "only the last one is used": "continue %d",
    "used along with the previous one": f"""
        %both = subf %d, %acc rounding<nearest_even> : {TILE}
        continue %both""",
    "its negation is used": f"""
        %minus = negf %d : {TILE}
        continue %minus""",
    "it is added to once more": f"""
        %e = mmaf %x, %y, %d : tile<64x32xf16>, tile<32x64xf16>, {TILE}
        continue %e""",
    "the previous one is forwarded": "continue %acc",
}


@pytest.mark.one_in(5, "only the last one is used-sm_90a")
@pytest.mark.parametrize("gpu", ("sm_80", "sm_90a", "sm_100a"))
@pytest.mark.parametrize("end", ENDS)
def test_restarted(end: str, gpu: str):
    """The previous accumulator is read before the next MMA overwrites where it lies."""
    text = RESTARTED.replace("continue %d", ENDS[end]).replace("f32: 0.0>", "f32: 1.0>")
    rng = np.random.default_rng(7)
    a, b = (rng.integers(-2, 3, (rows, 208)).astype(np.float16) for rows in (M, N))
    arguments = [a, b, np.zeros((M, N), np.float32), M, N, K, 208, 208]
    check(text, (2, 1, 1), arguments, gpu, "")
