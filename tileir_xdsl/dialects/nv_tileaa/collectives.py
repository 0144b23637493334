"""Reductions and scans along one dimension, with the combining function in a region.

The block arguments come in pairs, one pair per operand: the combination of the earlier elements,
then a later element. The body yields the combination of each pair. Source: Tile IR specification,
section "Core" (reduce, scan).
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    I1,
    I32,
    ArrayAttr,
    FloatAttr,
    IntegerAttr,
    TensorType,
    i32,
)
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.element_interfaces import (
    InOrder,
    Reduced,
    Reindexed,
    ReindexedOpInterface,
)
from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.memory_effects import RegistersOpInterface
from tileir_xdsl.dialects.scratch import Folded, Scanned, ScratchNeed

from .constraints import VALUES, verify_axis, verify_inferred, verify_pure_body
from .interfaces import ReduceAtomAttrInterface
from .types import TileShape, tile_shape, tile_type
from .yields import YieldOp, verify_yields


class CollectiveOp(IRDLOperation, ABC):
    """Base of the combinations along `axis`.

    `identities`, one per operand, are the neutral elements of the body; by default they follow from
    the operation in the body.
    """

    YIELD: ClassVar[type[IRDLOperation]] = YieldOp
    """The terminator of the body."""

    inputs = var_operand_def(TensorType)
    axis = prop_def(IntegerAttr[I32])
    identities = opt_prop_def(ArrayAttr[IntegerAttr | FloatAttr])
    reduce_atom = opt_prop_def(ReduceAtomAttrInterface)
    outputs = var_result_def(VALUES)
    body = region_def("single_block")

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$inputs attr-dict `:` type($inputs) `->` type($outputs) $body"

    def verify_(self) -> None:
        inputs, outputs, axis = self.inputs, self.outputs, self.axis.value.data
        if not inputs:
            raise VerifyException("expects at least one operand")
        tiles = [tile_shape(value.type) for value in inputs]
        shape = tiles[0].shape
        if any(tile.shape != shape for tile in tiles):
            raise VerifyException("requires the same shape for all operands")
        verify_axis(axis, len(shape))
        if len(outputs) != len(inputs):
            raise VerifyException(f"expects {len(inputs)} results, but got {len(outputs)}")
        inferred = self.inferred_shape(shape, axis)
        for tile, result in zip(tiles, outputs, strict=True):
            if tile_shape(result.type) != TileShape(inferred, tile.element):
                verify_inferred(result.type, tile_type(inferred, tile.element))
        elements = [tile.element for tile in tiles]
        pairs = [element for element in elements for _ in range(2)]
        block = self.body.block
        if list(block.arg_types) != pairs:
            raise VerifyException(
                f"expects block arguments of types {ArrayAttr(pairs)}, "
                f"but got {ArrayAttr(block.arg_types)}"
            )
        verify_yields(self.body, elements, self.YIELD)
        verify_pure_body(self)
        if self.identities is None:
            return
        types = [identity.type for identity in self.identities]
        if types != elements:
            raise VerifyException(
                f"expects identities of types {ArrayAttr(elements)}, but got {ArrayAttr(types)}"
            )

    @staticmethod
    @abstractmethod
    def inferred_shape(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
        """The shape of the result for operands of this shape."""

    @classmethod
    def inferred_type(cls, operand: Attribute, axis: int) -> Attribute:
        """The type of the result for an operand, without encoding."""
        tile = tile_shape(operand)
        return tile_type(cls.inferred_shape(tile.shape, axis), tile.element)


class ReductionOp(CollectiveOp, ReindexedOpInterface, ABC):
    """Base of the combinations of all elements along `axis`; the result lacks that dimension."""

    def __init__(
        self,
        operands: Sequence[SSAValue],
        axis: int,
        identities: Sequence[Attribute] | None,
        body: Region,
    ):
        super().__init__(
            operands=[operands],
            properties={
                "axis": IntegerAttr(axis, i32),
                "identities": None if identities is None else ArrayAttr(identities),
            },
            result_types=[[self.inferred_type(value.type, axis) for value in operands]],
            regions=[body],
        )

    @staticmethod
    def inferred_shape(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
        return shape[:axis] + shape[axis + 1 :]

    @property
    def scratch(self) -> Sequence[ScratchNeed]:
        return (Folded(self.inputs, self.outputs, self.axis.value.data, self.body.block),)

    def reindexed(self, operand: int) -> Reindexed:
        return Reduced(self.axis.value.data)


@irdl_op_definition
class ReduceOp(ReductionOp, RegistersOpInterface):
    """The combination of all elements along `axis`."""

    name = "nv_tileaa.reduce"

    traits = traits_def(Pure())


class PrefixOp(CollectiveOp, ReindexedOpInterface, ABC):
    """Base of all intermediate combinations along `axis`, each including its own element.

    With `reverse`, the scan runs from the last element to the first.
    """

    inclusive = prop_def(IntegerAttr[I1])
    reverse = opt_prop_def(IntegerAttr[I1])

    def __init__(
        self,
        operands: Sequence[SSAValue],
        axis: int,
        identities: Sequence[Attribute] | None,
        body: Region,
        inclusive: bool = True,
        reverse: bool = False,
    ):
        super().__init__(
            operands=[operands],
            properties={
                "axis": IntegerAttr(axis, i32),
                "inclusive": IntegerAttr.from_bool(inclusive),
                "identities": None if identities is None else ArrayAttr(identities),
                "reverse": IntegerAttr.from_bool(True) if reverse else None,
            },
            result_types=[[self.inferred_type(value.type, axis) for value in operands]],
            regions=[body],
        )

    @staticmethod
    def inferred_shape(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
        return shape

    @property
    def is_reverse(self) -> bool:
        """Whether the scan starts at the last element."""
        return self.reverse is not None and bool(self.reverse.value.data)

    def verify_(self) -> None:
        super().verify_()
        if not self.inclusive.value.data:
            raise VerifyException("expects an inclusive scan")

    @property
    def scratch(self) -> Sequence[ScratchNeed]:
        return (Scanned(self.inputs, self.outputs, self.axis.value.data),)

    def reindexed(self, operand: int) -> Reindexed:
        return InOrder()


@irdl_op_definition
class ScanOp(PrefixOp, RegistersOpInterface):
    """All intermediate combinations along `axis`."""

    name = "nv_tileaa.scan"

    traits = traits_def(Pure())
