"""Additions to xDSL's `llvm` dialect for GPU code, under the upstream names.

A second dialect of the same name cannot be registered, so `extend` returns a dialect made of
xDSL's operations and attributes plus ours. An op that xDSL has, but too narrowly, is replaced by
a subclass of xDSL's class: passes that look for xDSL's class still find it.
"""

from dataclasses import replace

from xdsl.ir import Dialect

from tileir_xdsl.dialects.llvm.atomics import AtomicCmpXchgOp, AtomicRMWOp, FenceOp
from tileir_xdsl.dialects.llvm.attributes import AtomicBinOp, AtomicOrdering, ConstantRangeAttr
from tileir_xdsl.dialects.llvm.control_flow import SwitchOp
from tileir_xdsl.dialects.llvm.conversions import (
    AddrSpaceCastOp,
    FPToSIOp,
    FPToUIOp,
    FreezeOp,
    UIToFPOp,
)
from tileir_xdsl.dialects.llvm.intrinsics import (
    INTRINSICS,
    AbsOp,
    BitReverseOp,
    ByteSwapOp,
    CountLeadingZerosOp,
    CountTrailingZerosOp,
    CtPopOp,
    FMulAddOp,
    FShlOp,
    FShrOp,
    MaximumOp,
    MinimumOp,
    RintOp,
    RoundEvenOp,
    RoundOp,
    SMaxOp,
    SMinOp,
    TanhOp,
    TrapOp,
    TruncateOp,
    UMaxOp,
    UMinOp,
)
from tileir_xdsl.dialects.llvm.loads_and_stores import LoadOp, MaskedLoadOp, MaskedStoreOp, StoreOp
from tileir_xdsl.dialects.llvm.values import ExtractElementOp, PoisonOp

OPERATIONS = (
    AddrSpaceCastOp,
    AtomicCmpXchgOp,
    AtomicRMWOp,
    ExtractElementOp,
    FPToSIOp,
    FPToUIOp,
    FenceOp,
    FreezeOp,
    LoadOp,
    MaskedLoadOp,
    MaskedStoreOp,
    PoisonOp,
    StoreOp,
    SwitchOp,
    UIToFPOp,
    *INTRINSICS,
)
"""The added operations, and those that stand in for one of xDSL's of the same name."""

ATTRIBUTES = (ConstantRangeAttr,)


def extend(dialect: Dialect) -> Dialect:
    """The `llvm` dialect with the operations and attributes above added to `dialect`'s own."""
    names = {op.name for op in OPERATIONS}
    kept = [op for op in dialect.operations if op.name not in names]
    return replace(
        dialect,
        _operations=[*kept, *OPERATIONS],
        _attributes=[*dialect.attributes, *ATTRIBUTES],
    )


__all__ = [
    "ATTRIBUTES",
    "OPERATIONS",
    "AbsOp",
    "AddrSpaceCastOp",
    "AtomicBinOp",
    "AtomicCmpXchgOp",
    "AtomicOrdering",
    "AtomicRMWOp",
    "BitReverseOp",
    "ByteSwapOp",
    "ConstantRangeAttr",
    "CountLeadingZerosOp",
    "CountTrailingZerosOp",
    "CtPopOp",
    "ExtractElementOp",
    "FMulAddOp",
    "FPToSIOp",
    "FPToUIOp",
    "FShlOp",
    "FShrOp",
    "FenceOp",
    "FreezeOp",
    "LoadOp",
    "MaskedLoadOp",
    "MaskedStoreOp",
    "MaximumOp",
    "MinimumOp",
    "PoisonOp",
    "RintOp",
    "RoundEvenOp",
    "RoundOp",
    "SMaxOp",
    "SMinOp",
    "StoreOp",
    "SwitchOp",
    "TanhOp",
    "TrapOp",
    "TruncateOp",
    "UIToFPOp",
    "UMaxOp",
    "UMinOp",
    "extend",
]
