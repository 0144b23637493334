"""Patterns that other passes install on their own, and that no populator holds."""

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    TensorType,
)
from xdsl.ir import Attribute, Operation

from tileir_xdsl.dialects import cuda_tile, nv_tileaa
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.rewriting import Conversion, PatternTable
from tileir_xdsl.targets import Target

from .attributes import convert_predicate
from .patterns import ConvertOp, Replacement


def scalar_attribute(value: float, type: Attribute) -> IntegerAttr | FloatAttr:
    """A number as an attribute of an element type."""
    if isinstance(type, IntegerType):
        return IntegerAttr(int(value), type, truncate_bits=True)
    assert isinstance(type, AnyFloat)
    return FloatAttr(value, type)


class ConvertConstant(ConvertOp[cuda_tile.ConstantOp]):
    """A scalar constant, a splat of one, or a constant with dense elements."""

    def convert(self, op: cuda_tile.ConstantOp) -> Replacement | Operation:
        result_type = self.conversion.converter.convert(op.result.type)
        tile = tile_shape(result_type)
        if not op.value.is_splat:
            assert isinstance(result_type, TensorType)
            elements = op.value.to_numpy().ravel().tolist()
            return arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(result_type, elements))
        scalar = arith.ConstantOp(scalar_attribute(op.value.splat_value, tile.element))
        if not tile.shape:
            return scalar
        return Replacement([scalar, nv_tileaa.SplatOp(scalar.result, result_type)])


class ConvertAssume(ConvertOp[cuda_tile.AssumeOp]):
    def convert(self, op: cuda_tile.AssumeOp) -> Operation:
        return nv_tileaa.AssumeOp(self.conversion.value(op.value), convert_predicate(op.predicate))


def add_constant(conversion: Conversion, target: Target) -> PatternTable:
    """`cuda_tile.constant` alone."""
    return {cuda_tile.ConstantOp: ConvertConstant(conversion, target)}


def add_assume(conversion: Conversion, target: Target) -> PatternTable:
    """`cuda_tile.assume` alone."""
    return {cuda_tile.AssumeOp: ConvertAssume(conversion, target)}


SINGLETONS = (add_constant, add_assume)
"""The adders, each callable on its own."""
