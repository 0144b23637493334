"""The operations of bytecode: one row each, for the reader, the writer and the documentation.

Source: Tile IR specification, bytecode. A row adds facts of bytecode to the dialect's definition:
the opcode, the order of the attributes, and the first version of each member. Operands, results and
regions follow the dialect's order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.dialects.builtin import i32, i64

from tileir_xdsl.bytecode import slots as operation_slots
from tileir_xdsl.bytecode.version import V13_1, V13_2, V13_3, V13_4, V13_5, Version
from tileir_xdsl.dialects import cuda_tile as ct
from tileir_xdsl.dialects.cuda_tile.enums import enum_to_integer_attr
from tileir_xdsl.dialects.cuda_tile.interfaces import CudaTileOperation


@dataclass(frozen=True)
class OperationRow:
    """An operation in bytecode.

    `younger` are the operands and results with a later first version than the operation, by name.
    """

    operation: type[CudaTileOperation]
    opcode: int
    slots: tuple[operation_slots.Slot, ...] = ()
    younger: Mapping[str, Version] = field(default_factory=dict[str, Version])

    @property
    def since(self) -> Version:
        """The first version that has the operation."""
        return Version.parse(self.operation.SINCE)


def _flag(name: str, since: Version = V13_1) -> operation_slots.Slot:
    return operation_slots.Slot(name, operation_slots.UnitKind(), since, optional=True)


def _optional(name: str, kind: operation_slots.Kind) -> operation_slots.Slot:
    return operation_slots.Slot(name, kind, optional=True)


def _inbounds(since: Version) -> operation_slots.Slot:
    return operation_slots.Slot(
        "inbounds", operation_slots.DenseBooleanKind(), since, default=operation_slots.AllFalse()
    )


_ROUNDING = operation_slots.EnumKind(
    ct.RoundingMode, ct.RoundingModeAttr, {ct.RoundingMode.NEAREST_AWAY: V13_4}
)
_SIGNED = operation_slots.EnumKind(ct.Signedness, ct.SignednessAttr)
_WRAP = operation_slots.EnumKind(ct.IntegerOverflow, ct.IntegerOverflowAttr)
_FULL = operation_slots.Always(ct.RoundingModeAttr(ct.RoundingMode.FULL))
_NO_OVERFLOW = operation_slots.Always(ct.IntegerOverflowAttr(ct.IntegerOverflow.NONE))

_ROUNDING_MODE = operation_slots.Slot("rounding_mode", _ROUNDING)
_SIGNEDNESS = operation_slots.Slot("signedness", _SIGNED)
_OVERFLOW = operation_slots.Slot("overflow", _WRAP)
_FLUSH_TO_ZERO = _flag("flush_to_zero")
_PREDICATE = operation_slots.Slot(
    "comparison_predicate",
    operation_slots.EnumKind(ct.ComparisonPredicate, ct.ComparisonPredicateAttr),
)
_SEMANTICS = operation_slots.Slot(
    "memory_ordering_semantics", operation_slots.EnumKind(ct.MemoryOrderingSemantics)
)
_SCOPE = operation_slots.Slot("memory_scope", operation_slots.EnumKind(ct.MemoryScope))
_OPTIONAL_SCOPE = _optional("memory_scope", operation_slots.EnumKind(ct.MemoryScope))
_HINTS = _optional("optimization_hints", operation_slots.HintsKind())
_ACCESS = (_SEMANTICS, _OPTIONAL_SCOPE, _HINTS)
_ATOMIC_MODE = operation_slots.Slot(
    "mode",
    operation_slots.EnumKind(ct.AtomicRMWMode),
    default=operation_slots.Always(enum_to_integer_attr(ct.AtomicRMWMode.ADD)),
)
_REDUCTION = operation_slots.Slot(
    "reduction",
    operation_slots.EnumKind(ct.MultimemReduction, ct.MultimemReductionAttr),
    default=operation_slots.Always(ct.MultimemReductionAttr(ct.MultimemReduction.ADD)),
)
_DIM = operation_slots.Slot("dim", operation_slots.IntegerKind(i32))
_IDENTITIES = operation_slots.Slot("identities", operation_slots.ArrayKind())

OPERATIONS: tuple[OperationRow, ...] = (
    OperationRow(ct.AbsFOp, 0x00),
    OperationRow(ct.AbsIOp, 0x01),
    OperationRow(ct.AddFOp, 0x02, (_ROUNDING_MODE, _FLUSH_TO_ZERO)),
    OperationRow(ct.AddIOp, 0x03, (_OVERFLOW,)),
    OperationRow(ct.AndIOp, 0x04),
    OperationRow(
        ct.AssertOp, 0x05, (operation_slots.Slot("message", operation_slots.StringKind()),)
    ),
    OperationRow(
        ct.AssumeOp, 0x06, (operation_slots.Slot("predicate", operation_slots.PredicateKind()),)
    ),
    OperationRow(ct.AtomicCASTkoOp, 0x07, (_SEMANTICS, _SCOPE)),
    OperationRow(ct.AtomicRMWTkoOp, 0x08, (_SEMANTICS, _SCOPE, _ATOMIC_MODE)),
    OperationRow(ct.BitcastOp, 0x09),
    OperationRow(ct.BreakOp, 0x0A),
    OperationRow(ct.BroadcastOp, 0x0B),
    OperationRow(ct.CatOp, 0x0C, (operation_slots.Slot("dim", operation_slots.IntegerKind(i64)),)),
    OperationRow(ct.CeilOp, 0x0D),
    OperationRow(
        ct.CmpFOp,
        0x0E,
        (
            _PREDICATE,
            operation_slots.Slot(
                "comparison_ordering",
                operation_slots.EnumKind(ct.ComparisonOrdering, ct.ComparisonOrderingAttr),
            ),
        ),
    ),
    OperationRow(ct.CmpIOp, 0x0F, (_PREDICATE, _SIGNEDNESS)),
    OperationRow(
        ct.ConstantOp, 0x10, (operation_slots.Slot("value", operation_slots.ConstantKind()),)
    ),
    OperationRow(ct.ContinueOp, 0x11),
    OperationRow(ct.CosOp, 0x12),
    OperationRow(ct.CosHOp, 0x13),
    OperationRow(ct.DivFOp, 0x14, (_ROUNDING_MODE, _FLUSH_TO_ZERO)),
    OperationRow(ct.DivIOp, 0x15, (_SIGNEDNESS, operation_slots.Slot("rounding", _ROUNDING))),
    OperationRow(
        ct.ExpOp, 0x17, (operation_slots.Slot("rounding_mode", _ROUNDING, V13_3, default=_FULL),)
    ),
    OperationRow(ct.Exp2Op, 0x18, (_FLUSH_TO_ZERO,)),
    OperationRow(ct.ExtIOp, 0x25, (_SIGNEDNESS,)),
    OperationRow(ct.ExtractOp, 0x26),
    OperationRow(ct.FloorOp, 0x27),
    OperationRow(ct.FmaOp, 0x28, (_ROUNDING_MODE, _FLUSH_TO_ZERO)),
    OperationRow(ct.ForOp, 0x29, (_flag("unsignedCmp", V13_2),)),
    OperationRow(ct.FToFOp, 0x2A, (_ROUNDING_MODE,)),
    OperationRow(ct.FToIOp, 0x2B, (_SIGNEDNESS, _ROUNDING_MODE, _flag("saturating", V13_4))),
    OperationRow(
        ct.GetGlobalOp, 0x2C, (operation_slots.Slot("name", operation_slots.SymbolKind()),)
    ),
    OperationRow(ct.GetIndexSpaceShapeOp, 0x2D),
    OperationRow(ct.GetNumTileBlocksOp, 0x2E),
    OperationRow(ct.GetTensorShapeOp, 0x2F),
    OperationRow(ct.GetTileBlockIdOp, 0x30),
    OperationRow(ct.IfOp, 0x32),
    OperationRow(ct.IntToPtrOp, 0x33),
    OperationRow(ct.IotaOp, 0x3A),
    OperationRow(ct.IToFOp, 0x3B, (_SIGNEDNESS, _ROUNDING_MODE)),
    OperationRow(ct.JoinTokensOp, 0x3C),
    OperationRow(ct.LoadPtrTkoOp, 0x3D, _ACCESS),
    OperationRow(ct.LoadViewTkoOp, 0x3E, (*_ACCESS, _inbounds(V13_4))),
    OperationRow(ct.LogOp, 0x3F),
    OperationRow(ct.Log2Op, 0x40),
    OperationRow(ct.LoopOp, 0x41),
    OperationRow(ct.MakePartitionViewOp, 0x42),
    OperationRow(ct.MakeTensorViewOp, 0x43),
    OperationRow(ct.MakeTokenOp, 0x44),
    OperationRow(ct.MaxFOp, 0x45, (_flag("propagate_nan"), _FLUSH_TO_ZERO)),
    OperationRow(ct.MaxIOp, 0x46, (_SIGNEDNESS,)),
    OperationRow(ct.MinFOp, 0x47, (_flag("propagate_nan"), _FLUSH_TO_ZERO)),
    OperationRow(ct.MinIOp, 0x48, (_SIGNEDNESS,)),
    OperationRow(ct.MmaFOp, 0x49, (_flag("fast_acc", V13_3),)),
    OperationRow(
        ct.MmaIOp,
        0x4A,
        (
            operation_slots.Slot("signedness_lhs", _SIGNED),
            operation_slots.Slot("signedness_rhs", _SIGNED),
        ),
    ),
    OperationRow(ct.MulFOp, 0x4C, (_ROUNDING_MODE, _FLUSH_TO_ZERO)),
    OperationRow(ct.MulHiIOp, 0x4D),
    OperationRow(ct.MulIOp, 0x4E, (_OVERFLOW,)),
    OperationRow(ct.NegFOp, 0x4F),
    OperationRow(
        ct.NegIOp, 0x50, (operation_slots.Slot("overflow", _WRAP, V13_2, default=_NO_OVERFLOW),)
    ),
    OperationRow(ct.OffsetOp, 0x51),
    OperationRow(ct.OrIOp, 0x52),
    OperationRow(
        ct.PermuteOp, 0x53, (operation_slots.Slot("permutation", operation_slots.DenseI32Kind()),)
    ),
    OperationRow(ct.PowOp, 0x54),
    OperationRow(
        ct.PrintTkoOp,
        0x55,
        (operation_slots.Slot("str", operation_slots.StringKind()),),
        younger={"token": V13_2, "result_token": V13_2},
    ),
    OperationRow(ct.PtrToIntOp, 0x56),
    OperationRow(ct.PtrToPtrOp, 0x57),
    OperationRow(ct.ReduceOp, 0x58, (_DIM, _IDENTITIES)),
    OperationRow(ct.RemFOp, 0x59),
    OperationRow(ct.RemIOp, 0x5A, (_SIGNEDNESS,)),
    OperationRow(ct.ReshapeOp, 0x5B),
    OperationRow(ct.ReturnOp, 0x5C),
    OperationRow(ct.RsqrtOp, 0x5D, (_FLUSH_TO_ZERO,)),
    OperationRow(
        ct.ScanOp,
        0x5E,
        (_DIM, operation_slots.Slot("reverse", operation_slots.BooleanKind()), _IDENTITIES),
    ),
    OperationRow(ct.SelectOp, 0x5F),
    OperationRow(ct.ShLIOp, 0x60, (_OVERFLOW,)),
    OperationRow(ct.ShRIOp, 0x61, (_SIGNEDNESS,)),
    OperationRow(ct.SinOp, 0x62),
    OperationRow(ct.SinHOp, 0x63),
    OperationRow(ct.SqrtOp, 0x64, (_ROUNDING_MODE, _FLUSH_TO_ZERO)),
    OperationRow(ct.StorePtrTkoOp, 0x65, _ACCESS),
    OperationRow(ct.StoreViewTkoOp, 0x66, (*_ACCESS, _inbounds(V13_4))),
    OperationRow(ct.SubFOp, 0x67, (_ROUNDING_MODE, _FLUSH_TO_ZERO)),
    OperationRow(ct.SubIOp, 0x68, (_OVERFLOW,)),
    OperationRow(ct.TanOp, 0x69),
    OperationRow(
        ct.TanHOp, 0x6A, (operation_slots.Slot("rounding_mode", _ROUNDING, V13_2, default=_FULL),)
    ),
    OperationRow(ct.TruncIOp, 0x6B, (_OVERFLOW,)),
    OperationRow(ct.XOrIOp, 0x6C),
    OperationRow(ct.YieldOp, 0x6D),
    OperationRow(ct.ATan2Op, 0x6E),
    OperationRow(ct.PackOp, 0x6F),
    OperationRow(ct.UnpackOp, 0x70),
    OperationRow(
        ct.AllocaOp,
        0x71,
        (
            operation_slots.Slot("num_elem", operation_slots.IntegerKind(i64)),
            operation_slots.Slot("alignment", operation_slots.IntegerKind(i64)),
            _flag("global"),
        ),
    ),
    OperationRow(ct.MmaFScaledOp, 0x72),
    OperationRow(ct.MakeGatherScatterViewOp, 0x73),
    OperationRow(ct.MakeStridedViewOp, 0x74),
    OperationRow(ct.AtomicRedViewTkoOp, 0x75, (_SEMANTICS, _SCOPE, _ATOMIC_MODE, _inbounds(V13_5))),
    OperationRow(ct.InsertOp, 0x76),
    OperationRow(ct.GdcLaunchDependentsTkoOp, 0x77),
    OperationRow(ct.GdcWaitTkoOp, 0x78),
    OperationRow(ct.FPowIOp, 0x79),
    OperationRow(ct.MemoryFenceAliasTkoOp, 0x7A),
    OperationRow(
        ct.MultimemLoadReduceViewTkoOp,
        0x7B,
        (_SEMANTICS, _OPTIONAL_SCOPE, _REDUCTION, _inbounds(V13_5)),
    ),
    OperationRow(
        ct.MultimemReduceViewTkoOp, 0x7C, (_SEMANTICS, _SCOPE, _REDUCTION, _inbounds(V13_5))
    ),
    OperationRow(ct.MultimemStoreViewTkoOp, 0x7D, (_SEMANTICS, _OPTIONAL_SCOPE, _inbounds(V13_5))),
)
"""Every operation that the body of a function can hold, by opcode.

Modules, entries and globals have separate sections. Functions other than kernels, and `fpowf`,
which is `pow` in another spelling, are not part of the format.
"""
