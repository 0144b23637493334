"""Where the elements of vectors are: registers of their own, or parts of packed registers."""

from collections.abc import Sequence
from typing import Any

from xdsl.dialects import llvm
from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.backend.ptx.instructions import VectorOperand
from tileir_xdsl.backend.ptx.registers import (
    B16,
    B32,
    Component,
    Constant,
    bit_width,
    component_classes,
    elements_per_component,
)
from tileir_xdsl.backend.ptx.selection import Selector, element_type
from tileir_xdsl.dialects.llvm import ExtractElementOp

Lane = tuple[Component, int | None]
"""A component and, in a packed one, the position in it."""


def lane(selector: Selector, vector: SSAValue, index: int) -> Lane:
    """Where element `index` of a vector is, looking through insertions and shuffles."""
    while True:
        owner = vector.owner
        if isinstance(owner, llvm.InsertElementOp):
            if _index(selector, owner, owner.index) == index:
                return selector.component(owner.value), None
            vector = owner.vector
        elif isinstance(owner, llvm.ShuffleVectorOp):
            first = vector_type(owner.v1.type).get_shape()[0]
            source = tuple(owner.mask.iter_values())[index]
            vector, index = (owner.v1, source) if source < first else (owner.v2, source - first)
            if index < 0:
                return _undefined(vector.type), None
        else:
            return _lane_of_root(selector, vector, index)


def _lane_of_root(selector: Selector, vector: SSAValue, index: int) -> Lane:
    type = vector_type(vector.type)
    components = selector.components(vector)
    packed = elements_per_component(type.get_shape()[0], type.element_type)
    if packed == 1:
        return components[index], None
    component, position = components[index // packed], index % packed
    if isinstance(component, Constant):
        width = bit_width(type.element_type)
        bits = component.bits >> width * position & (1 << width) - 1
        return Constant(bits, B16), None
    return component, position


def _undefined(type: Attribute) -> Constant:
    return Constant(0, component_classes(element_type(type))[0])


def vector_type(type: Attribute) -> VectorType[Any]:
    """The type, as that of a vector."""
    assert isinstance(type, VectorType)
    return type


def _index(selector: Selector, op: Operation, index: SSAValue) -> int:
    constant = selector.known.constant(index)
    if constant is None:
        selector.unsupported(op, "the index of an element must be a constant")
    return constant.bits


def extracted_lane(selector: Selector, op: ExtractElementOp) -> Lane:
    """The component and the position in it of the element that `op` extracts."""
    return lane(selector, op.vector, _index(selector, op, op.position))


def half_of_word(selector: Selector, pair: SSAValue) -> tuple[int, int] | None:
    """The packed register, and the half of it, that holds both bytes of a pair; None for others."""
    inserted = dict[int, SSAValue]()
    while isinstance(insert := pair.owner, llvm.InsertElementOp):
        inserted.setdefault(_index(selector, insert, insert.index), insert.value)
        pair = insert.vector
    extracts = [value.owner for _, value in sorted(inserted.items())]
    lanes = [extracted_lane(selector, op) for op in extracts if isinstance(op, ExtractElementOp)]
    if len(lanes) != 2 or isinstance(word := lanes[0][0], Constant):
        return None
    half = next((n for n in range(2) if lanes == [(word, 2 * n), (word, 2 * n + 1)]), None)
    return None if half is None else (word, half)


def unpack(
    selector: Selector, packed: int, position: int, width: int, into: int | None = None
) -> int:
    """Emits the extraction of element `place` from a packed register; returns its register."""
    element = selector.fresh(B16) if into is None else into
    if width == 16:
        unpack_half(selector, packed, position, element)
    else:
        byte = selector.fresh(B32)
        selector.emit("bfe.u32", (byte,), packed, str(8 * position), "8")
        selector.emit("cvt.u16.u32", (element,), byte)
    return element


def unpack_half(selector: Selector, packed: int, position: int, element: int) -> None:
    """Emits the extraction of a half of a 32-bit register."""
    halves = ("_", element) if position else (element, "_")
    selector.emit("mov.b32", (VectorOperand(halves),), packed)


def pack(selector: Selector, destination: int, elements: Sequence[Component]) -> None:
    """Emits the packing of two 16-bit or four 8-bit elements into a 32-bit register."""
    registers = [selector.in_register(element) for element in elements]
    if len(registers) == 2:
        selector.emit("mov.b32", (destination,), VectorOperand(tuple(registers)))
        return
    low, high = selector.fresh(B32), selector.fresh(B32)
    selector.emit("mov.b32", (low,), VectorOperand(tuple(registers[:2])))
    selector.emit("mov.b32", (high,), VectorOperand(tuple(registers[2:])))
    selector.emit("prmt.b32", (destination,), low, high, "0x6420")
