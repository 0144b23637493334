"""Variants of products and attention take the same road: agents, bulk copies, warpgroups."""

from dataclasses import replace
from pathlib import Path

import pytest

from bench.variants import CASES
from tests.unit.road.zoo import lower, run
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels.generate import text

TRIED = ("bias", "silu", "transposed_a", "batched", "persistent", "e4m3", "attention_grouped")
"""Those that are compiled and run here; `python -m bench.variants` takes all of them."""


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", TRIED)
def test_variant(name: str, tmp_path: Path):
    case = replace(CASES[name], folder=tmp_path)
    program = text(case)
    case.text_path.write_text(program)
    kernel = lower(tools.parse(program), "sm_90a")
    for word in ("cp.async.bulk.tensor", "wgmma.mma_async", "setmaxnreg"):
        assert word in kernel.ptx
    run(case, kernel, case.typical, case.grid(case.typical), late=True, races=True)
