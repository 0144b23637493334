"""Dots, and reductions and scans along one dimension, with their hardware form.

    %d = nv_tileas.dot %a, %b, %acc {atom = #nv_tileas<atom mma_f16_f16_f32>}
         : tile<128x128xf16>, tile<128x128xf16>, tile<128x128xf32> -> tile<128x128xf32>

Source: the TileAS operation roster, family "compute"; Tile IR specification, section "Core".
"""

from abc import ABC
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, TypeGuard

from xdsl.dialects.builtin import I32, IntegerAttr, StringAttr, TensorType, UnitAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    BaseAttr,
    IRDLOperation,
    ParsePropInAttrDict,
    operand_def,
    opt_prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.memory_effects import (
    NO_EFFECTS,
    Effects,
    Proxy,
    RegistersOpInterface,
    SharedMemoryOpInterface,
)
from tileir_xdsl.dialects.nv_tileaa.attributes import SignednessAttr
from tileir_xdsl.dialects.nv_tileaa.collectives import PrefixOp, ReductionOp
from tileir_xdsl.dialects.nv_tileaa.matrix import (
    INPUT_PRECISIONS,
    verify_mma_elements,
    verify_mma_shapes,
)
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.scratch import Multiplied, ScratchNeed
from tileir_xdsl.targets.mma import MMA_ATOMS, PAIR, MMAKind

from .atoms import AtomAttr
from .block_scaling import are_pairs, verify_block_scaling
from .buffer_effects import buffer_reads
from .control import YieldOp
from .cta_groups import is_of_pair, verify_cta_group
from .interfaces import (
    ContractionOpInterface,
    MemoryConsistencyOpInterface,
)
from .operand_list_syntax import OperandListOp
from .verification import verified_by_signature

READING_KINDS = (MMAKind.WARPGROUP, MMAKind.TENSOR_MEMORY)
"""The kinds of instructions that read operands in shared memory; others read registers."""


class MMAOp(OperandListOp, ContractionOpInterface, SharedMemoryOpInterface, ABC):
    """Base of `a x b + c`; two scales, if given, multiply blocks of the inputs along K.

    A is M x K, B is K x N. C and the result are M x N. In the form of rank 3, all have a leading
    batch dimension. With scales, an i8 element of A or B is two f4E2M1FN, the first in the low
    half; its extent along K is K/2. The atom names the instruction that reads such pairs. With
    `cta_group` 2, two CTAs execute one MMA. Each CTA has its rows of A and half of the columns of
    B, and computes its rows of the result.
    """

    a = operand_def(TensorType)
    b = operand_def(TensorType)
    c = operand_def(BaseAttr(TensorType) | BaseAttr(ValueType))
    scales = var_operand_def(TensorType)
    atom = opt_prop_def(AtomAttr)
    signedness_a = opt_prop_def(SignednessAttr)
    signedness_b = opt_prop_def(SignednessAttr)
    input_precision = opt_prop_def(StringAttr)
    propagate_nan = opt_prop_def(UnitAttr)
    fast_acc = opt_prop_def(UnitAttr)
    cta_group = opt_prop_def(IntegerAttr[I32])

    def __init__(
        self,
        a: SSAValue,
        b: SSAValue,
        c: SSAValue,
        *,
        scales: Sequence[SSAValue] = (),
        properties: dict[str, Attribute | None] | None = None,
        result_type: Attribute | None = None,
    ):
        super().__init__(
            operands=[a, b, c, scales],
            properties=properties or {},
            result_types=[result_type or c.type],
        )

    @property
    def accumulator_type(self) -> Attribute:
        """The type of C as a tile."""
        return self.c.type.payload if isinstance(self.c.type, ValueType) else self.c.type

    @property
    def has_pairs(self) -> bool:
        """Whether each element of A and B is a byte of two f4E2M1FN along K."""
        return bool(self.scales) and are_pairs(self.a.type, self.b.type)

    def _verify_pairs(self) -> None:
        atom = None if self.atom is None else MMA_ATOMS.get(self.atom.data)
        # Nothing but an instruction reads them.
        if atom is None or atom.a != PAIR:
            raise VerifyException(
                f"expects an atom whose operand A is {PAIR} for scaled operands of i8"
            )

    def verify_mma(self, result: Attribute) -> None:
        """Checks shapes, element types, signs and scales."""
        types = (self.a.type, self.b.type, self.accumulator_type)
        if self.has_pairs:
            self._verify_pairs()
        else:
            verify_mma_elements(*types, self.signedness_a, self.signedness_b)
        verify_mma_shapes(*types)
        if tile_shape(result) != tile_shape(self.accumulator_type):
            raise VerifyException(
                f"expects a result of type {self.accumulator_type}, but got {result}"
            )
        if self.input_precision is not None and self.input_precision.data not in INPUT_PRECISIONS:
            raise VerifyException(
                f"expects one of the input precisions {', '.join(INPUT_PRECISIONS)}, but "
                f"got {self.input_precision.data}"
            )
        verify_block_scaling(*types, [scale.type for scale in self.scales])
        verify_cta_group(self.cta_group)
        if is_of_pair(self.cta_group):
            atom = None if self.atom is None else MMA_ATOMS.get(self.atom.data)
            if atom is None or not atom.pair_shapes:
                raise VerifyException(
                    "expects an atom that a pair of CTAs can execute, as cta_group is 2"
                )

    @property
    def effects(self) -> Effects:
        """The reads of operands in shared memory by hardware."""
        atom = None if self.atom is None else MMA_ATOMS.get(self.atom.data)
        if atom is None or atom.kind not in READING_KINDS:
            return NO_EFFECTS
        in_flight = self.IS_ASYNCHRONOUS and atom.kind is MMAKind.WARPGROUP
        read = buffer_reads(self.a, self.b, *self.scales, proxy=Proxy.ASYNC)
        return Effects(tuple(replace(each, is_asynchronous=in_flight) for each in read))

    @property
    def scratch(self) -> Sequence[ScratchNeed]:
        return (Multiplied(),)


def issues_mma(op: object) -> TypeGuard[MMAOp]:
    """Whether an op issues an MMA for which a later op waits."""
    return isinstance(op, MMAOp) and op.IS_ASYNCHRONOUS


@verified_by_signature
@irdl_op_definition
class DotOp(MMAOp):
    """A synchronous mma: its result is available."""

    name = "nv_tileas.dot"

    result = result_def(TensorType)

    traits = traits_def(Pure())

    def verify_(self) -> None:
        if isinstance(self.c.type, ValueType):
            raise VerifyException(f"expected accumulator to be a tile, got {self.c.type}")
        self.verify_mma(self.result.type)


@irdl_op_definition
class AsyncDotOp(MMAOp, MemoryConsistencyOpInterface):
    """Issues an asynchronous MMA.

    C may be the accumulator of another MMA in flight.
    """

    name = "nv_tileas.async.dot"

    IS_ASYNCHRONOUS: ClassVar[bool] = True

    result = result_def(ValueType)

    def verify_(self) -> None:
        assert isinstance(self.result.type, ValueType)
        self.verify_mma(self.result.type.payload)


@irdl_op_definition
class WgmmaOp(
    IRDLOperation, MemoryConsistencyOpInterface, ContractionOpInterface, RegistersOpInterface
):
    """A dot by four warps, whose instruction fixes the layouts of its operands.

    Source: PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions".
    """

    name = "nv_tileas.wgmma"

    a = operand_def(TensorType)
    b = operand_def(TensorType)
    c = operand_def(TensorType)
    signedness_a = opt_prop_def(SignednessAttr)
    signedness_b = opt_prop_def(SignednessAttr)
    result = result_def(TensorType)

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "$a `,` $b `,` $c attr-dict `:` type($a) `,` type($b) `,` type($c) `->` type($result)"
    )

    def __init__(self, a: SSAValue, b: SSAValue, c: SSAValue):
        super().__init__(operands=[a, b, c], result_types=[c.type])

    def verify_(self) -> None:
        types = (self.a.type, self.b.type, self.c.type)
        verify_mma_elements(*types, self.signedness_a, self.signedness_b)
        verify_mma_shapes(*types)
        if tile_shape(self.result.type) != tile_shape(self.c.type):
            raise VerifyException(
                f"expects a result of type {self.c.type}, but got {self.result.type}"
            )


@irdl_op_definition
class ReduceOp(ReductionOp, MemoryConsistencyOpInterface, RegistersOpInterface):
    """The combination of all elements along `axis`, by the function in the body."""

    name = "nv_tileas.reduce"

    YIELD: ClassVar[type[IRDLOperation]] = YieldOp

    atom = opt_prop_def(AtomAttr)


@irdl_op_definition
class ScanOp(PrefixOp, MemoryConsistencyOpInterface, RegistersOpInterface):
    """All intermediate combinations along `axis`, by the function in the body."""

    name = "nv_tileas.scan"

    YIELD: ClassVar[type[IRDLOperation]] = YieldOp

    atom = opt_prop_def(AtomAttr)
