"""The two ways to launch a kernel, and the parts of a target that each leaves available.

`native`: our runtime launches with the block shape and the dynamic shared memory that the kernel
names, and passes tensor maps as further parameters.

`tile`: cuTile launches every kernel as if a tile block were one thread. The block is 1x1x1, there
is no dynamic shared memory, and only the parameters of the Tile IR function are passed. `.reqntid`,
`.reqnctapercluster` and `.blocksareclusters` together make that the launch of whole clusters (PTX
ISA, "Cluster Dimension Directives"), so the target needs clusters. Shared memory is static; ptxas
takes more than 48 KiB of it on architecture-specific targets (`sm_90a`) only. Tensor maps are what
the kernel makes itself, by `tensormap.replace`, which these targets have as well.
"""

from dataclasses import replace
from enum import Enum
from functools import cache

from tileir_xdsl.targets.features import Feature
from tileir_xdsl.targets.target import Target, UnknownTargetError


class ABI(Enum):
    """How a kernel is launched; the value is its name on command lines and in IR."""

    NATIVE = "native"
    TILE = "tile"


LAUNCH_MAP_FEATURES = frozenset({Feature.TMA_GATHER, Feature.TMA_SCATTER, Feature.TMA_IM2COL_W})
"""Instructions that read a tensor map made by the launch; a launch by ABI `tile` makes none."""

MOST_MULTIPROCESSORS = 256
"""No GPU has more: Rubin (sm_107) has 224, the largest so far (`residency.MULTIPROCESSORS`)."""


class UnsupportedABIError(UnknownTargetError):
    """An ABI that does not exist, or that a target cannot implement."""


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
