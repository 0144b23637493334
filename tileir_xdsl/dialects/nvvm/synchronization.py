"""Barriers of the block, and the collectives of a warp.

Source: PTX ISA, "Parallel Synchronization and Communication Instructions".
"""

from typing import ClassVar

from xdsl.dialects.builtin import (
    I1,
    I32,
    I64,
    BoolAttr,
    Float32Type,
    IntegerAttr,
    UnitAttr,
    i1,
    i32,
)
from xdsl.dialects.llvm import LLVMStructType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    OptionalOperandVariable,
    ParsingState,
    PrintingState,
    irdl_custom_directive,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.nvvm import attributes
from tileir_xdsl.dialects.nvvm.requirements import NVVMOperation, Requirement, Requires
from tileir_xdsl.targets import Feature

Value = Operation | SSAValue


@irdl_custom_directive
class Reduction(CustomDirective):
    """`#nvvm.reduction<and> %p`, after a comma if an operand precedes.

    Upstream prints no comma, and cannot parse its own text, as `%n #..` would be one name.
    """

    operation: AttributeVariable
    predicate: OptionalOperandVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        has_comma = parser.parse_optional_punctuation(",") is not None
        attribute = parser.parse_attribute() if has_comma else parser.parse_optional_attribute()
        if attribute is None:
            self.predicate.set(state, None)
            return
        self.operation.set(state, attribute)
        self.predicate.set(state, parser.parse_unresolved_operand())

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        assert isinstance(op, BarrierOp)
        if op.reductionOp is None or op.reductionPredicate is None:
            return
        if op.barrierId is not None or op.numberOfThreads is not None:
            printer.print_string(",")
        printer.print_string(" ")
        printer.print_attribute(op.reductionOp)
        printer.print_string(" ")
        printer.print_ssa_value(op.reductionPredicate)
        state.should_emit_space = True


@irdl_op_definition
class BarrierOp(NVVMOperation):
    """Waits for the other threads of the block at barrier `barrierId` (0 to 15, default 0).

        nvvm.barrier id = %id number_of_threads = %n

    Without a number of threads (a multiple of 32), all threads of the block participate.
    `nvvm.barrier #nvvm.reduction<and> %p -> i32`, at barrier 0 only, also reduces a predicate, true
    if nonzero.
    """

    name = "nvvm.barrier"

    barrierId = opt_operand_def(I32)
    numberOfThreads = opt_operand_def(I32)
    reductionPredicate = opt_operand_def(I32)
    reductionOp = opt_prop_def(attributes.BarrierReductionAttr)
    res = opt_result_def(I32)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    assembly_format = (
        "(`id` `=` $barrierId^)? (`number_of_threads` `=` $numberOfThreads^)? "
        "custom<Reduction>($reductionOp, $reductionPredicate) attr-dict (`->` type($res)^)?"
    )
    custom_directives = (Reduction,)

    def __init__(
        self,
        barrier_id: Value | None = None,
        number_of_threads: Value | None = None,
        reduction: attributes.BarrierReduction | None = None,
        predicate: Value | None = None,
    ):
        super().__init__(
            operands=[barrier_id, number_of_threads, predicate],
            result_types=[None if reduction is None else i32],
            properties={
                "reductionOp": None
                if reduction is None
                else attributes.BarrierReductionAttr(reduction)
            },
        )

    def verify_(self) -> None:
        super().verify_()
        if self.numberOfThreads is not None and self.barrierId is None:
            raise VerifyException("barrier id is missing, it should be set between 0 to 15")
        parts = {self.reductionOp is None, self.reductionPredicate is None, self.res is None}
        if len(parts) != 1:
            raise VerifyException(
                "expected an operation, a predicate and a result together, as a "
                "reduction needs them"
            )
        if self.reductionOp is not None and self.barrierId is not None:
            raise VerifyException("reduction are only available when id is 0")


@irdl_op_definition
class BarrierArriveOp(NVVMOperation):
    """Arrives without waiting: `nvvm.barrier.arrive id = %i number_of_threads = %n`."""

    name = "nvvm.barrier.arrive"

    barrierId = opt_operand_def(I32)
    numberOfThreads = operand_def(I32)

    assembly_format = "(`id` `=` $barrierId^)? `number_of_threads` `=` $numberOfThreads attr-dict"

    def __init__(self, barrier_id: Value | None, number_of_threads: Value):
        super().__init__(operands=[barrier_id, number_of_threads])


@irdl_op_definition
class SyncWarpOp(NVVMOperation):
    """Waits for the lanes of a mask: `nvvm.bar.warp.sync %mask : i32`."""

    name = "nvvm.bar.warp.sync"
    PTX: ClassVar = "bar.warp.sync  mask"

    mask = operand_def(I32)
    traits = traits_def(Requires.target(30, (6, 0)))
    assembly_format = "$mask attr-dict `:` type($mask)"

    def __init__(self, mask: Value):
        super().__init__(operands=[mask])


@irdl_op_definition
class ShflOp(NVVMOperation):
    """Reads a register of another lane.

        %d = nvvm.shfl.sync bfly %mask, %value, %offset, %mask_and_clamp : f32 -> f32

    The last operand packs the segment mask (bits 8 to 12) and the clamp (bits 0 to 4): 31 for whole
    warps, 0 for `up`. With `return_value_and_is_valid` the result is a pair with the "in range"
    predicate.
    """

    name = "nvvm.shfl.sync"
    PTX: ClassVar = "shfl.sync.<kind>.b32  d|p, %val, offset, mask_and_clamp, thread_mask"

    thread_mask = operand_def(I32)
    val = operand_def(I32 | Float32Type)
    offset = operand_def(I32)
    mask_and_clamp = operand_def(I32)
    kind = prop_def(attributes.ShuffleKindAttr)
    return_value_and_is_valid = opt_prop_def(UnitAttr)
    res = result_def(I32 | Float32Type | LLVMStructType)

    traits = traits_def(Requires.target(30, (6, 0)))
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "$kind $thread_mask `,` $val `,` $offset `,` $mask_and_clamp attr-dict "
        "`:` type($val) `->` type($res)"
    )

    def __init__(
        self,
        kind: attributes.ShuffleKind,
        thread_mask: Value,
        val: Value,
        offset: Value,
        mask_and_clamp: Value,
        *,
        return_value_and_is_valid: bool = False,
    ):
        type = SSAValue.get(val).type
        result = LLVMStructType.from_type_list([type, i1]) if return_value_and_is_valid else type
        super().__init__(
            operands=[thread_mask, val, offset, mask_and_clamp],
            result_types=[result],
            properties={
                "kind": attributes.ShuffleKindAttr(kind),
                "return_value_and_is_valid": UnitAttr() if return_value_and_is_valid else None,
            },
        )

    def verify_(self) -> None:
        super().verify_()
        expected: Attribute = self.val.type
        if self.return_value_and_is_valid is not None:
            expected = LLVMStructType.from_type_list([expected, i1])
        if self.res.type != expected:
            raise VerifyException(f"expected the result type {expected}, got {self.res.type}")


@irdl_op_definition
class VoteSyncOp(NVVMOperation):
    """Combines a predicate across the lanes of a mask: `nvvm.vote.sync ballot %m, %p -> i32`.

    `ballot` returns an i32 with one bit per lane; the other kinds return an i1.
    """

    name = "nvvm.vote.sync"
    PTX: ClassVar = "vote.sync.<kind>  d, %pred, mask"

    mask = operand_def(I32)
    pred = operand_def(I1)
    kind = prop_def(attributes.VoteKindAttr)
    res = result_def(I32 | I1)

    traits = traits_def(Requires.target(30, (6, 0)))
    assembly_format = "$kind $mask `,` $pred attr-dict `->` type($res)"

    def verify_(self) -> None:
        super().verify_()
        if self.kind.data is attributes.VoteKind.BALLOT and self.res.type != i32:
            raise VerifyException("vote.sync 'ballot' returns an i32")
        if self.kind.data is not attributes.VoteKind.BALLOT and self.res.type != i1:
            raise VerifyException(f"vote.sync '{self.kind.data}' returns an i1")


@irdl_op_definition
class ReduxOp(NVVMOperation):
    """Reduces a register across the lanes of a mask: `nvvm.redux.sync add %v, %m : i32 -> i32`.

    `fmin` and `fmax` reduce f32; `abs` takes absolute values, `nan` propagates NaN.
    """

    name = "nvvm.redux.sync"
    PTX: ClassVar = "redux.sync.<kind>{.abs}{.NaN?nan}{.f32?is_float}  d, %val, mask_and_clamp"

    val = operand_def(I32 | Float32Type)
    mask_and_clamp = operand_def(I32)
    kind = prop_def(attributes.ReduxKindAttr)
    abs = prop_def(BoolAttr, default_value=IntegerAttr.from_bool(False))
    nan = prop_def(BoolAttr, default_value=IntegerAttr.from_bool(False))
    res = result_def(I32 | Float32Type)

    traits = traits_def(Requires.feature(Feature.WARP_REDUCTION))
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$kind $val `,` $mask_and_clamp attr-dict `:` type($val) `->` type($res)"

    @property
    def is_float(self) -> bool:
        return self.kind.data in (attributes.ReduxKind.FMIN, attributes.ReduxKind.FMAX)

    @property
    def requirement(self) -> Requirement:
        if self.is_float:
            return Requirement(feature=Feature.FLOAT_WARP_REDUCTION)
        return super().requirement

    def verify_(self) -> None:
        super().verify_()
        if isinstance(self.val.type, Float32Type) != self.is_float:
            expected = "f32" if self.is_float else "i32"
            raise VerifyException(
                f"'{self.kind.data}' redux kind unsupported with '{self.val.type}' type. "
                f"Only supported type is '{expected}'."
            )
        if not self.is_float and (self.abs.value.data or self.nan.value.data):
            raise VerifyException("'abs' and 'nan' are for f32 only")
        if self.res.type != self.val.type:
            raise VerifyException("expected the result to have the operand's type")


@irdl_op_definition
class MatchSyncOp(NVVMOperation):
    """Compares a value across the lanes of a mask.

    `nvvm.match.sync any %m, %v : i32 -> i32` returns the mask of lanes with the same value. `all`
    returns a pair of that mask (0 unless all agree) and the predicate "all agree".
    """

    name = "nvvm.match.sync"
    PTX: ClassVar = "match.<kind>.sync.b<width>  d|p, %val, thread_mask"

    thread_mask = operand_def(I32)
    val = operand_def(I32 | I64)
    kind = prop_def(attributes.MatchKindAttr)
    res = result_def(I32 | LLVMStructType)

    traits = traits_def(Requires.target(70, (6, 0)))
    assembly_format = "$kind $thread_mask `,` $val attr-dict `:` type($val) `->` type($res)"

    @property
    def width(self) -> int:
        """The bits of the value."""
        return 32 if self.val.type == i32 else 64

    def verify_(self) -> None:
        super().verify_()
        is_any = self.kind.data is attributes.MatchKind.ANY
        if self.res.type != (i32 if is_any else LLVMStructType.from_type_list([i32, i1])):
            expected = "an i32" if is_any else "a struct with an i32 and an i1"
            raise VerifyException(f"match.sync '{self.kind.data}' returns {expected}")


@irdl_op_definition
class ElectSyncOp(NVVMOperation):
    """Elects one lane of a mask (default: all): `%p = nvvm.elect.sync -> i1`."""

    name = "nvvm.elect.sync"

    membermask = opt_operand_def(I32)
    pred = result_def(I1)

    traits = traits_def(Requires.feature(Feature.ELECT))
    assembly_format = "($membermask^)? attr-dict `->` type($pred)"

    def __init__(self, membermask: Value | None = None):
        super().__init__(operands=[membermask], result_types=[i1])
