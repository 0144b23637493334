"""mbarrier objects: barriers in shared memory that also count bytes of asynchronous copies.

An mbarrier is 8 bytes, 8-byte aligned. A phase completes when the pending arrivals and the
pending bytes are both zero; then the arrivals start again and the phase parity flips.
Source: PTX ISA, "mbarrier".
"""

import abc
from typing import ClassVar

from xdsl.dialects.builtin import I1, I32, I64, BoolAttr, IntegerAttr, i1, i64
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    ParsePropInAttrDict,
    operand_def,
    opt_operand_def,
    opt_result_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.nvvm.attributes import MemoryScope, MemoryScopeAttr
from tileir_xdsl.dialects.nvvm.pointers import is_cluster_pointer, verify_spaces
from tileir_xdsl.dialects.nvvm.requirements import NVVMOperation, Requirement, Requires
from tileir_xdsl.targets import Feature

Value = Operation | SSAValue

FALSE = IntegerAttr.from_bool(False)
CTA = MemoryScopeAttr(MemoryScope.CTA)

_MBARRIER = Requires.feature(Feature.MBARRIER)
_TRANSACTIONS = Requires.feature(Feature.BULK_COPY)
_RELAXED = Requirement(90, (8, 6))
"""The requirement of the qualifier `.relaxed`."""


@irdl_op_definition
class MBarrierInitOp(NVVMOperation):
    """`nvvm.mbarrier.init %b, %count : !llvm.ptr<3>, i32`: expects `count` arrivals per phase."""

    name = "nvvm.mbarrier.init"
    PTX: ClassVar = "@predicate mbarrier.init<[addr]>.b64  [addr], count"

    addr = operand_def(LLVMPointerType)
    count = operand_def(I32)
    predicate = opt_operand_def(I1)
    traits = traits_def(_MBARRIER)
    assembly_format = (
        "$addr `,` $count (`,` `predicate` `=` $predicate^)? attr-dict `:` type(operands)"
    )

    def __init__(self, addr: Value, count: Value, predicate: Value | None = None):
        super().__init__(operands=[addr, count, predicate])

    def verify_(self) -> None:
        super().verify_()
        verify_spaces(self.addr, (0, 3))


@irdl_op_definition
class MBarrierInvalOp(NVVMOperation):
    """`nvvm.mbarrier.inval %b : !llvm.ptr<3>`: invalidates an mbarrier, so that its memory can be
    reused.
    """

    name = "nvvm.mbarrier.inval"
    PTX: ClassVar = "mbarrier.inval<[addr]>.b64  [addr]"

    addr = operand_def(LLVMPointerType)
    traits = traits_def(_MBARRIER)
    assembly_format = "$addr attr-dict `:` type(operands)"

    def __init__(self, addr: Value):
        super().__init__(operands=[addr])

    def verify_(self) -> None:
        super().verify_()
        verify_spaces(self.addr, (0, 3))


class MBarrierArriveBase(NVVMOperation, abc.ABC):
    """Arrives at a barrier; at a barrier of another block, the op returns no state."""

    addr = operand_def(LLVMPointerType)
    count = opt_operand_def(I32)
    scope = prop_def(MemoryScopeAttr, default_value=CTA)
    relaxed = prop_def(BoolAttr, default_value=FALSE)
    res = opt_result_def(I64)

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$addr (`,` $count^)? attr-dict `:` type($addr) (`->` type($res)^)?"

    def __init__(
        self,
        addr: Value,
        count: Value | None = None,
        *,
        scope: MemoryScope = MemoryScope.CTA,
        relaxed: bool = False,
        has_state: bool = False,
    ):
        super().__init__(
            operands=[addr, count],
            result_types=[i64 if has_state else None],
            properties={
                "scope": MemoryScopeAttr(scope),
                "relaxed": IntegerAttr.from_bool(relaxed),
            },
        )

    @property
    def semantics(self) -> str:
        """The PTX qualifiers of memory ordering and scope."""
        return _semantics("release", self.scope, self.relaxed)

    @property
    def requirement(self) -> Requirement:
        if self.relaxed.value.data:
            return _RELAXED
        if self.count is not None or is_cluster_pointer(self.addr):
            return Requirement(feature=Feature.MBARRIER_TRY_WAIT)
        return super().requirement

    def verify_(self) -> None:
        super().verify_()
        verify_spaces(self.addr, (0, 3, 7))
        _verify_state(self.addr, self.res)
        _verify_scope(self.scope)


def _semantics(order: str, scope: MemoryScopeAttr, relaxed: IntegerAttr) -> str:
    """Qualifiers such as `.release.cluster`; empty for the default, which is ordering in block
    scope.
    """
    if relaxed.value.data:
        return f".relaxed.{scope.data}"
    return "" if scope.data is MemoryScope.CTA else f".{order}.{scope.data}"


def _verify_state(addr: SSAValue, res: SSAValue | None) -> None:
    if res is not None and is_cluster_pointer(addr):
        raise VerifyException("mbarrier in shared_cluster space cannot return any value")


def _verify_scope(scope: MemoryScopeAttr) -> None:
    if scope.data not in (MemoryScope.CTA, MemoryScope.CLUSTER):
        raise VerifyException("mbarrier scope must be either CTA or Cluster")


@irdl_op_definition
class MBarrierArriveOp(MBarrierArriveBase):
    """`%state = nvvm.mbarrier.arrive %b, %count : !llvm.ptr<3> -> i64`."""

    name = "nvvm.mbarrier.arrive"
    PTX: ClassVar = "mbarrier.arrive<semantics><[addr]>.b64  d_, [addr]{, count}"
    traits = traits_def(_MBARRIER)


@irdl_op_definition
class MBarrierArriveDropOp(MBarrierArriveBase):
    """Arrives, and lowers the expected arrivals of later phases."""

    name = "nvvm.mbarrier.arrive_drop"
    PTX: ClassVar = "mbarrier.arrive_drop<semantics><[addr]>.b64  d_, [addr]{, count}"
    traits = traits_def(_MBARRIER)


@irdl_op_definition
class MBarrierArriveNoCompleteOp(NVVMOperation):
    """Arrives `count` times without completing the phase."""

    name = "nvvm.mbarrier.arrive.nocomplete"
    PTX: ClassVar = "mbarrier.arrive.noComplete<[addr]>.b64  d, [addr], count"

    addr = operand_def(LLVMPointerType)
    count = operand_def(I32)
    res = result_def(I64)
    traits = traits_def(_MBARRIER)
    assembly_format = "$addr `,` $count attr-dict `:` type(operands) `->` type($res)"

    def verify_(self) -> None:
        super().verify_()
        verify_spaces(self.addr, (0, 3))


@irdl_op_definition
class MBarrierArriveExpectTxOp(NVVMOperation):
    """Adds `txcount` to the pending bytes of the phase, then arrives once."""

    name = "nvvm.mbarrier.arrive.expect_tx"
    PTX: ClassVar = (
        "@predicate mbarrier.arrive.expect_tx<semantics><[addr]>.b64  d_, [addr], txcount"
    )

    addr = operand_def(LLVMPointerType)
    txcount = operand_def(I32)
    predicate = opt_operand_def(I1)
    scope = prop_def(MemoryScopeAttr, default_value=CTA)
    relaxed = prop_def(BoolAttr, default_value=FALSE)
    res = opt_result_def(I64)
    traits = traits_def(_TRANSACTIONS)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "$addr `,` $txcount (`,` `predicate` `=` $predicate^)? attr-dict "
        "`:` type(operands) (`->` type($res)^)?"
    )

    def __init__(
        self,
        addr: Value,
        txcount: Value,
        predicate: Value | None = None,
        *,
        scope: MemoryScope = MemoryScope.CTA,
        relaxed: bool = False,
        has_state: bool = False,
    ):
        super().__init__(
            operands=[addr, txcount, predicate],
            result_types=[i64 if has_state else None],
            properties={
                "scope": MemoryScopeAttr(scope),
                "relaxed": IntegerAttr.from_bool(relaxed),
            },
        )

    @property
    def requirement(self) -> Requirement:
        return _RELAXED if self.relaxed.value.data else super().requirement

    @property
    def semantics(self) -> str:
        """The PTX qualifiers of memory ordering and scope."""
        return _semantics("release", self.scope, self.relaxed)

    def verify_(self) -> None:
        super().verify_()
        verify_spaces(self.addr, (0, 3, 7))
        _verify_state(self.addr, self.res)
        _verify_scope(self.scope)
        if self.predicate is not None and self.res is not None:
            raise VerifyException("Predicate-op with return value is not supported")
        if self.predicate is not None and is_cluster_pointer(self.addr):
            raise VerifyException(
                "mbarrier in shared_cluster space is not supported when using predicate"
            )


class MBarrierTxBase(NVVMOperation, abc.ABC):
    """Changes the pending bytes of the phase."""

    addr = operand_def(LLVMPointerType)
    txcount = operand_def(I32)
    scope = prop_def(MemoryScopeAttr, default_value=CTA)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$addr `,` $txcount attr-dict `:` type(operands)"

    def __init__(self, addr: Value, txcount: Value, *, scope: MemoryScope = MemoryScope.CTA):
        super().__init__(operands=[addr, txcount], properties={"scope": MemoryScopeAttr(scope)})

    def verify_(self) -> None:
        super().verify_()
        verify_spaces(self.addr, (3, 7))
        _verify_scope(self.scope)


@irdl_op_definition
class MBarrierExpectTxOp(MBarrierTxBase):
    """Adds `txcount` to the pending bytes of the phase."""

    name = "nvvm.mbarrier.expect_tx"
    PTX: ClassVar = "mbarrier.expect_tx.relaxed.<scope><[addr]>.b64  [addr], txcount"
    traits = traits_def(_TRANSACTIONS)


@irdl_op_definition
class MBarrierCompleteTxOp(MBarrierTxBase):
    """Subtracts `txcount` from the pending bytes of the phase, as an asynchronous copy does."""

    name = "nvvm.mbarrier.complete_tx"
    PTX: ClassVar = "mbarrier.complete_tx.relaxed.<scope><[addr]>.b64  [addr], txcount"
    traits = traits_def(_TRANSACTIONS)


class MBarrierWaitBase(NVVMOperation, abc.ABC):
    """Tests whether the phase of an i64 state, or of an i32 parity, is complete."""

    addr = operand_def(LLVMPointerType)
    stateOrPhase = operand_def(I64 | I32)
    scope = prop_def(MemoryScopeAttr, default_value=CTA)
    relaxed = prop_def(BoolAttr, default_value=FALSE)
    res = result_def(I1)
    irdl_options = (ParsePropInAttrDict(),)

    @property
    def by_parity(self) -> bool:
        """Whether the operand is a parity rather than a state."""
        return self.stateOrPhase.type != i64

    @property
    def semantics(self) -> str:
        """The PTX qualifiers of memory ordering and scope."""
        return _semantics("acquire", self.scope, self.relaxed)

    @property
    def requirement(self) -> Requirement:
        if self.relaxed.value.data:
            return _RELAXED
        return super().requirement

    def verify_(self) -> None:
        super().verify_()
        verify_spaces(self.addr, (0, 3))
        _verify_scope(self.scope)


@irdl_op_definition
class MBarrierTestWaitOp(MBarrierWaitBase):
    """`%done = nvvm.mbarrier.test.wait %b, %state : !llvm.ptr<3>, i64 -> i1`: does not block."""

    name = "nvvm.mbarrier.test.wait"
    PTX: ClassVar = (
        "mbarrier.test_wait{.parity?by_parity}<semantics><[addr]>.b64  d, [addr], stateOrPhase"
    )
    traits = traits_def(_MBARRIER)
    assembly_format = "$addr `,` $stateOrPhase attr-dict `:` type(operands) `->` type($res)"

    def __init__(self, addr: Value, state_or_phase: Value):
        super().__init__(operands=[addr, state_or_phase], result_types=[i1])

    @property
    def requirement(self) -> Requirement:
        if self.by_parity and not self.relaxed.value.data:
            return Requirement(lowest_version=(7, 1), feature=Feature.MBARRIER)
        return super().requirement


@irdl_op_definition
class MBarrierTryWaitOp(MBarrierWaitBase):
    """`%done = nvvm.mbarrier.try_wait %b, %parity : !llvm.ptr<3>, i32 -> i1`: may block for some
    time.

    `ticks` is a limit in nanoseconds.
    """

    name = "nvvm.mbarrier.try_wait"
    PTX: ClassVar = (
        "mbarrier.try_wait{.parity?by_parity}<semantics><[addr]>.b64"
        "  d, [addr], stateOrPhase{, ticks}"
    )

    # Operands count in the order of the class first, then its bases: so all are here.
    addr = operand_def(LLVMPointerType)
    stateOrPhase = operand_def(I64 | I32)
    ticks = opt_operand_def(I32)
    traits = traits_def(Requires.feature(Feature.MBARRIER_TRY_WAIT))
    assembly_format = (
        "$addr `,` $stateOrPhase (`,` $ticks^)? attr-dict `:` type(operands) `->` type($res)"
    )

    def __init__(
        self,
        addr: Value,
        state_or_phase: Value,
        ticks: Value | None = None,
        *,
        scope: MemoryScope = MemoryScope.CTA,
        relaxed: bool = False,
    ):
        super().__init__(
            operands=[addr, state_or_phase, ticks],
            result_types=[i1],
            properties={
                "scope": MemoryScopeAttr(scope),
                "relaxed": IntegerAttr.from_bool(relaxed),
            },
        )


@irdl_op_definition
class MBarrierTryWaitParityOp(NVVMOperation):
    """Waits until the phase with parity `phase` is over: a loop around `try_wait`.

        nvvm.mbarrier.try_wait.parity %b, %phase, %ticks : !llvm.ptr<3>, i32, i32

    `ticks` limits each try, in nanoseconds.
    """

    name = "nvvm.mbarrier.try_wait.parity"

    addr = operand_def(LLVMPointerType)
    phase = operand_def(I32)
    ticks = operand_def(I32)
    traits = traits_def(Requires.feature(Feature.MBARRIER_TRY_WAIT))
    assembly_format = "$addr `,` $phase `,` $ticks attr-dict `:` type(operands)"

    def __init__(self, addr: Value, phase: Value, ticks: Value):
        super().__init__(operands=[addr, phase, ticks])

    def verify_(self) -> None:
        super().verify_()
        verify_spaces(self.addr, (0, 3))
