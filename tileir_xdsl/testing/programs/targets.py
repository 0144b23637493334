"""The targets that programs are for, and what each of them lacks."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.ir import Operation

from tileir_xdsl.dialects.cuda_tile import (
    GdcLaunchDependentsTkoOp,
    GdcWaitTkoOp,
    MmaFScaledOp,
)
from tileir_xdsl.testing.instruction_families import OF_TARGET

TARGETS = tuple(OF_TARGET)
"""One of each generation: a program is for one of them, drawn first."""

NOT_GENERATED: Mapping[str, str] = {
    "fnv8E5M3FNU": "only sm_107 has it, which no program is for",
}
"""Element types that do not occur in programs, and why."""

_MISSING_ELEMENTS: Mapping[str, tuple[str, ...]] = {
    "sm_80": ("f8E4M3FN", "f8E5M2", "f8E8M0FNU", "f4E2M1FN"),
    "sm_90a": ("f8E8M0FNU", "f4E2M1FN"),
}

MISSING_ELEMENTS: Mapping[str, frozenset[str]] = {
    target: frozenset((*_MISSING_ELEMENTS.get(target, ()), *NOT_GENERATED)) for target in TARGETS
}
"""The element types that a target lacks (Tile IR specification, element types)."""

MISSING_OPERATIONS: Mapping[str, frozenset[type[Operation]]] = {
    "sm_80": frozenset((GdcLaunchDependentsTkoOp, GdcWaitTkoOp, MmaFScaledOp)),
    "sm_90a": frozenset((MmaFScaledOp,)),
}
"""The operations that a target lacks."""

WITHOUT_BF16_ADDITION = ("sm_80",)
"""The targets that have no atomic addition of bf16."""
