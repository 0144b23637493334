"""Additions to xDSL's `llvm` dialect for GPU code, under the upstream names.

A second dialect of the same name cannot be registered, so `extend` returns a dialect of xDSL's
operations and attributes plus those of this package. A subclass replaces an xDSL op that lacks
operand types; passes that match the xDSL class still match the subclass.
"""

from dataclasses import replace

from xdsl.ir import Dialect

from tileir_xdsl.dialects.lazy_definition import ops_of

from .atomics import AtomicCmpXchgOp as AtomicCmpXchgOp
from .atomics import AtomicRMWOp as AtomicRMWOp
from .atomics import FenceOp as FenceOp
from .attributes import AtomicBinOp as AtomicBinOp
from .attributes import AtomicOrdering as AtomicOrdering
from .attributes import ConstantRangeAttr as ConstantRangeAttr
from .attributes import LoopAnnotationAttr as LoopAnnotationAttr
from .control_flow import SwitchOp as SwitchOp
from .conversions import AddrSpaceCastOp as AddrSpaceCastOp
from .conversions import FPToSIOp as FPToSIOp
from .conversions import FPToUIOp as FPToUIOp
from .conversions import FreezeOp as FreezeOp
from .conversions import UIToFPOp as UIToFPOp
from .intrinsics import AbsOp as AbsOp
from .intrinsics import BitReverseOp as BitReverseOp
from .intrinsics import ByteSwapOp as ByteSwapOp
from .intrinsics import CountLeadingZerosOp as CountLeadingZerosOp
from .intrinsics import CountTrailingZerosOp as CountTrailingZerosOp
from .intrinsics import CtPopOp as CtPopOp
from .intrinsics import FMulAddOp as FMulAddOp
from .intrinsics import FShlOp as FShlOp
from .intrinsics import FShrOp as FShrOp
from .intrinsics import MaximumOp as MaximumOp
from .intrinsics import MinimumOp as MinimumOp
from .intrinsics import RintOp as RintOp
from .intrinsics import RoundEvenOp as RoundEvenOp
from .intrinsics import RoundOp as RoundOp
from .intrinsics import SMaxOp as SMaxOp
from .intrinsics import SMinOp as SMinOp
from .intrinsics import TanhOp as TanhOp
from .intrinsics import TrapOp as TrapOp
from .intrinsics import TruncateOp as TruncateOp
from .intrinsics import UMaxOp as UMaxOp
from .intrinsics import UMinOp as UMinOp
from .loads_and_stores import LoadOp as LoadOp
from .loads_and_stores import MaskedLoadOp as MaskedLoadOp
from .loads_and_stores import MaskedStoreOp as MaskedStoreOp
from .loads_and_stores import StoreOp as StoreOp
from .values import ExtractElementOp as ExtractElementOp
from .values import PoisonOp as PoisonOp
from .widened import FCmpOp as FCmpOp
from .widened import IntToPtrOp as IntToPtrOp
from .widened import PtrToIntOp as PtrToIntOp
from .widened import SelectOp as SelectOp

# Commands have the ops of xDSL's own dialect defined on use as well.
OPERATIONS = tuple(op for op in ops_of("llvm") if op.__module__.startswith(f"{__name__}."))
"""The added operations, and the replacements for operations of xDSL with the same name."""


def extend(dialect: Dialect) -> Dialect:
    """The `llvm` dialect with the added operations and their attributes."""
    names = {op.name for op in OPERATIONS}
    kept = [op for op in dialect.operations if op.name not in names]
    return replace(
        dialect,
        _operations=[*kept, *OPERATIONS],
        _attributes=[*dialect.attributes, ConstantRangeAttr, LoopAnnotationAttr],
    )
