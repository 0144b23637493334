"""The targets of random programs, and what each target lacks."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.ir import Operation

from tileir_xdsl.dialects.cuda_tile import (
    AllocaOp,
    AssertOp,
    ExtractOp,
    FPowIOp,
    GdcLaunchDependentsTkoOp,
    GdcWaitTkoOp,
    GetGlobalOp,
    InsertOp,
    MakeGatherScatterViewOp,
    MemoryFenceAliasTkoOp,
    MmaFScaledOp,
    PackOp,
    PrintTkoOp,
    UnpackOp,
)
from tileir_xdsl.targets import get_target
from tileir_xdsl.targets.tile_ir import ELEMENT_TYPES
from tileir_xdsl.testing.instruction_families import OF_TARGET

TARGETS = tuple(OF_TARGET)
"""One target of each generation; most programs use one of them."""

NEWEST = "sm_107a"
"""The one target that supports every element type; a few programs use it."""

CPU = "cpu"
"""The host processor as a target; its programs have only operations that are supported there."""

MISSING_ELEMENTS: Mapping[str, frozenset[str]] = {
    CPU: frozenset(("i4", "tf32", *ELEMENT_TYPES)),
    **{
        target: frozenset(
            name for name, has in ELEMENT_TYPES.items() if not has.supports(get_target(target))
        )
        for target in (*TARGETS, NEWEST)
    },
}
"""The element types that a target lacks."""

MISSING_OPERATIONS: Mapping[str, frozenset[type[Operation]]] = {
    "sm_80": frozenset((GdcLaunchDependentsTkoOp, GdcWaitTkoOp, MmaFScaledOp)),
    "sm_90a": frozenset((MmaFScaledOp,)),
    CPU: frozenset(
        (
            AllocaOp,
            AssertOp,
            ExtractOp,
            FPowIOp,
            GdcLaunchDependentsTkoOp,
            GdcWaitTkoOp,
            GetGlobalOp,
            InsertOp,
            MakeGatherScatterViewOp,
            MemoryFenceAliasTkoOp,
            MmaFScaledOp,
            PackOp,
            PrintTkoOp,
            UnpackOp,
        )
    ),
}
"""The operations that a target lacks."""

WITHOUT_BF16_ADDITION = ("sm_80",)
"""The targets that have no atomic addition of bf16."""
