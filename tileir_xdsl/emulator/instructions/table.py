"""All instruction forms the emulator knows."""

from __future__ import annotations

from tileir_xdsl.emulator.instructions import (
    asynchronous,
    atomics,
    bulk_copy,
    byte_matrix,
    calls,
    cluster,
    cluster_launch,
    comparison,
    control,
    conversion,
    data_movement,
    floating_point,
    integer,
    logic,
    matrix,
    mbarrier,
    scaled_matrix,
    small_floats,
    sparse_matrix,
    tensor_memory,
    tensor_work,
    video,
    warp,
    warpgroup,
    wmma,
)
from tileir_xdsl.emulator.instructions import tcgen05_mma as tensor_mma
from tileir_xdsl.emulator.instructions import tcgen05_scaled_mma as scaled_tensor_mma
from tileir_xdsl.emulator.instructions.form import FormTable
from tileir_xdsl.emulator.instructions.isa import refused

FORM_TABLE = FormTable(
    (
        *integer.FORMS,
        *video.FORMS,
        *floating_point.FORMS,
        *comparison.FORMS,
        *logic.FORMS,
        *conversion.FORMS,
        *small_floats.FORMS,
        *data_movement.FORMS,
        *atomics.FORMS,
        *warp.FORMS,
        *matrix.FORMS,
        *byte_matrix.FORMS,
        *scaled_matrix.FORMS,
        *sparse_matrix.FORMS,
        *warpgroup.FORMS,
        *wmma.FORMS,
        *tensor_memory.FORMS,
        *tensor_mma.FORMS,
        *tensor_work.FORMS,
        *scaled_tensor_mma.FORMS,
        *asynchronous.FORMS,
        *mbarrier.FORMS,
        *cluster.FORMS,
        *cluster_launch.FORMS,
        *bulk_copy.FORMS,
        *calls.FORMS,
        *control.FORMS,
    ),
    refused,
)
