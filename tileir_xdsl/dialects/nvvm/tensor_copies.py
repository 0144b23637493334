"""Tensor copies: boxes of tensors that tensor maps describe (TMA).

Coordinates count elements, the fastest dimension first.
Source: PTX ISA, "Data Movement and Conversion Instructions: Tensor copy".
"""

import abc
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import I1, I32, I64, BoolAttr, IntegerAttr
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    ParsePropInAttrDict,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    traits_def,
    var_operand_def,
)
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.nvvm.attributes import (
    CTAGroup,
    CTAGroupAttr,
    TMALoadMode,
    TMALoadModeAttr,
    TMAReduction,
    TMAReductionAttr,
    TMAStoreMode,
    TMAStoreModeAttr,
)
from tileir_xdsl.dialects.nvvm.copies import (
    FALSE,
    HINT,
    I16,
    MULTICAST,
    shared_destination,
    verify_multicast,
)
from tileir_xdsl.dialects.nvvm.pointers import (
    GENERIC,
    SHARED,
    SHARED_ANY,
    is_cluster_pointer,
)
from tileir_xdsl.dialects.nvvm.requirements import NVVMOperation, Requirement, Requires
from tileir_xdsl.targets import Feature

Value = Operation | SSAValue

_TMA = Requires.feature(Feature.TMA)
_ROW_MODES = (TMALoadMode.IM2COL_W, TMALoadMode.IM2COL_W_128)
_BEYOND_BLOCK = Requirement(feature=Feature.TMA_SCATTER)
"""The requirement of gathers into other blocks or into a cache."""


def _rank(mode: TMALoadMode | TMAStoreMode, coordinates: Sequence[SSAValue]) -> int:
    """The rank of the tensor: 2 for gathers and scatters, whose coordinates are a column and four
    rows.
    """
    is_rows = mode in (TMALoadMode.TILE_GATHER4, TMAStoreMode.TILE_SCATTER4)
    return 2 if is_rows else len(coordinates)


@irdl_op_definition
class CpAsyncBulkTensorGlobalToSharedClusterOp(NVVMOperation):
    """Copies a box of a tensor from global to shared memory; the barrier counts its bytes.

        nvvm.cp.async.bulk.tensor.shared.cluster.global %dst, %map, %mbar, box[%c0, %c1]
            multicast_mask = %m l2_cache_hint = %h predicate = %p : !llvm.ptr<7>, !llvm.ptr

    Elements outside the tensor become zero or NaN, as the tensor map says; the barrier counts them,
    too.
    """

    name = "nvvm.cp.async.bulk.tensor.shared.cluster.global"
    PTX: ClassVar = (
        "@predicate cp.async.bulk.tensor.<rank>d<[dstMem]>.global<mode>"
        f".mbarrier::complete_tx::bytes{MULTICAST}{{.<group>}}{HINT}"
        "  [dstMem], [tmaDescriptor, {coordinates}], [mbar]{, {im2colOffsets}}"
        "{, multicastMask}{, l2CacheHint}"
    )

    dstMem = operand_def(SHARED_ANY)
    tmaDescriptor = operand_def(GENERIC)
    coordinates = var_operand_def(I32)
    mbar = operand_def(SHARED)
    im2colOffsets = var_operand_def(I16)
    multicastMask = opt_operand_def(I16)
    l2CacheHint = opt_operand_def(I64)
    predicate = opt_operand_def(I1)
    mode = prop_def(TMALoadModeAttr, default_value=TMALoadModeAttr(TMALoadMode.TILE))
    isCTAOnly = prop_def(BoolAttr, default_value=FALSE)
    group = opt_prop_def(CTAGroupAttr)
    traits = traits_def(_TMA)
    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    assembly_format = (
        "$dstMem `,` $tmaDescriptor `,` $mbar `,` `box` `[` $coordinates `]` "
        "(`im2col` `[` $im2colOffsets^ `]`)? (`multicast_mask` `=` $multicastMask^)? "
        "(`l2_cache_hint` `=` $l2CacheHint^)? (`predicate` `=` $predicate^)? attr-dict "
        "`:` type($dstMem) `,` type($tmaDescriptor)"
    )

    def __init__(
        self,
        dst: Value,
        descriptor: Value,
        coordinates: Sequence[Value],
        mbar: Value,
        *,
        multicast_mask: Value | None = None,
        l2_cache_hint: Value | None = None,
        predicate: Value | None = None,
        im2col_offsets: Sequence[Value] = (),
        mode: TMALoadMode = TMALoadMode.TILE,
        group: CTAGroup | None = None,
    ):
        is_cta_only = not is_cluster_pointer(SSAValue.get(dst))
        super().__init__(
            operands=[
                dst,
                descriptor,
                coordinates,
                mbar,
                im2col_offsets,
                multicast_mask,
                l2_cache_hint,
                predicate,
            ],
            properties={
                "mode": TMALoadModeAttr(mode),
                "isCTAOnly": IntegerAttr.from_bool(is_cta_only),
                "group": None if group is None else CTAGroupAttr(group),
            },
        )

    @property
    def rank(self) -> int:
        """The dimensions of the box."""
        return _rank(self.mode.data, self.coordinates)

    @property
    def requirement(self) -> Requirement:
        if self.mode.data is TMALoadMode.TILE_GATHER4:
            to_cluster = is_cluster_pointer(self.dstMem)
            return _BEYOND_BLOCK if to_cluster else Requirement(feature=Feature.TMA_GATHER)
        if self.mode.data in _ROW_MODES:
            return Requirement(feature=Feature.TMA_IM2COL_W)
        if self.group is not None:
            return Requirement(feature=Feature.TCGEN05)
        return shared_destination(self.dstMem)

    def verify_(self) -> None:
        super().verify_()
        if bool(self.isCTAOnly.value.data) == is_cluster_pointer(self.dstMem):
            raise VerifyException(
                "Shared::cta destination requires isCTAOnly, and shared::cluster forbids it."
            )
        verify_multicast(self.dstMem, self.multicastMask)
        _verify_load(self.mode.data, len(self.coordinates), len(self.im2colOffsets))


def _verify_load(mode: TMALoadMode, rank: int, offsets: int) -> None:
    if mode is TMALoadMode.TILE_GATHER4:
        if rank != 5:
            raise VerifyException("gather4 requires 5 coordinates")
        if offsets:
            raise VerifyException(f"im2col offsets expected 0 (provided {offsets})")
        return
    _verify_rank(rank, is_im2col=mode is not TMALoadMode.TILE)
    expected = {TMALoadMode.TILE: 0, TMALoadMode.IM2COL: rank - 2}.get(mode, 2)
    if offsets != expected:
        raise VerifyException(f"im2col offsets expected {expected} (provided {offsets})")


def _verify_rank(rank: int, *, is_im2col: bool) -> None:
    if not 1 <= rank <= 5:
        raise VerifyException("expects coordinates between 1 to 5 dimension")
    if is_im2col and rank < 3:
        raise VerifyException("to use im2col mode, the tensor has to be at least 3-dimensional")


class TensorStoreBase(NVVMOperation, abc.ABC):
    """A copy or reduction of a box from shared memory to a tensor, as part of a bulk group.

    Elements outside the tensor are not written.
    """

    tmaDescriptor = operand_def(GENERIC)
    srcMem = operand_def(SHARED)
    coordinates = var_operand_def(I32)
    l2CacheHint = opt_operand_def(I64)
    mode = prop_def(TMAStoreModeAttr, default_value=TMAStoreModeAttr(TMAStoreMode.TILE))

    @property
    def rank(self) -> int:
        """The dimensions of the box."""
        return _rank(self.mode.data, self.coordinates)

    @property
    def requirement(self) -> Requirement:
        if self.mode.data is TMAStoreMode.TILE_SCATTER4:
            return Requirement(feature=Feature.TMA_SCATTER)
        return super().requirement

    def verify_(self) -> None:
        super().verify_()
        rank = len(self.coordinates)
        if self.mode.data is TMAStoreMode.TILE_SCATTER4:
            if rank != 5:
                raise VerifyException("scatter4 requires 5 coordinates")
            return
        _verify_rank(rank, is_im2col=self.mode.data is TMAStoreMode.IM2COL)


@irdl_op_definition
class CpAsyncBulkTensorSharedCTAToGlobalOp(TensorStoreBase):
    """`nvvm.cp.async.bulk.tensor.global.shared.cta %map, %src, box[%c0, %c1]
    : !llvm.ptr, !llvm.ptr<3>`.
    """

    name = "nvvm.cp.async.bulk.tensor.global.shared.cta"
    PTX: ClassVar = (
        f"@predicate cp.async.bulk.tensor.<rank>d.global.shared::cta<mode>.bulk_group{HINT}"
        "  [tmaDescriptor, {coordinates}], [srcMem]{, l2CacheHint}"
    )

    # Operands count in the order of the class first, then its bases: so all are here.
    tmaDescriptor = operand_def(GENERIC)
    srcMem = operand_def(SHARED)
    coordinates = var_operand_def(I32)
    l2CacheHint = opt_operand_def(I64)
    predicate = opt_operand_def(I1)
    traits = traits_def(_TMA)
    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    assembly_format = (
        "$tmaDescriptor `,` $srcMem `,` `box` `[` $coordinates `]` "
        "(`l2_cache_hint` `=` $l2CacheHint^)? (`,` `predicate` `=` $predicate^)? attr-dict "
        "`:` type($tmaDescriptor) `,` type($srcMem)"
    )

    def __init__(
        self,
        descriptor: Value,
        src: Value,
        coordinates: Sequence[Value],
        *,
        l2_cache_hint: Value | None = None,
        predicate: Value | None = None,
        mode: TMAStoreMode = TMAStoreMode.TILE,
    ):
        super().__init__(
            operands=[descriptor, src, coordinates, l2_cache_hint, predicate],
            properties={"mode": TMAStoreModeAttr(mode)},
        )


@irdl_op_definition
class CpAsyncBulkTensorReduceOp(TensorStoreBase):
    """Combines the box with the tensor: `... {redKind = #nvvm.tma_redux_kind<add>} : ...`."""

    name = "nvvm.cp.async.bulk.tensor.reduce"
    PTX: ClassVar = (
        f"cp.reduce.async.bulk.tensor.<rank>d.global.shared::cta.<redKind><mode>.bulk_group{HINT}"
        "  [tmaDescriptor, {coordinates}], [srcMem]{, l2CacheHint}"
    )

    redKind = prop_def(TMAReductionAttr)
    traits = traits_def(_TMA)
    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    assembly_format = (
        "$tmaDescriptor `,` $srcMem `,` `box` `[` $coordinates `]` "
        "(`l2_cache_hint` `=` $l2CacheHint^)? attr-dict "
        "`:` type($tmaDescriptor) `,` type($srcMem)"
    )

    def __init__(
        self,
        kind: TMAReduction,
        descriptor: Value,
        src: Value,
        coordinates: Sequence[Value],
        *,
        l2_cache_hint: Value | None = None,
        mode: TMAStoreMode = TMAStoreMode.TILE,
    ):
        super().__init__(
            operands=[descriptor, src, coordinates, l2_cache_hint],
            properties={"redKind": TMAReductionAttr(kind), "mode": TMAStoreModeAttr(mode)},
        )

    def verify_(self) -> None:
        super().verify_()
        if self.mode.data is TMAStoreMode.TILE_SCATTER4:
            raise VerifyException("Scatter mode unsupported for CpAsyncBulkTensorReduceOp")


@irdl_op_definition
class CpAsyncBulkTensorPrefetchOp(NVVMOperation):
    """Prefetches a box of a tensor into the L2 cache."""

    name = "nvvm.cp.async.bulk.tensor.prefetch"
    PTX: ClassVar = (
        f"cp.async.bulk.prefetch.tensor.<rank>d.L2.global<mode>{HINT}"
        "  [tmaDescriptor, {coordinates}]{, {im2colOffsets}}{, l2CacheHint}"
    )

    tmaDescriptor = operand_def(GENERIC)
    coordinates = var_operand_def(I32)
    im2colOffsets = var_operand_def(I16)
    l2CacheHint = opt_operand_def(I64)
    mode = prop_def(TMALoadModeAttr, default_value=TMALoadModeAttr(TMALoadMode.TILE))
    traits = traits_def(_TMA)
    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    assembly_format = (
        "$tmaDescriptor `,` `box` `[` $coordinates `]` (`im2col` `[` $im2colOffsets^ `]`)? "
        "(`l2_cache_hint` `=` $l2CacheHint^)? attr-dict `:` type($tmaDescriptor)"
    )

    @property
    def rank(self) -> int:
        """The dimensions of the box."""
        return _rank(self.mode.data, self.coordinates)

    @property
    def requirement(self) -> Requirement:
        if self.mode.data is TMALoadMode.TILE_GATHER4:
            return _BEYOND_BLOCK
        if self.mode.data in _ROW_MODES:
            return Requirement(feature=Feature.TMA_IM2COL_W)
        return super().requirement

    def verify_(self) -> None:
        super().verify_()
        _verify_load(self.mode.data, len(self.coordinates), len(self.im2colOffsets))
