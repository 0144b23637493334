"""tcgen05.mma with block-scaled operands, with a dense or a sparse A.

The scales are in tensor memory. Source: PTX ISA, "tcgen05.mma", "tcgen05.mma.sp".
"""

import abc
from typing import ClassVar

from xdsl.dialects.builtin import I1, I32, I64
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import ParsePropInAttrDict, operand_def, prop_def, traits_def
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.nvvm.attributes import CTAGroup, CTAGroupAttr
from tileir_xdsl.dialects.nvvm.mma_attributes import (
    BlockScaleKind,
    BlockScaleKindAttr,
    Tcgen05BlockScale,
    Tcgen05BlockScaleAttr,
    Tcgen05Collector,
    Tcgen05CollectorAttr,
)
from tileir_xdsl.dialects.nvvm.pointers import I64_OR_TENSOR, TENSOR
from tileir_xdsl.dialects.nvvm.requirements import NVVMOperation, Requirement, Requires
from tileir_xdsl.dialects.nvvm.tcgen05_mma import MatrixATypes
from tileir_xdsl.targets import Feature

Value = Operation | SSAValue

_DISCARD = Tcgen05CollectorAttr(Tcgen05Collector.DISCARD)
_DEFAULT = Tcgen05BlockScaleAttr(Tcgen05BlockScale.DEFAULT)
_MMA = (
    "<ctaGroup>.kind::<kind>.block_scale<blockScale><collectorOp>  [matrixD], %[matrixA], %matrixB"
)
_REST = "%idesc, [scaleA], [scaleB], %enableInputD"
_OPERANDS = "$matrixD `,` $matrixA `,` $matrixB `,` $idesc `,` $enableInputD `,` "
_SCALES = "$scaleA `,` $scaleB attr-dict `:` custom<MatrixATypes>(type($matrixA))"


class Tcgen05ScaledMMABaseOp(NVVMOperation, abc.ABC):
    """Base of the block-scaled mma."""

    kind = prop_def(BlockScaleKindAttr)
    ctaGroup = prop_def(CTAGroupAttr)
    blockScale = prop_def(Tcgen05BlockScaleAttr, default_value=_DEFAULT)
    collectorOp = prop_def(Tcgen05CollectorAttr, default_value=_DISCARD)
    traits = traits_def(Requires.feature(Feature.TCGEN05))

    @property
    def requirement(self) -> Requirement:
        # Sizes of blocks came later than the others.
        named = self.blockScale.data is not Tcgen05BlockScale.DEFAULT
        return Requirement(0, (8, 8) if named else (8, 6), self.feature)

    @property
    def feature(self) -> Feature:
        """The target feature that the op needs."""
        return Feature.TCGEN05

    def verify_(self) -> None:
        super().verify_()
        if "aShift" in self.attributes:
            raise VerifyException("ashift is not supported with tcgen05.mma.block_scale variants")
        kind, size = self.kind.data, self.blockScale.data
        if kind is BlockScaleKind.MXF4NVF4:
            if size is Tcgen05BlockScale.DEFAULT:
                raise VerifyException("mxf4nvf4 requires block scale attribute")
        elif size is Tcgen05BlockScale.BLOCK16:
            raise VerifyException(f"{kind} kind does not support block16 attribute")


@irdl_op_definition
class Tcgen05MMABlockScaleOp(Tcgen05ScaledMMABaseOp):
    """`D = (A * scales) * (B * scales) + D`.

    nvvm.tcgen05.mma.block_scale %d, %a, %b, %idesc, %enable, %sa, %sb {kind =
        #nvvm.block_scale_kind<mxf8f6f4>, ctaGroup = #nvvm.cta_group<cta_1>} : (!llvm.ptr<6>,
        i64, i64, i32, i1, !llvm.ptr<6>, !llvm.ptr<6>)
    """

    name = "nvvm.tcgen05.mma.block_scale"
    PTX: ClassVar = f"tcgen05.mma.{_MMA}, {_REST}"

    matrixD = operand_def(TENSOR)
    matrixA = operand_def(I64_OR_TENSOR)
    matrixB = operand_def(I64)
    idesc = operand_def(I32)
    enableInputD = operand_def(I1)
    scaleA = operand_def(TENSOR)
    scaleB = operand_def(TENSOR)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = _OPERANDS + _SCALES
    custom_directives = (MatrixATypes,)

    def __init__(
        self,
        d: Value,
        a: Value,
        b: Value,
        instruction: Value,
        enable_input: Value,
        scale_a: Value,
        scale_b: Value,
        kind: BlockScaleKind,
        group: CTAGroup = CTAGroup.ONE,
        *,
        size: Tcgen05BlockScale = Tcgen05BlockScale.DEFAULT,
        collector: Tcgen05Collector = Tcgen05Collector.DISCARD,
    ):
        super().__init__(
            operands=[d, a, b, instruction, enable_input, scale_a, scale_b],
            properties={
                "kind": BlockScaleKindAttr(kind),
                "ctaGroup": CTAGroupAttr(group),
                "blockScale": Tcgen05BlockScaleAttr(size),
                "collectorOp": Tcgen05CollectorAttr(collector),
            },
        )


@irdl_op_definition
class Tcgen05MMASparseBlockScaleOp(Tcgen05ScaledMMABaseOp):
    """A block-scaled mma with a sparse A, whose metadata precedes the scales."""

    name = "nvvm.tcgen05.mma.sp.block_scale"
    PTX: ClassVar = f"tcgen05.mma.sp.{_MMA}, [sparseMetadata], {_REST}"

    matrixD = operand_def(TENSOR)
    matrixA = operand_def(I64_OR_TENSOR)
    matrixB = operand_def(I64)
    idesc = operand_def(I32)
    enableInputD = operand_def(I1)
    sparseMetadata = operand_def(TENSOR)
    scaleA = operand_def(TENSOR)
    scaleB = operand_def(TENSOR)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = _OPERANDS + "$sparseMetadata `,` " + _SCALES
    custom_directives = (MatrixATypes,)

    @property
    def feature(self) -> Feature:
        if self.kind.data is BlockScaleKind.MXF8F6F4:
            return Feature.TCGEN05
        return Feature.TCGEN05_SPARSE_4_BITS
