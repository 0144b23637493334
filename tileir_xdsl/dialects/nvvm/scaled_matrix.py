"""Warp-level mma with block scales, with a dense or a sparse A.

The scales of a row of A, or of a column of B, are bytes of a word of one lane. Operands select the
first byte, and the lane within each group of four (PTX ISA, "Block Scaling").
"""

import abc
from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import I32, IntegerType, UnitAttr, i32
from xdsl.dialects.llvm import LLVMStructType
from xdsl.ir import SSAValue
from xdsl.irdl import (
    operand_def,
    opt_prop_def,
    prop_def,
    traits_def,
    var_operand_def,
)
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.nvvm.attributes import MMAShapeAttr, MMAType, MMATypeAttr
from tileir_xdsl.dialects.nvvm.matrix import MatrixForm, Value, WarpMMAOp
from tileir_xdsl.dialects.nvvm.mma_attributes import (
    BlockScaleFormat,
    BlockScaleFormatAttr,
    BlockScaleKind,
    BlockScaleKindAttr,
    ScaleVectorSize,
    ScaleVectorSizeAttr,
)
from tileir_xdsl.dialects.nvvm.requirements import Requires
from tileir_xdsl.targets import Feature
from tileir_xdsl.targets.scaled_mma import SCALED_MMA_ATOMS, ScaledVariant

_I16 = IntegerType(16)
_SCALE = (i32, _I16, _I16)
_BLOCK_SCALED = Requires.feature(Feature.BLOCK_SCALED_MMA)
Scale = tuple[Value, Value, Value]
"""A word of scales, the index of their first byte, and the lane within each group of four."""


class ScaledMMAOp(WarpMMAOp, abc.ABC):
    """Base of the block-scaled mma; A, B and C are packed in registers of 32 bits."""

    kind = prop_def(BlockScaleKindAttr)
    scaleVecSize = prop_def(ScaleVectorSizeAttr)
    blockScaleFormat = prop_def(BlockScaleFormatAttr)
    traits = traits_def(_BLOCK_SCALED)

    @classmethod
    @abc.abstractmethod
    def is_sparse(cls) -> bool: ...

    @property
    def form(self) -> MatrixForm:
        a, b = self.types
        count, scale = self.scaleVecSize.data, self.blockScaleFormat.data
        variant = ScaledVariant(
            self.kind.data, a, b, int(count.removeprefix("x")), scale, self.is_sparse()
        )
        if (atom := SCALED_MMA_ATOMS.get(variant)) is None:
            raise VerifyException(
                f"no mma of kind {variant.kind} has A of type {a}, B of type {b} and scales "
                f"{scale}, {count}"
            )
        return MatrixForm.of_atom(atom, self.shape)


@irdl_op_definition
class MmaBlockScaleOp(ScaledMMAOp):
    """`D = (A * scales) * (B * scales) + C` by all lanes of a warp.

    %d = nvvm.mma.block_scale A[%a0, %a1, %a2, %a3] B[%b0, %b1] C[%c0, %c1, %c2, %c3] scaleA[%x,
        %byte, %thread] scaleB[%y, %byte, %thread] {kind = #nvvm.block_scale_kind<mxf8f6f4>, ..}
        : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
    """

    name = "nvvm.mma.block_scale"

    operandA = var_operand_def()
    operandB = var_operand_def()
    operandC = var_operand_def()
    scaleAData = operand_def(I32)
    byteIdA = operand_def(_I16)
    threadIdA = operand_def(_I16)
    scaleBData = operand_def(I32)
    byteIdB = operand_def(_I16)
    threadIdB = operand_def(_I16)

    def __init__(
        self,
        a: Sequence[Value],
        b: Sequence[Value],
        c: Sequence[Value],
        scale_a: Scale,
        scale_b: Scale,
        shape: tuple[int, int, int],
        types: tuple[MMAType, MMAType],
        kind: BlockScaleKind,
        size: ScaleVectorSize,
        scales: BlockScaleFormat,
    ):
        super().__init__(
            operands=[a, b, c, *scale_a, *scale_b],
            result_types=[LLVMStructType.from_type_list([SSAValue.get(value).type for value in c])],
            properties={
                "kind": BlockScaleKindAttr(kind),
                "scaleVecSize": ScaleVectorSizeAttr(size),
                "blockScaleFormat": BlockScaleFormatAttr(scales),
                "shape": MMAShapeAttr.of(*shape),
                "multiplicandAPtxType": MMATypeAttr(types[0]),
                "multiplicandBPtxType": MMATypeAttr(types[1]),
            },
        )

    @classmethod
    def words(cls) -> Mapping[str, tuple[IntegerType, ...]]:
        return {"scaleA": _SCALE, "scaleB": _SCALE}

    @classmethod
    def is_sparse(cls) -> bool:
        return False


@irdl_op_definition
class MmaSpBlockScaleOp(ScaledMMAOp):
    """A block-scaled mma with a sparse A, as in `nvvm.mma.sp.sync`, and ordered metadata.

        .. C[%c0, %c1, %c2, %c3] sparseMetadata[%m] selector[%s] scaleA[%x, %byte, %thread] ..

    The number of stored elements of A that share a scale is that of a dense mma.
    """

    name = "nvvm.mma.sp.block_scale"

    operandA = var_operand_def()
    operandB = var_operand_def()
    operandC = var_operand_def()
    sparseMetadata = operand_def(I32)
    sparsitySelector = operand_def(I32)
    scaleAData = operand_def(I32)
    byteIdA = operand_def(_I16)
    threadIdA = operand_def(_I16)
    scaleBData = operand_def(I32)
    byteIdB = operand_def(_I16)
    threadIdB = operand_def(_I16)
    orderedMetadata = opt_prop_def(UnitAttr)

    @classmethod
    def words(cls) -> Mapping[str, tuple[IntegerType, ...]]:
        return {"sparseMetadata": (i32,), "selector": (i32,), "scaleA": _SCALE, "scaleB": _SCALE}

    @classmethod
    def is_sparse(cls) -> bool:
        return True

    @property
    def registers(self) -> tuple[int, int, int]:
        a, b, c = self.form.registers
        return a // 2, b, c

    @property
    def selectors(self) -> int:
        """The number of sparsity selectors: one, since all lanes have metadata."""
        return 1

    def verify_(self) -> None:
        super().verify_()
        if self.orderedMetadata is None:
            raise VerifyException("op requires orderedMetadata attribute")
