"""Asynchronous copies: `cp.async`, bulk copies, and prefetches.

Source: PTX ISA, "Data Movement and Conversion Instructions: Asynchronous copy".
"""

from typing import ClassVar

from xdsl.dialects.builtin import I1, I32, I64, BoolAttr, IntegerAttr, IntegerType, UnitAttr
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    ParsePropInAttrDict,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    traits_def,
)
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.enumerations import CacheModifier
from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.nvvm.attributes import CacheModifierAttr, PrefetchLevel, PrefetchLevelAttr
from tileir_xdsl.dialects.nvvm.pointers import (
    GLOBAL,
    SHARED,
    SHARED_ANY,
    SHARED_CLUSTER,
    is_cluster_pointer,
    verify_spaces,
)
from tileir_xdsl.dialects.nvvm.requirements import NVVMOperation, Requirement, Requires
from tileir_xdsl.targets import Feature

Value = Operation | SSAValue

I16 = IntegerType(16)
FALSE = IntegerAttr.from_bool(False)

_CP_ASYNC = Requires.feature(Feature.CP_ASYNC)
_BULK = Requires.feature(Feature.BULK_COPY)

HINT = "{.L2::cache_hint?l2CacheHint}"
MULTICAST = "{.multicast::cluster?multicastMask}"


def _i32(value: int) -> IntegerAttr:
    return IntegerAttr(value, 32)


# Copies of single threads.


@irdl_op_definition
class CpAsyncOp(NVVMOperation):
    """Copies 4, 8 or 16 bytes from global to shared memory.

        nvvm.cp.async.shared.global %dst, %src, 16, cache = cg, %n : !llvm.ptr<3>, !llvm.ptr<1>, i32

    The optional operand is how many bytes to read; the rest of the destination becomes zero.
    """

    name = "nvvm.cp.async.shared.global"
    PTX: ClassVar = "cp.async.<modifier>.shared.global  [dst], [src], size{, cpSize}"

    dst = operand_def(SHARED)
    src = operand_def(GLOBAL)
    size = prop_def(IntegerAttr[I32])
    modifier = prop_def(CacheModifierAttr)
    cpSize = opt_operand_def(I32)
    traits = traits_def(_CP_ASYNC)
    assembly_format = (
        "$dst `,` $src `,` $size `,` `cache` `=` $modifier (`,` $cpSize^)? attr-dict "
        "`:` type(operands)"
    )

    def __init__(
        self,
        dst: Value,
        src: Value,
        size: int,
        modifier: CacheModifier,
        cp_size: Value | None = None,
    ):
        super().__init__(
            operands=[dst, src, cp_size],
            properties={"size": _i32(size), "modifier": CacheModifierAttr(modifier)},
        )

    def verify_(self) -> None:
        super().verify_()
        modifier, size = self.modifier.data, self.size.value.data
        if modifier not in (CacheModifier.CA, CacheModifier.CG):
            raise VerifyException("Only CG and CA cache modifiers are supported.")
        if size not in (4, 8, 16):
            raise VerifyException("expected byte size to be either 4, 8 or 16.")
        if modifier is CacheModifier.CG and size != 16:
            raise VerifyException("CG cache modifier is only support for 16 bytes copy.")


@irdl_op_definition
class CpAsyncCommitGroupOp(NVVMOperation):
    """`nvvm.cp.async.commit.group`: the copies since the last commit become a group."""

    name = "nvvm.cp.async.commit.group"
    PTX: ClassVar = "cp.async.commit_group"

    traits = traits_def(_CP_ASYNC)
    assembly_format = "attr-dict"

    def __init__(self):
        super().__init__()


@irdl_op_definition
class CpAsyncWaitGroupOp(NVVMOperation):
    """`nvvm.cp.async.wait.group 2`: waits until at most that number of groups are pending."""

    name = "nvvm.cp.async.wait.group"
    PTX: ClassVar = "cp.async.wait_group  n"

    n = prop_def(IntegerAttr[I32])
    traits = traits_def(_CP_ASYNC)
    assembly_format = "$n attr-dict"

    def __init__(self, n: int):
        super().__init__(properties={"n": _i32(n)})


@irdl_op_definition
class CpAsyncMBarrierArriveOp(NVVMOperation):
    """Arrives at a barrier once the thread's copies are done.

        nvvm.cp.async.mbarrier.arrive %b {noinc = true} : !llvm.ptr<3>

    With `noinc`, the barrier's initial count must include this arrival; otherwise the op adds it.
    """

    name = "nvvm.cp.async.mbarrier.arrive"
    PTX: ClassVar = "cp.async.mbarrier.arrive{.noinc}<[addr]>.b64  [addr]"

    addr = operand_def(LLVMPointerType)
    noinc = prop_def(BoolAttr, default_value=FALSE)
    traits = traits_def(_CP_ASYNC)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$addr attr-dict `:` type(operands)"

    def __init__(self, addr: Value, *, noinc: bool = False):
        super().__init__(operands=[addr], properties={"noinc": IntegerAttr.from_bool(noinc)})

    def verify_(self) -> None:
        super().verify_()
        verify_spaces(self.addr, (0, 3))


# Bulk copies.


@irdl_op_definition
class CpAsyncBulkCommitGroupOp(NVVMOperation):
    """`nvvm.cp.async.bulk.commit.group`: the bulk copies since the last commit become a group."""

    name = "nvvm.cp.async.bulk.commit.group"
    PTX: ClassVar = "cp.async.bulk.commit_group"

    traits = traits_def(_BULK)
    assembly_format = "attr-dict"

    def __init__(self):
        super().__init__()


@irdl_op_definition
class CpAsyncBulkWaitGroupOp(NVVMOperation):
    """`nvvm.cp.async.bulk.wait_group 0 {read}`: waits until at most that number of groups are
    pending.

    With `read`, the op waits only until all other groups have read their sources.
    """

    name = "nvvm.cp.async.bulk.wait_group"
    PTX: ClassVar = "cp.async.bulk.wait_group{.read}  group"

    group = prop_def(IntegerAttr[I32])
    read = opt_prop_def(UnitAttr)
    traits = traits_def(_BULK)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$group attr-dict"

    def __init__(self, group: int, *, read: bool = False):
        super().__init__(properties={"group": _i32(group), "read": UnitAttr() if read else None})


@irdl_op_definition
class CpAsyncBulkGlobalToSharedClusterOp(NVVMOperation):
    """Copies `size` bytes from global to shared memory; the barrier `mbar` counts them.

        nvvm.cp.async.bulk.shared.cluster.global %dst, %src, %mbar, %size : !llvm.ptr<7>,
            !llvm.ptr<1>

    `multicast_mask` has one bit per block of the cluster.
    """

    name = "nvvm.cp.async.bulk.shared.cluster.global"
    PTX: ClassVar = (
        f"cp.async.bulk<[dstMem]>.global.mbarrier::complete_tx::bytes{MULTICAST}{HINT}"
        "  [dstMem], [srcMem], size, [mbar]{, multicastMask}{, l2CacheHint}"
    )

    dstMem = operand_def(SHARED_ANY)
    srcMem = operand_def(GLOBAL)
    mbar = operand_def(SHARED)
    size = operand_def(I32)
    multicastMask = opt_operand_def(I16)
    l2CacheHint = opt_operand_def(I64)
    traits = traits_def(_BULK)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    assembly_format = (
        "$dstMem `,` $srcMem `,` $mbar `,` $size (`multicast_mask` `=` $multicastMask^)? "
        "(`l2_cache_hint` `=` $l2CacheHint^)? attr-dict `:` type($dstMem) `,` type($srcMem)"
    )

    @property
    def requirement(self) -> Requirement:
        return shared_destination(self.dstMem)

    def verify_(self) -> None:
        super().verify_()
        verify_multicast(self.dstMem, self.multicastMask)


BLOCK_DESTINATION = (8, 6)
"""The lowest PTX version in which a bulk copy from global memory writes to `.shared::cta`."""


def shared_destination(destination: SSAValue) -> Requirement:
    """Writing `.shared::cta` rather than `.shared::cluster` needs a later PTX version."""
    version = (8, 0) if is_cluster_pointer(destination) else BLOCK_DESTINATION
    return Requirement(lowest_version=version, feature=Feature.BULK_COPY)


def verify_multicast(destination: SSAValue, mask: SSAValue | None) -> None:
    """Raises `VerifyException` for a multicast to the shared memory of one block."""
    if mask is not None and not is_cluster_pointer(destination):
        raise VerifyException("Multicast is not supported with shared::cta mode.")


@irdl_op_definition
class CpAsyncBulkSharedCTAToGlobalOp(NVVMOperation):
    """Copies `size` bytes from shared to global memory, as part of a bulk group."""

    name = "nvvm.cp.async.bulk.global.shared.cta"
    PTX: ClassVar = (
        f"cp.async.bulk.global.shared::cta.bulk_group{HINT}{{.cp_mask?byteMask}}"
        "  [dstMem], [srcMem], size{, l2CacheHint}{, byteMask}"
    )

    dstMem = operand_def(GLOBAL)
    srcMem = operand_def(SHARED)
    size = operand_def(I32)
    l2CacheHint = opt_operand_def(I64)
    byteMask = opt_operand_def(I16)
    traits = traits_def(_BULK)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    assembly_format = (
        "$dstMem `,` $srcMem `,` $size (`l2_cache_hint` `=` $l2CacheHint^)? "
        "(`byte_mask` `=` $byteMask^)? attr-dict `:` type($dstMem) `,` type($srcMem)"
    )

    @property
    def requirement(self) -> Requirement:
        if self.byteMask is not None:
            return Requirement(100, (8, 6))
        return super().requirement


@irdl_op_definition
class CpAsyncBulkSharedCTAToSharedClusterOp(NVVMOperation):
    """Copies `size` bytes to the shared memory of another block; its barrier counts them."""

    name = "nvvm.cp.async.bulk.shared.cluster.shared.cta"
    PTX: ClassVar = (
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
        "  [dstMem], [srcMem], size, [mbar]"
    )

    dstMem = operand_def(SHARED_CLUSTER)
    srcMem = operand_def(SHARED)
    mbar = operand_def(SHARED)
    size = operand_def(I32)
    traits = traits_def(_BULK)
    assembly_format = (
        "$dstMem `,` $srcMem `,` $mbar `,` $size attr-dict `:` type($dstMem) `,` type($srcMem)"
    )


@irdl_op_definition
class PrefetchOp(NVVMOperation):
    """`nvvm.prefetch tensormap, %map : !llvm.ptr` or `nvvm.prefetch level = L2, %p : !llvm.ptr<1>`.

    Brings a tensor map, or the cache line of an address, into a cache.
    """

    name = "nvvm.prefetch"
    PTX: ClassVar = "@predicate prefetch<[addr]>{.<cacheLevel>}{.tensormap}  [addr]"

    addr = operand_def(LLVMPointerType)
    predicate = opt_operand_def(I1)
    cacheLevel = opt_prop_def(PrefetchLevelAttr)
    tensormap = opt_prop_def(UnitAttr)
    traits = traits_def(Requires.target(50, (2, 0)))
    assembly_format = (
        "(`level` `=` $cacheLevel^ `,`)? (`tensormap` $tensormap^ `,`)? $addr "
        "(`,` `predicate` `=` $predicate^)? attr-dict `:` type(operands)"
    )

    def __init__(
        self,
        addr: Value,
        level: PrefetchLevel | None = None,
        predicate: Value | None = None,
    ):
        super().__init__(
            operands=[addr, predicate],
            properties={
                "cacheLevel": None if level is None else PrefetchLevelAttr(level),
                "tensormap": UnitAttr() if level is None else None,
            },
        )

    @property
    def requirement(self) -> Requirement:
        if self.tensormap is not None:
            return Requirement(feature=Feature.TMA)
        return super().requirement

    def verify_(self) -> None:
        super().verify_()
        if (self.tensormap is None) == (self.cacheLevel is None):
            raise VerifyException("requires specification of either cache level or tensormap")
        verify_spaces(self.addr, (0, 4) if self.tensormap is not None else (0, 1, 5))
