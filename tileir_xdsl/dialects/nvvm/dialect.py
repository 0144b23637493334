"""All ops and attributes of the dialect, listed."""

from xdsl.ir import Dialect

from tileir_xdsl.dialects.nvvm.attributes import ATTRIBUTES
from tileir_xdsl.dialects.nvvm.cluster_launch_control import (
    CLUSTER_LAUNCH_CONTROL,
    CLUSTER_LAUNCH_CONTROL_ATTRIBUTES,
)
from tileir_xdsl.dialects.nvvm.conversions import CONVERSIONS
from tileir_xdsl.dialects.nvvm.copies import COPIES
from tileir_xdsl.dialects.nvvm.fences import FENCES
from tileir_xdsl.dialects.nvvm.matrix import MATRIX
from tileir_xdsl.dialects.nvvm.mbarriers import MBARRIERS
from tileir_xdsl.dialects.nvvm.miscellaneous import MISCELLANEOUS
from tileir_xdsl.dialects.nvvm.mma_attributes import MMA_ATTRIBUTES
from tileir_xdsl.dialects.nvvm.scaled_matrix import SCALED_MATRIX
from tileir_xdsl.dialects.nvvm.sparse_matrix import SPARSE_MATRIX
from tileir_xdsl.dialects.nvvm.special_registers import SPECIAL_REGISTERS
from tileir_xdsl.dialects.nvvm.synchronization import SYNCHRONIZATION
from tileir_xdsl.dialects.nvvm.tcgen05 import TCGEN05
from tileir_xdsl.dialects.nvvm.tcgen05_mma import TCGEN05_MMA_OPS
from tileir_xdsl.dialects.nvvm.tcgen05_scaled_mma import TCGEN05_SCALED_MMA_OPS
from tileir_xdsl.dialects.nvvm.tensor_copies import TENSOR_COPIES
from tileir_xdsl.dialects.nvvm.wgmma import WGMMA

NVVM = Dialect(
    "nvvm",
    [
        *SPECIAL_REGISTERS,
        *SYNCHRONIZATION,
        *MBARRIERS,
        *CLUSTER_LAUNCH_CONTROL,
        *FENCES,
        *COPIES,
        *TENSOR_COPIES,
        *MATRIX,
        *SPARSE_MATRIX,
        *SCALED_MATRIX,
        *WGMMA,
        *CONVERSIONS,
        *MISCELLANEOUS,
        *TCGEN05,
        *TCGEN05_MMA_OPS,
        *TCGEN05_SCALED_MMA_OPS,
    ],
    [*ATTRIBUTES, *MMA_ATTRIBUTES, *CLUSTER_LAUNCH_CONTROL_ATTRIBUTES],
)
