"""tcgen05.mma: accumulators in tensor memory; dense, sparse and weight stationary.

One thread issues an mma, which is asynchronous. D is in tensor memory. A is a matrix descriptor of
shared memory or an address in tensor memory, B a matrix descriptor. Shapes and types are in the
instruction descriptor. If `enableInputD` is false, D is overwritten. Source: PTX ISA,
"tcgen05.mma", "tcgen05.mma.sp", "tcgen05.mma.ws", "tcgen05.mma.ws.sp".
"""

import abc
from typing import ClassVar

from xdsl.dialects.builtin import I1, I32, I64, IntegerType, UnitAttr, VectorType
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    traits_def,
)
from xdsl.irdl.declarative_assembly_format import (
    CustomDirective,
    ParsingState,
    PrintingState,
    TypeDirective,
    irdl_custom_directive,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.nvvm.attributes import (
    CTAGroup,
    CTAGroupAttr,
    Tcgen05Kind,
    Tcgen05KindAttr,
)
from tileir_xdsl.dialects.nvvm.mma_attributes import (
    Tcgen05Collector,
    Tcgen05CollectorAttr,
    Tcgen05CollectorBuffer,
    Tcgen05CollectorBufferAttr,
)
from tileir_xdsl.dialects.nvvm.pointers import I64_OR_TENSOR, TENSOR
from tileir_xdsl.dialects.nvvm.requirements import NVVMOperation, Requirement, Requires
from tileir_xdsl.targets import Feature

Value = Operation | SSAValue

_TCGEN05 = Requires.feature(Feature.TCGEN05)
_DISCARD = Tcgen05CollectorAttr(Tcgen05Collector.DISCARD)
_B0 = Tcgen05CollectorBufferAttr(Tcgen05CollectorBuffer.B0)
_SCALABLE = (Tcgen05Kind.F16, Tcgen05Kind.TF32)


@irdl_custom_directive
class OperandTypes(CustomDirective):
    """`(!llvm.ptr<6>, i64, ..)`: the types of all operands; only two of them may differ."""

    matrix_a: TypeDirective
    mask: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        types = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
        if len(types) < 5:
            parser.raise_error("expected the types of at least 5 operands")
        self.matrix_a.set(state, (types[1],))
        self.mask.set(state, types[-1:] if isinstance(types[-1], VectorType) else ())

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        _print_operand_types(printer, state, op)


@irdl_custom_directive
class MatrixATypes(CustomDirective):
    """`(!llvm.ptr<6>, i64, ..)`: the types of all operands; only the type of A may differ."""

    matrix_a: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        types = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
        if len(types) < 5:
            parser.raise_error("expected the types of at least 5 operands")
        self.matrix_a.set(state, (types[1],))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        _print_operand_types(printer, state, op)


def _print_operand_types(printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
    state.print_whitespace(printer)
    with printer.in_parens():
        printer.print_list(op.operand_types, printer.print_attribute)


class Tcgen05MMABaseOp(NVVMOperation, abc.ABC):
    """Base of `tcgen05.mma`, with its kind and its use of the collector buffer."""

    kind = prop_def(Tcgen05KindAttr)
    collectorOp = prop_def(Tcgen05CollectorAttr, default_value=_DISCARD)
    traits = traits_def(_TCGEN05)

    @property
    def requirement(self) -> Requirement:
        if self.kind.data is Tcgen05Kind.I8:
            return Requirement(feature=Feature.TCGEN05_INT8)
        return super().requirement


def _verify_accumulator(
    kind: Tcgen05Kind, group: CTAGroup, scale: SSAValue | None, disabled: SSAValue | None
) -> None:
    """Raises `VerifyException` if a kind does not support a scaled D, or a mask has a wrong
    length.
    """
    if scale is not None and kind not in _SCALABLE:
        raise VerifyException("Scale input accumulator can only be used with f16 and tf32 types")
    lanes = 4 if group is CTAGroup.ONE else 8
    mask = None if disabled is None else disabled.type
    if isinstance(mask, VectorType) and mask.get_shape() != (lanes,):
        raise VerifyException(f"Disable Output Lane of length {lanes} is expected")


def _verify_shift(shift: UnitAttr | None, a: SSAValue, collector: Tcgen05Collector) -> None:
    """Raises `VerifyException` if the rows of A cannot be shifted."""
    if shift is None:
        return
    if isinstance(a.type, IntegerType):
        raise VerifyException("A-shift can be applied only when matrix A is in tensor memory")
    if collector in (Tcgen05Collector.USE, Tcgen05Collector.FILL):
        raise VerifyException("Cannot use collector::a::use or colletor::a::fill with ashift")


_OPERANDS = "$matrixD `,` $matrixA `,` $matrixB `,` $idesc `,` $enableInputD "
_SCALE_AND_MASK = (
    "(`scale` `=` $scaleInputD^)? (`mask` `=` $disableOutputLane^)? attr-dict "
    "`:` custom<OperandTypes>(type($matrixA), type($disableOutputLane))"
)

_MMA = "<ctaGroup>.kind::<kind>{.ashift?aShift}<collectorOp>  [matrixD], %[matrixA], %matrixB"
_REST = "%idesc{, {%disableOutputLane}}, %enableInputD{, #scaleInputD}"
_WS = "cta_group::1.kind::<kind><collector>  [matrixD], %[matrixA], %matrixB"
_WS_REST = "%idesc, %enableInputD{, zeroColMask}"


@irdl_op_definition
class Tcgen05MMAOp(Tcgen05MMABaseOp):
    """`D = A * B + D`; `aShift` shifts the rows of an A in tensor memory down by one.

    nvvm.tcgen05.mma %d, %a, %b, %idesc, %enable {kind = #nvvm.tcgen05_mma_kind<f16>, ctaGroup =
        #nvvm.cta_group<cta_1>} : (!llvm.ptr<6>, i64, i64, i32, i1)
    """

    name = "nvvm.tcgen05.mma"
    PTX: ClassVar = f"tcgen05.mma.{_MMA}, {_REST}"

    matrixD = operand_def(TENSOR)
    matrixA = operand_def(I64_OR_TENSOR)
    matrixB = operand_def(I64)
    idesc = operand_def(I32)
    enableInputD = operand_def(I1)
    scaleInputD = opt_operand_def(I64)
    disableOutputLane = opt_operand_def(VectorType[I32])
    ctaGroup = prop_def(CTAGroupAttr)
    aShift = opt_prop_def(UnitAttr)
    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    assembly_format = _OPERANDS + _SCALE_AND_MASK
    custom_directives = (OperandTypes,)

    def __init__(
        self,
        d: Value,
        a: Value,
        b: Value,
        instruction: Value,
        enable_input: Value,
        kind: Tcgen05Kind,
        group: CTAGroup = CTAGroup.ONE,
        *,
        scale: Value | None = None,
        disabled_lanes: Value | None = None,
        collector: Tcgen05Collector = Tcgen05Collector.DISCARD,
        shifts_a: bool = False,
    ):
        super().__init__(
            operands=[d, a, b, instruction, enable_input, scale, disabled_lanes],
            properties={
                "kind": Tcgen05KindAttr(kind),
                "ctaGroup": CTAGroupAttr(group),
                "collectorOp": Tcgen05CollectorAttr(collector),
                "aShift": UnitAttr() if shifts_a else None,
            },
        )

    def verify_(self) -> None:
        super().verify_()
        _verify_accumulator(
            self.kind.data, self.ctaGroup.data, self.scaleInputD, self.disableOutputLane
        )
        _verify_shift(self.aShift, self.matrixA, self.collectorOp.data)


@irdl_op_definition
class Tcgen05MMASparseOp(Tcgen05MMABaseOp):
    """`D = A * B + D` with a sparse A: half of its elements are stored.

        nvvm.tcgen05.mma.sp %d, %a, %b, %idesc, %enable, %metadata {kind =
            #nvvm.tcgen05_mma_kind<f16>, ctaGroup = #nvvm.cta_group<cta_1>} : (!llvm.ptr<6>, i64,
            i64, i32, i1, !llvm.ptr<6>)

    The metadata is in tensor memory.
    """

    name = "nvvm.tcgen05.mma.sp"
    PTX: ClassVar = f"tcgen05.mma.sp.{_MMA}, [sparseMetadata], {_REST}"

    matrixD = operand_def(TENSOR)
    matrixA = operand_def(I64_OR_TENSOR)
    matrixB = operand_def(I64)
    idesc = operand_def(I32)
    enableInputD = operand_def(I1)
    sparseMetadata = operand_def(TENSOR)
    scaleInputD = opt_operand_def(I64)
    disableOutputLane = opt_operand_def(VectorType[I32])
    ctaGroup = prop_def(CTAGroupAttr)
    aShift = opt_prop_def(UnitAttr)
    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    assembly_format = _OPERANDS + "`,` $sparseMetadata " + _SCALE_AND_MASK
    custom_directives = (OperandTypes,)

    def verify_(self) -> None:
        super().verify_()
        _verify_accumulator(
            self.kind.data, self.ctaGroup.data, self.scaleInputD, self.disableOutputLane
        )
        _verify_shift(self.aShift, self.matrixA, self.collectorOp.data)


class Tcgen05MMAWsBaseOp(Tcgen05MMABaseOp, abc.ABC):
    """Base of the weight stationary mma, whose collector buffers hold B."""

    collectorBBuffer = prop_def(Tcgen05CollectorBufferAttr, default_value=_B0)

    @property
    def collector(self) -> str:
        """The qualifier of PTX; the default has none."""
        use = f"{self.collectorBBuffer.data}::{self.collectorOp.data}"
        return "" if use == "b0::discard" else f".collector::{use}"


@irdl_op_definition
class Tcgen05MMAWsOp(Tcgen05MMAWsBaseOp):
    """`D = A * B + D`, weight stationary: one of four buffers may hold B.

        nvvm.tcgen05.mma.ws %d, %a, %b, %idesc, %enable, %mask {kind = #nvvm.tcgen05_mma_kind<f16>}
            : (!llvm.ptr<6>, i64, i64, i32, i1, i64)

    The optional mask describes columns of B that count as zero.
    """

    name = "nvvm.tcgen05.mma.ws"
    PTX: ClassVar = f"tcgen05.mma.ws.{_WS}, {_WS_REST}"

    matrixD = operand_def(TENSOR)
    matrixA = operand_def(I64_OR_TENSOR)
    matrixB = operand_def(I64)
    idesc = operand_def(I32)
    enableInputD = operand_def(I1)
    zeroColMask = opt_operand_def(I64)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        _OPERANDS + "(`,` $zeroColMask^)? attr-dict `:` custom<MatrixATypes>(type($matrixA))"
    )
    custom_directives = (MatrixATypes,)


@irdl_op_definition
class Tcgen05MMAWsSparseOp(Tcgen05MMAWsBaseOp):
    """A weight stationary dot with a sparse A.

    nvvm.tcgen05.mma.ws.sp %d, %a, %b, %idesc, %enable, %metadata {kind =
        #nvvm.tcgen05_mma_kind<f16>} : (!llvm.ptr<6>, i64, i64, i32, i1, !llvm.ptr<6>)
    """

    name = "nvvm.tcgen05.mma.ws.sp"
    PTX: ClassVar = f"tcgen05.mma.ws.sp.{_WS}, [sparseMetadata], {_WS_REST}"

    matrixD = operand_def(TENSOR)
    matrixA = operand_def(I64_OR_TENSOR)
    matrixB = operand_def(I64)
    idesc = operand_def(I32)
    enableInputD = operand_def(I1)
    sparseMetadata = operand_def(TENSOR)
    zeroColMask = opt_operand_def(I64)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        _OPERANDS + "`,` $sparseMetadata (`,` $zeroColMask^)? attr-dict "
        "`:` custom<MatrixATypes>(type($matrixA))"
    )
    custom_directives = (MatrixATypes,)
