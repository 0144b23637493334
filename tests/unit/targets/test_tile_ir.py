"""Which targets have an element type, as the diagnostics say it."""

import pytest

from tileir_xdsl.targets import get_target
from tileir_xdsl.targets.tile_ir import ELEMENT_TYPES, FLOAT_ADDITIONS, POINTER_KINDS, Requirement


@pytest.mark.parametrize(
    ("requirement", "without", "first", "supporters"),
    [
        (ELEMENT_TYPES["f8E4M3FN"], ("sm_80", "sm_88"), "sm_89", "sm_89 or later"),
        (ELEMENT_TYPES["f8E5M2"], ("sm_80", "sm_88"), "sm_89", "sm_89 or later"),
        (ELEMENT_TYPES["f8E8M0FNU"], ("sm_89", "sm_90a"), "sm_100", "sm_100 or later"),
        (ELEMENT_TYPES["f4E2M1FN"], ("sm_89", "sm_90a"), "sm_120", "sm_100 or later"),
        (ELEMENT_TYPES["fnv8E5M3FNU"], ("sm_90a", "sm_100f", "sm_120"), "sm_107", "sm_107"),
        (POINTER_KINDS["multicast"], ("sm_90a", "sm_120"), "sm_103", "sm_100, sm_103 or sm_107"),
        (POINTER_KINDS["unicast"], ("sm_90a", "sm_110"), "sm_100f", "sm_100, sm_103 or sm_107"),
        (FLOAT_ADDITIONS["bf16"], ("sm_80", "sm_86"), "sm_89", "sm_89 or later"),
    ],
)
def test_requirements(
    requirement: Requirement, without: tuple[str, ...], first: str, supporters: str
):
    assert not any(requirement.supports(get_target(name)) for name in without)
    assert requirement.supports(get_target(first))
    assert requirement.supporters == supporters
