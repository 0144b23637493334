"""Every kind of need that an op may state is one that scratch memory is found for."""

from typing import get_args

from tileir_xdsl.analysis.allocation.scratch_uses import USES
from tileir_xdsl.dialects.scratch import ScratchNeed


def test_every_need_is_known():
    assert set(USES) == set(get_args(ScratchNeed))
