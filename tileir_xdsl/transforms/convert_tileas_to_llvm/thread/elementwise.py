"""Elementwise ops: one computation for every register of a thread.

A table maps each op type to an emitter. An emitter is a function of the op, its rewriter, and one
register of each operand, and emits the computation of the result register.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TypeAlias

from xdsl.dialects import llvm
from xdsl.dialects.builtin import AnyFloat, DenseArrayBase, FloatAttr, f32, i32
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.dialects.nv_tileaa.types import tile_shape

from .builder import LLVMBuilder, build_op
from .packed_registers import whole_vector
from .patterns import LowerOp, Patterns
from .program import ThreadRewriter, register_type

Emitter: TypeAlias = Callable[..., SSAValue]
"""Maps op, rewriter and one register of every operand to one register of the result."""


def element_of(value: SSAValue) -> Attribute:
    """The element type of a tile, the type of a scalar."""
    return tile_shape(value.type).element


def apply(op: Operation, rewriter: ThreadRewriter, emitter: Emitter) -> None:
    """Applies an emitter to every register of the operands; a scalar operand serves all registers.

    Registers with equal operands, as in a splat, are computed only once.
    """
    columns = _columns(op, rewriter)
    # Per op and not in the builder: emitters may have effects, such as inline assembly.
    known: dict[tuple[SSAValue, ...], SSAValue] = {}
    for values in zip(*columns, strict=True):
        if values not in known:
            known[values] = emitter(op, rewriter, *values)
    rewriter.replace(op.results[0], tuple(known[values] for values in zip(*columns, strict=True)))


def apply_to_pairs(
    op: Operation, rewriter: ThreadRewriter, emitter: Emitter, *, of_halves: bool = False
) -> None:
    """Applies an emitter to vectors of two registers: neighbours, or one of each half of the
    tile.
    """
    builder, columns = rewriter.builder, _columns(op, rewriter)
    rows = list(zip(*columns, strict=True))
    different = list(dict.fromkeys(rows))
    known = dict[tuple[SSAValue, ...], SSAValue]()
    vectors = dict[tuple[SSAValue, ...], SSAValue]()

    def vector(*pair: SSAValue) -> SSAValue:
        if pair not in vectors:
            vectors[pair] = whole_vector(pair) or builder.vector(pair)
        return vectors[pair]

    half = len(different) // 2
    paired = (
        zip(different[:half], different[half:], strict=False)
        if of_halves
        else zip(different[::2], different[1::2], strict=False)
    )
    for first, second in paired:
        pairs = (vector(*pair) for pair in zip(first, second, strict=True))
        known[first], known[second] = builder.elements(emitter(op, rewriter, *pairs), 2)
    if len(different) % 2:
        known[different[-1]] = emitter(op, rewriter, *different[-1])
    rewriter.replace(op.results[0], tuple(known[row] for row in rows))


def _columns(op: Operation, rewriter: ThreadRewriter) -> list[tuple[SSAValue, ...]]:
    """The registers of each operand; that of a scalar is repeated as often as a tile has
    registers.
    """
    columns = [rewriter.registers(operand) for operand in op.operands]
    count = max(map(len, columns))
    return [column if len(column) == count else column * count for column in columns]


@dataclass
class LowerElementwise(LowerOp[Operation]):
    """Lowers an op that works element by element, by its emitter."""

    emitter: Emitter

    def lower(self, op: Operation, rewriter: ThreadRewriter) -> None:
        apply(op, rewriter, self.emitter)


def patterns_of(emitters: Mapping[type[Operation], Emitter]) -> Patterns:
    """The patterns for a table of emitters."""
    return {op: partial(LowerElementwise, emitter=emitter) for op, emitter in emitters.items()}


def directly(emitted: type[Operation]) -> Emitter:
    """The emitter of an op that becomes one llvm op on registers of the same types."""

    def emitter(_op: Operation, rewriter: ThreadRewriter, *values: SSAValue) -> SSAValue:
        return rewriter.builder.insert(build_op(emitted, *values))

    return emitter


def on_registers(op: Operation, rewriter: ThreadRewriter, *values: SSAValue) -> SSAValue:
    """The emitter of an op that stays the same op, on scalars."""
    result = register_type(op, element_of(op.results[0]))
    return rewriter.builder.insert(
        type(op).create(operands=values, result_types=[result], properties=op.properties)
    )


# Helpers of several op families.


def float_constant(builder: LLVMBuilder, value: float, type: AnyFloat = f32) -> SSAValue:
    """A float constant of a type that registers hold natively."""
    return builder.constant(FloatAttr(value, type), type)


def call_intrinsic(
    builder: LLVMBuilder, name: str, type: Attribute, *arguments: SSAValue
) -> SSAValue:
    """A call of an intrinsic of LLVM's NVPTX backend that corresponds to one PTX instruction."""
    call = llvm.CallIntrinsicOp.create(
        operands=arguments,
        result_types=[type],
        properties=_properties_of_call(name, len(arguments)),
    )
    return builder.insert(call)


@lru_cache(maxsize=1024)
def _properties_of_call(name: str, arguments: int) -> Mapping[str, Attribute]:
    """The properties of a call of an intrinsic with a number of arguments, and no operand
    bundles.
    """
    segments = DenseArrayBase.from_list(i32, [arguments, 0])
    return {**llvm.CallIntrinsicOp(name, (), ()).properties, "operandSegmentSizes": segments}
