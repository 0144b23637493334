"""Features of targets beyond the instructions that every target has.

Each feature is one family of PTX instructions with the lowest PTX ISA version that spells it.
Source: PTX ISA, the "PTX ISA Notes" and "Target ISA Notes" of the instructions named.
"""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

PTXVersion: TypeAlias = tuple[int, int]


class Feature(Enum):
    """A family of instructions; the value is its name in reports."""

    CP_ASYNC = "cp.async"
    LDMATRIX = "ldmatrix"
    MOVMATRIX = "movmatrix"
    MBARRIER = "mbarrier"
    WARP_REDUCTION = "redux.sync"
    FP8_CONVERSION = "cvt to and from e4m3 and e5m2"
    FP8_MMA = "mma.sync on e4m3 and e5m2"
    STMATRIX = "stmatrix"
    MBARRIER_TRY_WAIT = "mbarrier.try_wait"
    CLUSTERS = "thread block clusters"
    DEPENDENT_GRIDS = "griddepcontrol"
    BF16_ARITHMETIC = "add, mul and ex2 on bf16"
    F64_MMA_LARGE = "mma.sync m16n8k16 on f64"
    BULK_COPY = "cp.async.bulk"
    TMA = "cp.async.bulk.tensor"
    ELECT = "elect.sync"
    VECTOR_REDUCTION = "red on vectors of f32"
    ATOMIC_128_BIT = "atom on b128"
    TENSORMAP_FENCE = "fence.proxy.tensormap"
    TENSORMAP_REPLACE = "tensormap.replace"
    WGMMA = "wgmma"
    SETMAXNREG = "setmaxnreg"
    PACKED_F32 = "add, mul and fma on f32x2"
    MAX_OF_THREE = "min and max of three operands"
    ACCESS_256_BIT = "ld and st of 256 bits"
    TMA_GATHER = "cp.async.bulk.tensor.tile::gather4"
    TMA_SCATTER = "cp.async.bulk.tensor.tile::scatter4"
    TMA_IM2COL_W = "cp.async.bulk.tensor.im2col::w"
    CLUSTER_LAUNCH_CONTROL = "clusterlaunchcontrol"
    CLUSTER_LAUNCH_MULTICAST = "clusterlaunchcontrol to all blocks of a cluster"
    BYTE_MATRIX_COPY = "ldmatrix and stmatrix on b8"
    NARROW_FLOAT_CONVERSION = "cvt to and from e2m1, e2m3, e3m2 and ue8m0"
    UE5M3_CONVERSION = "cvt to and from ue5m3"
    TCGEN05 = "tcgen05"
    TCGEN05_INT8 = "tcgen05.mma on 8-bit integers"
    TCGEN05_SPARSE_4_BITS = "tcgen05.mma.sp on packed 4-bit floats"
    FLOAT_WARP_REDUCTION = "redux.sync on f32"
    STOCHASTIC_ROUNDING = "cvt.rs to packed narrow floats"
    BLOCK_SCALED_MMA = "mma.sync on e2m1, e2m3 and e3m2, with block scales"


FEATURE_PTX_VERSIONS: dict[Feature, PTXVersion] = {
    Feature.CP_ASYNC: (7, 0),
    Feature.LDMATRIX: (7, 0),
    Feature.MOVMATRIX: (7, 8),
    Feature.MBARRIER: (7, 0),
    Feature.WARP_REDUCTION: (7, 0),
    Feature.FP8_CONVERSION: (8, 1),
    Feature.FP8_MMA: (8, 4),
    Feature.STMATRIX: (7, 8),
    Feature.MBARRIER_TRY_WAIT: (7, 8),
    Feature.CLUSTERS: (7, 8),
    Feature.DEPENDENT_GRIDS: (7, 8),
    Feature.BF16_ARITHMETIC: (7, 8),
    Feature.F64_MMA_LARGE: (7, 8),
    Feature.BULK_COPY: (8, 0),
    Feature.TMA: (8, 0),
    Feature.ELECT: (8, 0),
    Feature.VECTOR_REDUCTION: (8, 1),
    Feature.ATOMIC_128_BIT: (8, 3),
    Feature.TENSORMAP_FENCE: (8, 3),
    Feature.TENSORMAP_REPLACE: (8, 3),
    Feature.WGMMA: (8, 0),
    Feature.SETMAXNREG: (8, 0),
    Feature.PACKED_F32: (8, 6),
    Feature.MAX_OF_THREE: (8, 8),
    Feature.ACCESS_256_BIT: (8, 8),
    Feature.TMA_GATHER: (8, 6),
    Feature.TMA_SCATTER: (8, 6),
    Feature.TMA_IM2COL_W: (8, 6),
    Feature.CLUSTER_LAUNCH_CONTROL: (8, 6),
    Feature.CLUSTER_LAUNCH_MULTICAST: (8, 6),
    Feature.BYTE_MATRIX_COPY: (8, 6),
    Feature.NARROW_FLOAT_CONVERSION: (8, 6),
    Feature.UE5M3_CONVERSION: (9, 4),
    Feature.TCGEN05: (8, 6),
    Feature.TCGEN05_INT8: (8, 6),
    Feature.TCGEN05_SPARSE_4_BITS: (8, 6),
    Feature.FLOAT_WARP_REDUCTION: (8, 6),
    Feature.STOCHASTIC_ROUNDING: (8, 7),
    Feature.BLOCK_SCALED_MMA: (8, 7),
}
"""The lowest PTX ISA version that accepts each feature."""

AMPERE = frozenset(
    {
        Feature.CP_ASYNC,
        Feature.LDMATRIX,
        Feature.MOVMATRIX,
        Feature.MBARRIER,
        Feature.WARP_REDUCTION,
    }
)
"""sm_80 and everything after it."""

ADA = AMPERE | {Feature.FP8_CONVERSION, Feature.FP8_MMA}
"""sm_89 and everything after it."""

HOPPER = ADA | {
    Feature.STMATRIX,
    Feature.MBARRIER_TRY_WAIT,
    Feature.CLUSTERS,
    Feature.DEPENDENT_GRIDS,
    Feature.BF16_ARITHMETIC,
    Feature.F64_MMA_LARGE,
    Feature.BULK_COPY,
    Feature.TMA,
    Feature.ELECT,
    Feature.VECTOR_REDUCTION,
    Feature.ATOMIC_128_BIT,
    Feature.TENSORMAP_FENCE,
}
"""sm_90 and everything after it."""

HOPPER_SPECIFIC = HOPPER | {Feature.TENSORMAP_REPLACE, Feature.WGMMA, Feature.SETMAXNREG}
"""Only sm_90a: no other target has wgmma."""

BLACKWELL = HOPPER | {
    Feature.PACKED_F32,
    Feature.MAX_OF_THREE,
    Feature.ACCESS_256_BIT,
    Feature.TMA_GATHER,
    Feature.CLUSTER_LAUNCH_CONTROL,
}
"""sm_100 and everything after it, without suffix."""

BLACKWELL_FAMILY = BLACKWELL | {
    Feature.TENSORMAP_REPLACE,
    Feature.SETMAXNREG,
    Feature.CLUSTER_LAUNCH_MULTICAST,
    Feature.BYTE_MATRIX_COPY,
    Feature.NARROW_FLOAT_CONVERSION,
}
"""Features that every Blackwell target with a suffix adds."""

TENSOR_MEMORY_FAMILY = BLACKWELL_FAMILY | {
    Feature.TCGEN05,
    Feature.TMA_SCATTER,
    Feature.TMA_IM2COL_W,
}
"""sm_100 to sm_110 with a suffix: the fifth generation of tensor cores."""

BLOCK_SCALED_FAMILY = BLACKWELL_FAMILY | {Feature.BLOCK_SCALED_MMA}
"""sm_120 and sm_121 with a suffix: mma.sync in place of tcgen05."""
