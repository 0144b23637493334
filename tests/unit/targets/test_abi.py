"""What is left of a target where kernels are launched by ABI `tile`."""

import pytest

from tileir_xdsl.targets import ABI, TARGETS, Feature, UnsupportedABIError, get_target, under_abi
from tileir_xdsl.targets.abi import LAUNCH_MAP_FEATURES

STATIC = 48 * 1024


@pytest.mark.parametrize("name", TARGETS)
def test_native_is_the_target_itself(name: str):
    assert under_abi(TARGETS[name], ABI.NATIVE) is TARGETS[name]


@pytest.mark.parametrize("name", [n for n, t in TARGETS.items() if t.compute_capability >= 90])
def test_tile(name: str):
    """Static shared memory beyond 48 KiB is of architecture-specific targets, as ptxas says."""
    target, whole = under_abi(TARGETS[name], ABI.TILE), TARGETS[name]
    assert target.name == name and target.is_self_contained
    # A kernel that makes its tensor maps needs `tensormap.replace`.
    lost = set() if Feature.TENSORMAP_REPLACE in whole.features else {Feature.TMA}
    assert target.features == whole.features - LAUNCH_MAP_FEATURES - lost
    expected = whole.limits.shared_memory_per_block if name.endswith("a") else STATIC
    assert target.limits.shared_memory_per_block == expected
    assert target.limits.static_shared_memory_per_block == expected


@pytest.mark.parametrize("name", ("sm_80", "sm_86", "sm_89"))
def test_targets_without_clusters_have_no_abi_tile(name: str):
    with pytest.raises(UnsupportedABIError, match=f"needs thread block clusters.*which {name}"):
        under_abi(get_target(name), ABI.TILE)


def test_clusters_are_what_it_needs():
    assert {n for n, t in TARGETS.items() if Feature.CLUSTERS in t.features} == {
        n for n, t in TARGETS.items() if t.compute_capability >= 90
    }
