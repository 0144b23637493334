"""A value for each instruction form that the compiler builds on, one module a family."""

from collections.abc import Mapping

from tests.unit.backend.ptx.instruction_values import (
    arithmetic,
    cluster_launch,
    copies,
    matrices,
    memory,
    products,
    sparse,
    sparse_tensor_memory,
    synchronization,
    tensor_copies,
    tensor_maps,
    tensor_memory,
    warpgroup,
)
from tests.unit.backend.ptx.instruction_values.value import Value

FAMILIES: tuple[Mapping[str, Value], ...] = (
    arithmetic.VALUES,
    cluster_launch.VALUES,
    copies.VALUES,
    matrices.VALUES,
    memory.VALUES,
    products.VALUES,
    sparse.VALUES,
    sparse_tensor_memory.VALUES,
    synchronization.VALUES,
    tensor_copies.VALUES,
    tensor_maps.VALUES,
    tensor_memory.VALUES,
    warpgroup.VALUES,
)

VALUES: Mapping[str, Value] = {
    opcode: value for family in FAMILIES for opcode, value in family.items()
}
"""By opcode, as `LISTED` spells it."""
