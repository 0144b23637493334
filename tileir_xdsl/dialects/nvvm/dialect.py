"""The `nvvm` dialect, with all ops and attributes of its modules."""

from xdsl.ir import Dialect

from tileir_xdsl.dialects.lazy_definition import attributes_of, ops_in

from . import (
    attributes,
    cluster_launch_control,
    conversions,
    copies,
    fences,
    matrix,
    mbarriers,
    miscellaneous,
    mma_attributes,
    scaled_matrix,
    sparse_matrix,
    special_registers,
    synchronization,
    tcgen05,
    tcgen05_mma,
    tcgen05_scaled_mma,
    tensor_copies,
    wgmma,
)

NVVM = Dialect(
    "nvvm",
    ops_in(
        special_registers,
        synchronization,
        mbarriers,
        cluster_launch_control,
        fences,
        copies,
        tensor_copies,
        matrix,
        sparse_matrix,
        scaled_matrix,
        wgmma,
        conversions,
        miscellaneous,
        tcgen05,
        tcgen05_mma,
        tcgen05_scaled_mma,
    ),
    attributes_of("nvvm", vars(attributes), vars(mma_attributes), vars(cluster_launch_control)),
)
