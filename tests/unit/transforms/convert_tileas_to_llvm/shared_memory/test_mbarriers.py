"""Barrier objects are initialised for copies and other CTAs too, not for the threads alone.

The emulator takes an object as initialised at once, so the order of the instructions is what is tested.
"""

import re

import pytest

from bench.matrix_kernels import CASES
from tests.unit.road.zoo import lower
from tileir_xdsl.testing import tools

INSTRUCTION = re.compile(r"mbarrier\.init|fence\.mbarrier_init|bar\.sync|barrier\.cluster\.arrive")


@pytest.mark.parametrize("gpu", ["sm_90a", "sm_100a"])
def test_a_fence_is_between_the_objects_and_the_first_barrier(gpu: str):
    case = CASES["product_128x128x64"]
    ptx = lower(tools.parse(case.text_path.read_text()), gpu).ptx
    found = INSTRUCTION.findall(ptx)
    first = next(n for n, name in enumerate(found) if name.startswith("bar"))
    assert found[:first].count("mbarrier.init") == found.count("mbarrier.init") > 0
    assert found[first - 1] == "fence.mbarrier_init"
