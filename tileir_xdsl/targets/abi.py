"""The two launch ABIs of kernels, and the target features that each ABI allows.

`native`: our runtime launches with the kernel's block shape and dynamic shared memory, and passes
tensor maps as further parameters.

`tile`: cuTile launches every kernel as if a tile block were one thread. A launch under `tile` has
blocks of 1x1x1, no dynamic shared memory, and only the parameters of the Tile IR function. With
`.reqntid`, `.reqnctapercluster` and `.blocksareclusters`, a launch of 1x1x1 blocks starts whole
clusters (PTX ISA, "Cluster Dimension Directives"), so the target needs clusters. Shared memory
under `tile` is static; ptxas accepts more than 48 KiB only on architecture-specific targets
(`sm_90a`). Under `tile` the kernel itself makes tensor maps, by `tensormap.replace` of
architecture-specific targets.
"""

from dataclasses import replace
from enum import Enum
from functools import cache

from tileir_xdsl.targets.features import Feature
from tileir_xdsl.targets.target import Target, UnknownTargetError


class ABI(Enum):
    """The launch ABI of a kernel; the value is its name on command lines and in IR."""

    NATIVE = "native"
    TILE = "tile"


LAUNCH_MAP_FEATURES = frozenset({Feature.TMA_GATHER, Feature.TMA_SCATTER, Feature.TMA_IM2COL_W})
"""Instructions that read tensor maps of the launch, which ABI `tile` lacks."""

MOST_MULTIPROCESSORS = 256
"""More multiprocessors than any GPU has: Rubin (sm_107) has 224 (`residency.MULTIPROCESSORS`)."""


class UnsupportedABIError(UnknownTargetError):
    """The ABI does not exist, or the target cannot implement it."""


@cache
def under_abi(target: Target, abi: ABI) -> Target:
    """The part of a target that a kernel of an ABI can use.

    Raises:
        UnsupportedABIError: the target has no clusters, which ABI `tile` is launched as.
    """
    if abi is ABI.NATIVE:
        return target
    if Feature.CLUSTERS not in target.features:
        raise UnsupportedABIError(
            f"ABI 'tile' needs thread block clusters (sm_90 or later), which {target.name} lacks: "
            "without them a launch with a block of 1x1x1 starts one thread"
        )
    limits = target.limits
    if target.ptx_name.endswith("a"):
        static = limits.shared_memory_per_block
        limits = replace(limits, static_shared_memory_per_block=static)
    else:
        static = limits.static_shared_memory_per_block
        limits = replace(limits, max_shared_memory_per_block=static)
    features = target.features - LAUNCH_MAP_FEATURES
    if Feature.TENSORMAP_REPLACE not in features:
        features -= {Feature.TMA}
    return replace(target, features=features, limits=limits, is_self_contained=True)
