"""Elementwise ops: one computation for every register of a thread.

A table maps each op type to an emitter: a function of the op, the program, and one register of each
operand, that emits the computation of the result register.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from xdsl.dialects import llvm
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IntegerAttr, f32
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.dialects.nv_tileaa.types import tile_shape

from .builder import LLVMBuilder
from .patterns import LowerOp, Patterns
from .program import ThreadProgram

Emitter: TypeAlias = Callable[..., SSAValue]
"""Maps op, program and one register of every operand to one register of the result."""


def element_of(value: SSAValue) -> Attribute:
    """The element type of a tile, the type of a scalar."""
    return tile_shape(value.type).element


def apply(op: Operation, program: ThreadProgram, emitter: Emitter) -> None:
    """Applies an emitter to every register of the operands; a scalar operand serves all registers.

    Equal operands, as those of a splat, are computed only once.
    """
    columns = [program.registers(operand) for operand in op.operands]
    count = max(map(len, columns))
    columns = [column if len(column) == count else column * count for column in columns]
    # Per op and not in the builder: emitters may have effects, such as inline assembly.
    known: dict[tuple[SSAValue, ...], SSAValue] = {}
    for values in zip(*columns, strict=True):
        if values not in known:
            known[values] = emitter(op, program, *values)
    program.values[op.results[0]] = tuple(known[values] for values in zip(*columns, strict=True))


@dataclass
class LowerElementwise(LowerOp[Operation]):
    """An op that works element by element, lowered by its emitter."""

    emitter: Emitter

    def lower(self, op: Operation, program: ThreadProgram) -> None:
        apply(op, program, self.emitter)


def patterns_of(emitters: Mapping[type[Operation], Emitter]) -> Patterns:
    """The patterns of a table of emitters."""
    return {op: partial(LowerElementwise, emitter=emitter) for op, emitter in emitters.items()}


def directly(emitted: Callable[..., Operation]) -> Emitter:
    """The emitter of an op that is one llvm op on registers of the same types."""

    def emitter(_op: Operation, program: ThreadProgram, *values: SSAValue) -> SSAValue:
        return program.builder.insert(emitted(*values))

    return emitter


# Helpers of several op families.


def known_integer(value: SSAValue) -> int | None:
    """The signed integer that a register statically holds."""
    owner = value.owner
    if isinstance(owner, llvm.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return owner.value.value.data
    return None


def float_constant(builder: LLVMBuilder, value: float, type: AnyFloat = f32) -> SSAValue:
    """A float constant of a type that registers hold as it is."""
    return builder.constant(FloatAttr(value, type), type)


def call_intrinsic(
    builder: LLVMBuilder, name: str, type: Attribute, *arguments: SSAValue
) -> SSAValue:
    """A call of an intrinsic of LLVM's NVPTX backend, which stands for one PTX instruction."""
    return builder.insert(llvm.CallIntrinsicOp(name, list(arguments), [type]))
