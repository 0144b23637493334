"""A value for each instruction form that the compiler builds on, one module a family.

The values are built on first use: their numpy statements take seconds, which collection need not.
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module

from tests.unit.backend.ptx.instruction_values.value import Value

FAMILIES = (
    "arithmetic",
    "cluster_launch",
    "copies",
    "matrices",
    "memory",
    "mma",
    "sparse",
    "sparse_tensor_memory",
    "synchronization",
    "tensor_copies",
    "tensor_maps",
    "tensor_memory",
    "warpgroup",
)
"""The modules of this package, each with its `VALUES` by opcode."""


@cache
def family(name: str) -> Mapping[str, Value]:
    """The values of one family, by opcode."""
    return import_module(f"{__name__}.{name}").VALUES


@cache
def values() -> Mapping[str, Value]:
    """All values by opcode, as `LISTED` spells it."""
    return {opcode: value for name in FAMILIES for opcode, value in family(name).items()}
