"""wgmma: matrix instructions of a warpgroup, four warps, on operands in shared memory.

Fragment layouts and matrix descriptors are in the PTX ISA, "Asynchronous Warpgroup Level Matrix
Instructions".
"""

import abc
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    I1,
    I32,
    I64,
    IntegerAttr,
)
from xdsl.dialects.llvm import LLVMStructType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.nvvm import attributes
from tileir_xdsl.dialects.nvvm.matrix import MatrixForm
from tileir_xdsl.dialects.nvvm.requirements import NVVMOperation, Requirement, Requires
from tileir_xdsl.targets import Feature
from tileir_xdsl.targets.mma import MMAKind

Value = Operation | SSAValue


class WgmmaControlBase(NVVMOperation, abc.ABC):
    """An instruction that all four warps of a warpgroup execute together."""

    traits = traits_def(Requires.feature(Feature.WGMMA))


@irdl_op_definition
class WgmmaFenceAlignedOp(WgmmaControlBase):
    """`nvvm.wgmma.fence.aligned`: needed before the first wgmma, and after writes to its
    registers.
    """

    name = "nvvm.wgmma.fence.aligned"
    PTX: ClassVar = "wgmma.fence.sync.aligned"
    assembly_format = "attr-dict"

    def __init__(self):
        super().__init__()


@irdl_op_definition
class WgmmaCommitGroupOp(WgmmaControlBase):
    """`nvvm.wgmma.commit.group.sync.aligned`: the wgmmas since the last commit become a group."""

    name = "nvvm.wgmma.commit.group.sync.aligned"
    PTX: ClassVar = "wgmma.commit_group.sync.aligned"
    assembly_format = "attr-dict"

    def __init__(self):
        super().__init__()


@irdl_op_definition
class WgmmaWaitGroupOp(WgmmaControlBase):
    """`nvvm.wgmma.wait.group.sync.aligned 1`: waits until at most that number of groups are
    pending.
    """

    name = "nvvm.wgmma.wait.group.sync.aligned"
    PTX: ClassVar = "wgmma.wait_group.sync.aligned  group"
    group = prop_def(IntegerAttr[I64])
    assembly_format = "$group attr-dict"

    def __init__(self, group: int):
        super().__init__(properties={"group": IntegerAttr(group, 64)})


class WgmmaBase(NVVMOperation, abc.ABC):
    """`D = A * B + D` of shape m64nNkK by a warpgroup, asynchronously; D stays in registers.

    B is in shared memory, as is an A with a descriptor. The accumulator is a struct of N/2 f32 or
    i32 registers, or of N/4 packed pairs of f16. If `predicate` is false, D is overwritten.
    Upstream lacks this operand, and has only the constant `scaleD`.
    """

    inouts = operand_def(LLVMStructType)
    descriptorB = operand_def(I64)
    predicate = opt_operand_def(I1)
    shape = prop_def(attributes.MMAShapeAttr)
    typeA = prop_def(attributes.WGMMATypeAttr)
    typeB = prop_def(attributes.WGMMATypeAttr)
    typeD = prop_def(attributes.WGMMATypeAttr)
    scaleD = prop_def(attributes.WGMMAScaleOutAttr)
    scaleA = prop_def(attributes.WGMMAScaleInAttr)
    scaleB = prop_def(attributes.WGMMAScaleInAttr)
    layoutA = prop_def(attributes.MMALayoutAttr)
    layoutB = prop_def(attributes.MMALayoutAttr)
    satfinite = opt_prop_def(attributes.MMAOverflowAttr)
    traits = traits_def(Requires.feature(Feature.WGMMA))
    results_ = result_def(LLVMStructType)

    def verify_(self) -> None:
        super().verify_()
        form = self.form
        transposable = self.typeA.data in (attributes.WGMMAType.F16, attributes.WGMMAType.BF16)
        layouts = (self.layoutA.data, self.layoutB.data)
        if not transposable and layouts != (attributes.MMALayout.ROW, attributes.MMALayout.COLUMN):
            raise VerifyException(f"layoutA must be row and layoutB col for {self.typeA.data}")
        if self.typeA.data is attributes.WGMMAType.B1 and self.saturates:
            raise VerifyException("an mma of 1-bit elements cannot saturate")
        count = form.shape.n // 4 if form.atom.accumulator == "f16" else form.shape.n // 2
        found = len(self.inouts.type.types) if isinstance(self.inouts.type, LLVMStructType) else 0
        if found != count or self.inouts.type != self.results_.type:
            raise VerifyException(
                f"expected {count} accumulator registers as operand and as result, got {found}"
            )

    @property
    def saturates(self) -> bool:
        """Whether sums of integers stay in the range of the accumulator."""
        return (
            self.satfinite is not None and self.satfinite.data is attributes.MMAOverflow.SATFINITE
        )

    @property
    def form(self) -> MatrixForm:
        """The instruction.

        Raises `VerifyException` if no instruction has this shape and these types.
        """
        types = (self.typeA.data, self.typeB.data, self.typeD.data)
        bits = "and" if self.typeA.data is attributes.WGMMAType.B1 else ""
        return MatrixForm.find(MMAKind.WARPGROUP, *types, self.shape, bits)

    @property
    def requirement(self) -> Requirement:
        return self.form.requirement


_WGMMA_TYPES = (
    "$shape `,` `D` `[` $typeD `,` $scaleD (`,` $satfinite^)? `]` `,` "
    "`A` `[` $typeA `,` $scaleA `,` $layoutA `]` `,` "
    "`B` `[` $typeB `,` $scaleB `,` $layoutB `]` (`predicate` `=` $predicate^)? attr-dict "
    "`:` type($inouts) `->` type($results_)"
)


def _wgmma_properties(
    shape: tuple[int, int, int],
    types: tuple[attributes.WGMMAType, attributes.WGMMAType, attributes.WGMMAType],
    layouts: tuple[attributes.MMALayout, attributes.MMALayout],
    scale_d: attributes.WGMMAScaleOut,
    scales: tuple[attributes.WGMMAScaleIn, attributes.WGMMAScaleIn],
    overflow: attributes.MMAOverflow | None,
) -> dict[str, Attribute | None]:
    return {
        "shape": attributes.MMAShapeAttr.of(*shape),
        "typeD": attributes.WGMMATypeAttr(types[0]),
        "typeA": attributes.WGMMATypeAttr(types[1]),
        "typeB": attributes.WGMMATypeAttr(types[2]),
        "scaleD": attributes.WGMMAScaleOutAttr(scale_d),
        "scaleA": attributes.WGMMAScaleInAttr(scales[0]),
        "scaleB": attributes.WGMMAScaleInAttr(scales[1]),
        "layoutA": attributes.MMALayoutAttr(layouts[0]),
        "layoutB": attributes.MMALayoutAttr(layouts[1]),
        "satfinite": None if overflow is None else attributes.MMAOverflowAttr(overflow),
    }


@irdl_op_definition
class WgmmaMmaAsyncOp(WgmmaBase):
    """A and B in shared memory.

    %d = nvvm.wgmma.mma_async %descA, %descB, %c, <m = 64, n = 8, k = 16>, D[<f32>, <one>],
        A[<f16>, <one>, <row>], B[<f16>, <one>, <col>] : !llvm.struct<(f32, ..)> -> ..
    """

    name = "nvvm.wgmma.mma_async"

    # Operands count in the order of the class first, then its bases: so all are here.
    inouts = operand_def(LLVMStructType)
    descriptorA = operand_def(I64)
    descriptorB = operand_def(I64)
    predicate = opt_operand_def(I1)
    assembly_format = "$descriptorA `,` $descriptorB `,` $inouts `,` " + _WGMMA_TYPES

    def __init__(
        self,
        inouts: Value,
        descriptor_a: Value,
        descriptor_b: Value,
        shape: tuple[int, int, int],
        types: tuple[attributes.WGMMAType, attributes.WGMMAType, attributes.WGMMAType],
        layouts: tuple[attributes.MMALayout, attributes.MMALayout] = (
            attributes.MMALayout.ROW,
            attributes.MMALayout.COLUMN,
        ),
        *,
        scale_d: attributes.WGMMAScaleOut = attributes.WGMMAScaleOut.ONE,
        scales: tuple[attributes.WGMMAScaleIn, attributes.WGMMAScaleIn] = (
            attributes.WGMMAScaleIn.ONE,
            attributes.WGMMAScaleIn.ONE,
        ),
        overflow: attributes.MMAOverflow | None = None,
        predicate: Value | None = None,
    ):
        """`types` are those of D, A and B."""
        inouts = SSAValue.get(inouts)
        super().__init__(
            operands=[inouts, descriptor_a, descriptor_b, predicate],
            result_types=[inouts.type],
            properties=_wgmma_properties(shape, types, layouts, scale_d, scales, overflow),
        )


@irdl_op_definition
class WgmmaMmaAsyncRegisterOp(WgmmaBase):
    """A is in four registers per lane, with the layout of mma.sync; upstream lacks this op."""

    name = "nvvm.wgmma.mma_async.register"

    # Operands count in the order of the class first, then its bases: so all are here.
    inouts = operand_def(LLVMStructType)
    operandsA = var_operand_def(I32)
    descriptorB = operand_def(I64)
    predicate = opt_operand_def(I1)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    assembly_format = "`A` `[` $operandsA `]` `,` $descriptorB `,` $inouts `,` " + _WGMMA_TYPES

    def __init__(
        self,
        inouts: Value,
        a: Sequence[Value],
        descriptor_b: Value,
        shape: tuple[int, int, int],
        types: tuple[attributes.WGMMAType, attributes.WGMMAType, attributes.WGMMAType],
        layouts: tuple[attributes.MMALayout, attributes.MMALayout] = (
            attributes.MMALayout.ROW,
            attributes.MMALayout.COLUMN,
        ),
        *,
        scale_d: attributes.WGMMAScaleOut = attributes.WGMMAScaleOut.ONE,
        scales: tuple[attributes.WGMMAScaleIn, attributes.WGMMAScaleIn] = (
            attributes.WGMMAScaleIn.ONE,
            attributes.WGMMAScaleIn.ONE,
        ),
        overflow: attributes.MMAOverflow | None = None,
        predicate: Value | None = None,
    ):
        """`types` are those of D, A and B."""
        inouts = SSAValue.get(inouts)
        super().__init__(
            operands=[inouts, a, descriptor_b, predicate],
            result_types=[inouts.type],
            properties=_wgmma_properties(shape, types, layouts, scale_d, scales, overflow),
        )

    def verify_(self) -> None:
        super().verify_()
        if len(self.operandsA) != 4:
            raise VerifyException(f"expected 4 registers for A, got {len(self.operandsA)}")
        if self.layoutA.data is not attributes.MMALayout.ROW:
            raise VerifyException("A in registers must have layout row")
