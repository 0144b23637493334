"""How many CTAs a `tcgen05.mma` runs in: one, or a pair that shares its operands.

    %d = nv_tileas.async.dot %a, %b, %c {atom = #nv_tileas<atom umma_f16_f16_f32>, cta_group = 2}

Source: PTX ISA, "tcgen05.mma", `.cta_group`.
"""

from xdsl.dialects.builtin import I32, IntegerAttr
from xdsl.utils.exceptions import VerifyException

PAIR = 2
"""The CTAs of a pair, whose ranks in the cluster differ in the lowest bit."""


def verify_cta_group(group: IntegerAttr[I32] | None) -> None:
    """Raises `VerifyException` unless the number of CTAs is 1 or 2."""
    if group is not None and group.value.data not in (1, PAIR):
        raise VerifyException(f"expects a cta_group of 1 or 2, but got {group.value.data}")


def is_of_pair(group: IntegerAttr[I32] | None) -> bool:
    """Whether a pair of CTAs executes the op together."""
    return group is not None and group.value.data == PAIR
