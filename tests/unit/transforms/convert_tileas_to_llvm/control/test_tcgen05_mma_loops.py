"""What is left of a loop of MMAs for the threads that do not issue them."""

import re
from functools import cache

from bench.matrix_kernels import CASES
from tests.unit.road.zoo import lower
from tileir_xdsl.testing import tools


@cache
def product() -> str:
    """The PTX of a product of tiles of 128x128."""
    return lower(tools.parse(CASES["product_128x128x64"].text_path.read_text()), "sm_100a").ptx


def test_accumulators_are_initialised_where_the_loop_runs():
    """No thread carries that: zeros are stored by the test of whether the loop runs."""
    (runs,) = re.findall(r"setp\.gt\.s32 (%p\d+), %r\d+, 0;\n\t@!\1 bra", product())[:1]
    before_load = product()[: product().index("tcgen05.ld")]
    stores = before_load[before_load.rindex("tcgen05.fence::after_thread_sync") :]
    assert re.search(rf"selp\.b32 %r\d+, 1, 0, {runs};", stores)
    assert "tcgen05.st" in stores


def test_the_address_is_computed_once_for_zeros_and_for_the_load():
    assert len(re.findall(r"mad\.lo\.s32 %r\d+, %r\d+, 2097152,", product())) == 1


def test_threads_poll_by_one_instruction():
    """At the head of the loop, not once more before it."""
    assert len(re.findall(r"mbarrier\.try_wait\.shared::cta\.b64", product())) == 1
