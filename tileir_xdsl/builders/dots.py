"""Dots: with a zero accumulator, under a condition, in a loop, of masked inputs.

The builders forward the atom, the signs and the precision, by which later stages choose the
instruction.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import copysign

from xdsl.builder import Builder
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    TensorType,
    UnitAttr,
    i1,
    i32,
)
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.rewriter import InsertPoint

from tileir_xdsl.builders.tiles import allocate, convert_layout, wait_for
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.arith import CmpIOp, SelectOp
from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.nv_tileaa.attributes import SignednessAttr
from tileir_xdsl.dialects.nv_tileaa.folding import constant_element
from tileir_xdsl.dialects.nv_tileaa.shapes import SplatOp
from tileir_xdsl.dialects.nv_tileas.atoms import AtomAttr
from tileir_xdsl.dialects.nv_tileas.compute import AsyncDotOp, DotOp, MMAOp
from tileir_xdsl.dialects.nv_tileas.control import YieldOp
from tileir_xdsl.dialects.nv_tileas.conversions import GenerateOp
from tileir_xdsl.dialects.nv_tileas.slices import InsertSliceOp, Slice


@dataclass(frozen=True)
class DotAttributes:
    """Attributes that determine the instruction of a dot."""

    atom: AtomAttr | None = None
    signedness_a: SignednessAttr | None = None
    signedness_b: SignednessAttr | None = None
    fast_acc: bool = False
    input_precision: StringAttr | None = None
    propagate_nan: bool = False

    @staticmethod
    def of(op: MMAOp | nv_tileaa.DotOp, atom: AtomAttr | None) -> "DotAttributes":
        """The attributes of a dot, with an atom."""
        return DotAttributes(
            atom,
            op.signedness_a,
            op.signedness_b,
            op.fast_acc is not None,
            op.input_precision,
            op.propagate_nan is not None,
        )

    def properties(self) -> dict[str, Attribute | None]:
        """The attributes as properties of the op."""
        return {
            "atom": self.atom,
            "signedness_a": self.signedness_a,
            "signedness_b": self.signedness_b,
            "fast_acc": UnitAttr() if self.fast_acc else None,
            "input_precision": self.input_precision,
            "propagate_nan": UnitAttr() if self.propagate_nan else None,
        }


@dataclass(frozen=True)
class DotInputs:
    """A, M x K, and B, K x N; scales, if given, multiply blocks of A and B along K."""

    a: SSAValue
    b: SSAValue
    scales: Sequence[SSAValue] = ()


DotBuilder = Callable[[Builder, DotInputs, SSAValue, DotAttributes], SSAValue]
"""Builds a dot of inputs and an accumulator; its result is a tile."""


def build_dot(
    builder: Builder, inputs: DotInputs, accumulator: SSAValue, attributes: DotAttributes
) -> SSAValue:
    """`a x b + accumulator`."""
    properties = attributes.properties()
    op = DotOp(inputs.a, inputs.b, accumulator, scales=inputs.scales, properties=properties)
    return builder.insert(op).result


def build_async_dot(
    builder: Builder, inputs: DotInputs, accumulator: SSAValue, attributes: DotAttributes
) -> SSAValue:
    """An asynchronous `build_dot` with an immediate wait; later passes move the wait."""
    dot = builder.insert(
        AsyncDotOp(
            inputs.a,
            inputs.b,
            accumulator,
            scales=inputs.scales,
            properties=attributes.properties(),
            result_type=ValueType(accumulator.type),
        )
    )
    return wait_for(builder, dot.result)


def zero_of(element: Attribute) -> IntegerAttr | FloatAttr:
    """Zero of an element type.

    Raises:
        ValueError: the type is neither integer nor float.
    """
    if isinstance(element, IntegerType):
        return IntegerAttr(0, element)
    if isinstance(element, AnyFloat):
        return FloatAttr(0.0, element)
    raise ValueError(f"expected an integer or float type, got {element}")


def is_positive_zero(value: SSAValue) -> bool:
    """Whether adding a tile leaves the other operand as it is, -0.0 included, because the tile is
    zeros.
    """
    element = constant_element(value)
    return element == 0 and copysign(1.0, element) > 0


def build_zero_tile(builder: Builder, type: TensorType[Attribute]) -> SSAValue:
    """A tile of zeros."""
    zero = builder.insert(arith.ConstantOp(zero_of(type.get_element_type()))).result
    return builder.insert(SplatOp(zero, type)).result


def build_zero_accumulator(builder: Builder, type: TensorType[Attribute]) -> SSAValue:
    """An accumulator that is allocated, and filled with zeros."""
    storage = allocate(builder, type)
    zero = build_zero_tile(builder, type)
    shape = type.get_shape()
    whole = Slice((0,) * len(shape), shape, (1,) * len(shape))
    return builder.insert(InsertSliceOp(zero, storage, whole)).result


def build_zero_accumulator_dot(
    builder: Builder,
    inputs: DotInputs,
    accumulator_type: TensorType[Attribute],
    attributes: DotAttributes,
    build: DotBuilder = build_dot,
    storage: Builder | None = None,
) -> SSAValue:
    """`a x b`: a dot with an accumulator that is allocated, and filled with zeros.

    The accumulator is allocated before the dot, or by `storage`, for example outside of a loop.
    """
    accumulator = build_zero_accumulator(storage or builder, accumulator_type)
    return build(builder, inputs, accumulator, attributes)


def build_predicated_dot(
    builder: Builder,
    predicate: SSAValue,
    inputs: DotInputs,
    accumulator: SSAValue,
    attributes: DotAttributes,
    build: DotBuilder = build_dot,
    *,
    where: bool = True,
) -> SSAValue:
    """`a x b + accumulator` where the predicate is `where`, else the accumulator."""
    done, left = Block(), Block()
    inner = Builder(InsertPoint.at_end(done))
    inner.insert(scf.YieldOp(build(inner, inputs, accumulator, attributes)))
    left.add_op(scf.YieldOp(accumulator))
    then, otherwise = (done, left) if where else (left, done)
    branch = scf.IfOp(predicate, [accumulator.type], Region(then), Region(otherwise))
    return builder.insert(branch).results[0]


StageInputs = Callable[[Builder, SSAValue], tuple[DotInputs, SSAValue | None]]
"""A function that builds the inputs of one step of a loop, and its predicate, if any."""


def build_dot_loop(
    builder: Builder,
    bounds: tuple[SSAValue, SSAValue, SSAValue],
    accumulator: SSAValue,
    inputs: StageInputs,
    attributes: DotAttributes,
    build: DotBuilder = build_dot,
) -> SSAValue:
    """Adds up one dot for each step of a loop; `bounds` are its start, end and step."""
    start, end, step = bounds
    body = Block(arg_types=[start.type, accumulator.type])
    index, carried = body.args
    inner = Builder(InsertPoint.at_end(body))
    operands, predicate = inputs(inner, index)
    if predicate is None:
        result = build(inner, operands, carried, attributes)
    else:
        result = build_predicated_dot(inner, predicate, operands, carried, attributes, build)
    inner.insert(scf.YieldOp(result))
    loop = scf.ForOp(start, end, step, [accumulator], Region(body))
    return builder.insert(loop).results[0]


def build_mask(builder: Builder, shape: Sequence[int], dimension: int, limit: SSAValue) -> SSAValue:
    """A tile of `i1` that is true where the index along `dimension` is below the i32 `limit`."""
    body = Block(arg_types=[i32] * len(shape))
    inner = Builder(InsertPoint.at_end(body))
    below = inner.insert(CmpIOp(body.args[dimension], limit, "slt")).result
    inner.insert(YieldOp([below]))
    return builder.insert(GenerateOp(TensorType(i1, shape), Region(body))).result


def build_masked_dot(
    builder: Builder,
    inputs: DotInputs,
    accumulator: SSAValue,
    limit: SSAValue,
    attributes: DotAttributes,
    a_type: TensorType[Attribute] | None = None,
) -> SSAValue:
    """A dot in which the elements of A from `limit` on along K are zeros.

    The masked A is converted to `a_type`, if given.
    """
    type = inputs.a.type
    assert isinstance(type, TensorType)
    shape = type.get_shape()
    mask = build_mask(builder, shape, len(shape) - 1, limit)
    zero = build_zero_tile(builder, type)
    masked = builder.insert(SelectOp(mask, inputs.a, zero)).result
    if a_type is not None:
        masked = convert_layout(builder, masked, a_type)
    return build_dot(builder, DotInputs(masked, inputs.b), accumulator, attributes)
