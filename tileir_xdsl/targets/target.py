"""The GPUs that code is generated for, as data.

Limits: CUDA C++ Programming Guide, technical specifications per compute capability. Features and
PTX versions: PTX ISA.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from tileir_xdsl.targets import features as target_features


class UnknownTargetError(ValueError):
    """A target name is unknown."""


@dataclass(frozen=True)
class CostWeights:
    """Weights of the terms of the layout cost model.

    Transactions move 32 bytes; they and cycles are counted per tile row.
    """

    shared_memory: float = 1.0
    """The weight of each shared-memory transaction."""
    tensor_memory: float = 4.0
    """The weight of each tensor-memory cycle."""
    registers: float = 0.25
    """The weight of each live 32-bit register of a thread."""
    global_memory: float = 2.0
    """The weight of global-memory sectors, and of instructions that request sectors.

    The L1 cache has half the bandwidth of shared memory. With weight 0 the cost model is that of
    the TileAS layout notes.
    """


@dataclass(frozen=True)
class Limits:
    """Capacities of a block and a multiprocessor. Memory is in bytes, registers in 32-bit words."""

    max_threads_per_multiprocessor: int
    max_blocks_per_multiprocessor: int
    shared_memory_per_multiprocessor: int
    max_threads_per_block: int = 1024
    registers_per_multiprocessor: int = 65536
    max_registers_per_thread: int = 255
    static_shared_memory_per_block: int = 48 * 1024
    reserved_shared_memory_per_block: int = 1024
    max_blocks_per_cluster: int = 1
    copies_to_clusters: bool = False
    """Whether hardware, not software, executes multicast copies to several blocks of a cluster."""
    tensor_memory_columns: int = 0
    """Columns of 128 lanes x 32 bits per multiprocessor; 0 without tensor memory."""
    max_shared_memory_per_block: int | None = None
    """A lower limit than the hardware's, if the ABI sets one."""

    @property
    def shared_memory_per_block(self) -> int:
        """The most shared memory of a block: dynamic, or static if the ABI requires that."""
        most = self.shared_memory_per_multiprocessor - self.reserved_shared_memory_per_block
        return min(most, self.max_shared_memory_per_block or most)

    @property
    def max_warps_per_block(self) -> int:
        """Warps of 32 threads per block."""
        return self.max_threads_per_block // 32


@dataclass(frozen=True)
class Target:
    """One value of ``.target`` in PTX, or a variant of one.

    The suffix ``a`` (architecture-specific) adds instructions that run only on this architecture,
    ``f`` (family) those that also run on later members of its family.
    """

    name: str
    """As in ``.target``, e.g. ``sm_90a``; a variant has another name."""
    compute_capability: int
    """10 * major + minor, e.g. 90."""
    minimum_ptx_version: target_features.PTXVersion
    """The first PTX ISA version that knows the target."""
    default_ptx_version: target_features.PTXVersion
    """The version to print if no instruction needs a later one."""
    features: frozenset[target_features.Feature]
    limits: Limits
    cost_weights: CostWeights = CostWeights()
    is_self_contained: bool = False
    """Whether a launch passes only the parameters of the source (`under_abi`)."""
    variant_of: str = ""
    """The ``.target`` that a variant is assembled as; empty for a target of this table."""
    withheld_atoms: frozenset[str] = frozenset()
    """Atoms that passes must not choose, although the features allow them."""

    @property
    def ptx_name(self) -> str:
        """The name of the target in PTX."""
        return self.variant_of or self.name

    @property
    def copies_to_clusters(self) -> bool:
        """Whether copies to several blocks of a cluster are as fast as to one.

        Code for a target without suffix also runs on hardware where software executes multicast
        copies. Source: PTX ISA, "cp.async.bulk.tensor", Target ISA Notes.
        """
        return self.limits.copies_to_clusters and not self.ptx_name[-1].isdigit()

    def ptx_version(
        self, used: Iterable[target_features.Feature] = ()
    ) -> target_features.PTXVersion:
        """The PTX ISA version for a kernel that uses these features."""
        return max(
            [self.default_ptx_version, *map(target_features.FEATURE_PTX_VERSIONS.__getitem__, used)]
        )


_KIB = 1024

_SM_80 = Limits(2048, 32, 164 * _KIB)
_SM_86 = Limits(1536, 16, 100 * _KIB)
_SM_87 = Limits(1536, 16, 164 * _KIB)
_SM_89 = Limits(1536, 24, 100 * _KIB)
_SM_90 = Limits(2048, 32, 228 * _KIB, max_blocks_per_cluster=8, copies_to_clusters=True)
_SM_100 = Limits(
    2048,
    32,
    228 * _KIB,
    max_blocks_per_cluster=8,
    copies_to_clusters=True,
    tensor_memory_columns=512,
)
# Half the threads and blocks of sm_100: ptxas ignores a .minnctapersm beyond them.
_SM_107 = replace(_SM_100, max_threads_per_multiprocessor=1024, max_blocks_per_multiprocessor=16)
_SM_110 = Limits(
    1536,
    24,
    228 * _KIB,
    max_blocks_per_cluster=8,
    copies_to_clusters=True,
    tensor_memory_columns=512,
)
_SM_120 = Limits(1536, 24, 100 * _KIB, max_blocks_per_cluster=8)

_SM_100_SPECIFIC = target_features.TENSOR_MEMORY_FAMILY | {
    target_features.Feature.FLOAT_WARP_REDUCTION,
    target_features.Feature.TCGEN05_INT8,
    target_features.Feature.TCGEN05_SPARSE_4_BITS,
    target_features.Feature.STOCHASTIC_ROUNDING,
}
_SM_103_SPECIFIC = _SM_100_SPECIFIC - {target_features.Feature.TCGEN05_INT8}
_SM_100_FAMILY = target_features.TENSOR_MEMORY_FAMILY | {
    target_features.Feature.FLOAT_WARP_REDUCTION
}
_SM_107_SPECIFIC = _SM_103_SPECIFIC | {target_features.Feature.UE5M3_CONVERSION}
_SM_107_FAMILY = _SM_100_FAMILY | {target_features.Feature.UE5M3_CONVERSION}
_SM_110_SPECIFIC = target_features.TENSOR_MEMORY_FAMILY | {
    target_features.Feature.TCGEN05_INT8,
    target_features.Feature.TCGEN05_SPARSE_4_BITS,
}

DEFAULT_TARGET = "sm_90a"
"""The target if none is given."""

TARGETS: dict[str, Target] = {
    target.name: target
    for target in (
        Target("sm_80", 80, (7, 0), (7, 8), target_features.AMPERE, _SM_80),
        Target("sm_86", 86, (7, 1), (7, 8), target_features.AMPERE, _SM_86),
        Target("sm_87", 87, (7, 4), (7, 8), target_features.AMPERE, _SM_87),
        Target("sm_88", 88, (9, 0), (9, 0), target_features.AMPERE, _SM_86),
        Target("sm_89", 89, (7, 8), (7, 8), target_features.ADA, _SM_89),
        Target("sm_90", 90, (7, 8), (8, 0), target_features.HOPPER, _SM_90),
        Target("sm_90a", 90, (8, 0), (8, 0), target_features.HOPPER_SPECIFIC, _SM_90),
        Target("sm_100", 100, (8, 6), (8, 6), target_features.BLACKWELL, _SM_100),
        Target("sm_100a", 100, (8, 6), (8, 6), _SM_100_SPECIFIC, _SM_100),
        Target("sm_100f", 100, (8, 8), (8, 8), _SM_100_FAMILY, _SM_100),
        Target("sm_103", 103, (8, 8), (8, 8), target_features.BLACKWELL, _SM_100),
        Target("sm_103a", 103, (8, 8), (8, 8), _SM_103_SPECIFIC, _SM_100),
        Target("sm_103f", 103, (8, 8), (8, 8), _SM_100_FAMILY, _SM_100),
        Target("sm_107", 107, (9, 4), (9, 4), target_features.BLACKWELL, _SM_107),
        Target("sm_107a", 107, (9, 4), (9, 4), _SM_107_SPECIFIC, _SM_107),
        Target("sm_107f", 107, (9, 4), (9, 4), _SM_107_FAMILY, _SM_107),
        Target("sm_110", 110, (9, 0), (9, 0), target_features.BLACKWELL, _SM_110),
        Target("sm_110a", 110, (9, 0), (9, 0), _SM_110_SPECIFIC, _SM_110),
        Target("sm_110f", 110, (9, 0), (9, 0), target_features.TENSOR_MEMORY_FAMILY, _SM_110),
        Target("sm_120", 120, (8, 7), (8, 7), target_features.BLACKWELL, _SM_120),
        Target("sm_120a", 120, (8, 7), (8, 7), target_features.BLOCK_SCALED_FAMILY, _SM_120),
        Target("sm_120f", 120, (8, 8), (8, 8), target_features.BLOCK_SCALED_FAMILY, _SM_120),
        Target("sm_121", 121, (8, 8), (8, 8), target_features.BLACKWELL, _SM_120),
        Target("sm_121a", 121, (8, 8), (8, 8), target_features.BLOCK_SCALED_FAMILY, _SM_120),
        Target("sm_121f", 121, (8, 8), (8, 8), target_features.BLOCK_SCALED_FAMILY, _SM_120),
    )
}
"""Every supported target by its PTX name."""


VARIANTS: dict[str, tuple[Target, str]] = {}
"""The target variants that extensions have registered, with the names of these extensions."""


def register_variant(variant: Target, origin: str) -> None:
    """Registers a variant by its name; it replaces an earlier one of the same extension.

    Raises:
        UnknownTargetError: another target has the name.
    """
    if variant.name in TARGETS or variant_origin(variant.name) not in (None, origin):
        raise UnknownTargetError(f"there already is a target '{variant.name}'")
    VARIANTS[variant.name] = (variant, origin)


def forget_variants(origin: str) -> None:
    """Drops the variants of an extension."""
    for name in [name for name, (_, other) in VARIANTS.items() if other == origin]:
        del VARIANTS[name]


def variant_origin(name: str) -> str | None:
    """The extension that has registered a variant; None for other names."""
    return VARIANTS[name][1] if name in VARIANTS else None


def assembled_as(name: str) -> str:
    """The ``.target`` of code for a target: its name, or that of a variant's base."""
    return VARIANTS[name][0].ptx_name if name in VARIANTS else name


def get_target(name: str | int) -> Target:
    """The target called ``name``: ``"sm_90a"``, ``"sm_90"``, ``"90"`` or ``90``, or a variant.

    Raises:
        UnknownTargetError: there is no such target.
    """
    if name in VARIANTS:
        return VARIANTS[str(name)][0]
    full_name = name if isinstance(name, str) and name.startswith("sm_") else f"sm_{name}"
    target = TARGETS.get(full_name)
    if target is None:
        known = ", ".join((*TARGETS, *VARIANTS))
        raise UnknownTargetError(f"unknown target '{name}', expected one of {known}")
    return target
