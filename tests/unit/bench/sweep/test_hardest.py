"""The points of the sweep that are nearest to what targets have: compiled and assembled.

`python -m bench.sweep --store-hardest` has chosen them by what was measured. `make soak` compiles
forty of every target, and runs a tenth in the emulator.
"""

import pytest

from bench.reference import GPUS
from bench.sweep.measuring import compile_ours
from bench.sweep.plan import point_of
from bench.sweep.store import read_hardest
from tileir_xdsl.runtime.ptxas import assemble

COUNT = 5
TOLERANCE = 1.25
"""Other registers are spilled when code is in another order."""


@pytest.mark.one_in(15)
@pytest.mark.parametrize(("gpu", "number"), [(g, n) for g in GPUS for n in range(COUNT)])
def test_the_hardest_points_are_compiled(gpu: str, number: int):
    name, spilled = read_hardest()[gpu][number]
    generated = point_of(name).generate()
    lowered, _ = compile_ours(generated.text(), gpu)
    assert lowered.ptx is not None
    kernel = assemble(lowered.ptx, gpu, "-O3").kernels[generated.case.name]
    assert kernel.spill_stores + kernel.spill_loads <= TOLERANCE * spilled
