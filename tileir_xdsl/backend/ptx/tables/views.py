"""Ops that need no instruction: constants, and the bookkeeping of vectors, structs and casts.

A view expresses the components of an op's result in terms of its operands' components. A view
returns None if an instruction is needed: to unpack an element, or to change the register class. The
op's rule in another table then prints the instruction.
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from xdsl.dialects import llvm
from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.backend.ptx.folding import FOLDS
from tileir_xdsl.backend.ptx.instructions import VectorOperand
from tileir_xdsl.backend.ptx.registers import (
    B16,
    B32,
    Component,
    Constant,
    attribute_bits,
    bit_width,
    component_classes,
    elements_per_component,
)
from tileir_xdsl.backend.ptx.selection import Selector, View, element_type
from tileir_xdsl.dialects.llvm import (
    ExtractElementOp,
    FreezeOp,
    PoisonOp,
)

Components = tuple[Component, ...]


def _constant(selector: Selector, op: llvm.ConstantOp) -> Components:
    (result,) = op.results
    if (integer := selector.known.constant(result)) is not None:
        return (integer,)
    type = result.type
    return _pack_constants(tuple(attribute_bits(op.value, element_type(type))), type)


def _pack_constants(bits: Sequence[int], type: Attribute) -> Components:
    classes = component_classes(type)
    packed = max(1, len(bits) // len(classes))
    width = bit_width(element_type(type))
    return tuple(
        Constant(
            sum(
                part << width * position
                for position, part in enumerate(bits[start : start + packed])
            ),
            register_class,
        )
        for start, register_class in zip(range(0, len(bits), packed), classes, strict=True)
    )


def _zero(selector: Selector, op: Operation) -> Components:
    # An undefined value may be any: zero needs no register.
    return tuple(Constant(0, c) for c in component_classes(op.results[0].type))


def _fold(selector: Selector, op: Operation) -> Components | None:
    constant = selector.known.constant(op.results[0])
    return None if constant is None else (constant,)


NEUTRAL: dict[type[Operation], int] = {
    llvm.AddOp: 0,
    llvm.SubOp: 0,
    llvm.OrOp: 0,
    llvm.XOrOp: 0,
    llvm.ShlOp: 0,
    llvm.LShrOp: 0,
    llvm.AShrOp: 0,
    llvm.MulOp: 1,
    llvm.SDivOp: 1,
    llvm.UDivOp: 1,
}
"""The identity of each op: the right operand with which it returns its left operand."""

_COMMUTATIVE = (llvm.AddOp, llvm.MulOp, llvm.OrOp, llvm.XOrOp)


def _fold_or_pass(selector: Selector, op: Operation) -> Components | None:
    neutral = NEUTRAL[type(op)]
    lhs, rhs = op.operands
    known = selector.known
    right = known.constant(rhs)
    left = known.constant(lhs) if right is not None or isinstance(op, _COMMUTATIVE) else None
    if left is not None and right is not None:
        return _fold(selector, op)
    if right is not None and right.bits == neutral:
        return selector.components(lhs)
    if left is not None and left.bits == neutral and isinstance(op, _COMMUTATIVE):
        return selector.components(rhs)
    return None


def _same_registers(selector: Selector, op: Operation) -> Components | None:
    operand, result = op.operands[0], op.results[0]
    if component_classes(operand.type) != component_classes(result.type):
        return None
    return selector.components(operand)


def _freeze(selector: Selector, op: FreezeOp) -> Components:
    return selector.components(op.val)


# Structs and arrays.


def _starts(selector: Selector, type: llvm.LLVMStructType) -> list[int]:
    """Where each field begins among the components of a struct."""
    if (found := selector.starts.get(id(type))) is None:
        counts = (len(component_classes(part)) for part in type.types)
        found = selector.starts[id(type)] = list(accumulate(counts, initial=0))
    return found


def _part(selector: Selector, type: Attribute, position: Sequence[int]) -> tuple[int, int]:
    """First component and number of components of the part of an aggregate at `position`."""
    start = 0
    for index in position:
        if isinstance(type, llvm.LLVMStructType):
            start += _starts(selector, type)[index]
            type = type.types.data[index]
        else:
            assert isinstance(type, llvm.LLVMArrayType)
            start += index * len(component_classes(type.type))
            type = type.type
    return start, len(component_classes(type))


def _extract_value(selector: Selector, op: llvm.ExtractValueOp) -> Components:
    (value,) = op.operands
    start, count = _part(selector, value.type, tuple(op.position.iter_values()))
    # An insertion elsewhere does not matter; one that covers the part is its source.
    while isinstance(insert := value.owner, llvm.InsertValueOp):
        container, part = insert.operands
        first, inserted = _part(selector, container.type, tuple(insert.position.iter_values()))
        if first <= start and start + count <= first + inserted:
            return selector.components(part)[start - first : start - first + count]
        if first < start + count and start < first + inserted:
            break
        value = container
    return selector.components(value)[start : start + count]


def _insert_value(selector: Selector, op: llvm.InsertValueOp) -> Components:
    parts: dict[int, Component] = {}
    value: SSAValue = op.res
    while isinstance(insert := value.owner, llvm.InsertValueOp):
        first, count = _part(selector, insert.container.type, tuple(insert.position.iter_values()))
        if any(first + place not in parts for place in range(count)):
            for place, component in enumerate(selector.components(insert.value)):
                parts.setdefault(first + place, component)
        value = insert.container
    total = len(component_classes(op.res.type))
    if len(parts) < total:
        for place, component in enumerate(selector.components(value)):
            parts.setdefault(place, component)
    return tuple(parts[place] for place in range(total))


# Vectors. A lane is where an element is: a component and, in a packed one, its place.

_Lane = tuple[Component, int | None]


def lane(selector: Selector, vector: SSAValue, index: int) -> _Lane:
    """Where element `index` of a vector is, looking through insertions and shuffles."""
    while True:
        owner = vector.owner
        if isinstance(owner, llvm.InsertElementOp):
            if _index(selector, owner, owner.index) == index:
                return selector.component(owner.value), None
            vector = owner.vector
        elif isinstance(owner, llvm.ShuffleVectorOp):
            first = _vector(owner.v1.type).get_shape()[0]
            source = tuple(owner.mask.iter_values())[index]
            vector, index = (owner.v1, source) if source < first else (owner.v2, source - first)
            if index < 0:
                return _undefined(vector.type), None
        else:
            return _lane_of_root(selector, vector, index)


def _lane_of_root(selector: Selector, vector: SSAValue, index: int) -> _Lane:
    type = _vector(vector.type)
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


def _vector(type: Attribute) -> VectorType[Any]:
    assert isinstance(type, VectorType)
    return type


def _index(selector: Selector, op: Operation, index: SSAValue) -> int:
    constant = selector.known.constant(index)
    if constant is None:
        selector.unsupported(op, "the index of an element must be a constant")
    return constant.bits


def extracted_lane(selector: Selector, op: ExtractElementOp) -> _Lane:
    """The component and the position in it of the element that `op` extracts."""
    return lane(selector, op.vector, _index(selector, op, op.position))


def _extract_element(selector: Selector, op: ExtractElementOp) -> Components | None:
    component, position = extracted_lane(selector, op)
    return (component,) if position is None else None


def unpack(
    selector: Selector, packed: int, position: int, width: int, into: int | None = None
) -> int:
    """Emits the extraction of element `place` from a packed register; returns its register."""
    element = selector.fresh(B16) if into is None else into
    if width == 16:
        halves = ("_", element) if position else (element, "_")
        selector.emit("mov.b32", (VectorOperand(halves),), packed)
    else:
        byte = selector.fresh(B32)
        selector.emit("bfe.u32", (byte,), packed, str(8 * position), "8")
        selector.emit("cvt.u16.u32", (element,), byte)
    return element


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


def _vector_of_lanes(selector: Selector, op: Operation) -> Components:
    """The result of an insertion or shuffle: only changed packed components need instructions."""
    type = _vector(op.results[0].type)
    count = type.get_shape()[0]
    lanes = [lane(selector, op.results[0], index) for index in range(count)]
    packed = elements_per_component(count, type.element_type)
    if packed == 1:
        width = bit_width(type.element_type)
        with selector.at(op):
            return tuple(_element(selector, lane, width) for lane in lanes)
    width = bit_width(type.element_type)
    return tuple(
        _packed(selector, op, lanes[start : start + packed], width)
        for start in range(0, count, packed)
    )


def _packed(selector: Selector, op: Operation, lanes: Sequence[_Lane], width: int) -> Component:
    whole = lanes[0][0]
    if all(lane == (whole, position) for position, lane in enumerate(lanes)):
        return whole
    if all(isinstance(component, Constant) for component, _ in lanes):
        parts = (c.bits << width * n for n, (c, _) in enumerate(lanes) if isinstance(c, Constant))
        return Constant(sum(parts), B32)
    destination = selector.fresh(B32)
    with selector.at(op):
        pack(selector, destination, [_element(selector, lane, width) for lane in lanes])
    return destination


def _element(selector: Selector, lane: _Lane, width: int) -> Component:
    component, position = lane
    if position is None or isinstance(component, Constant):
        return component
    return unpack(selector, component, position, width)


def _bitcast(selector: Selector, op: llvm.BitcastOp) -> Components | None:
    if (same := _same_registers(selector, op)) is not None:
        return same
    components = selector.components(op.arg)
    classes = component_classes(op.result.type)
    if len(classes) == len(components) and all(isinstance(c, Constant) for c in components):
        return tuple(
            Constant(c.bits, to)
            for c, to in zip(components, classes, strict=True)
            if isinstance(c, Constant)
        )
    return None


VIEWS: dict[type[Operation], View] = {
    **dict.fromkeys(FOLDS, _fold),
    **dict.fromkeys(NEUTRAL, _fold_or_pass),
    llvm.ConstantOp: _constant,
    llvm.UndefOp: _zero,
    llvm.ZeroOp: _zero,
    PoisonOp: _zero,
    FreezeOp: _freeze,
    llvm.BitcastOp: _bitcast,
    llvm.TruncOp: _fold,
    llvm.ZExtOp: _fold,
    llvm.SExtOp: _fold,
    llvm.ExtractValueOp: _extract_value,
    llvm.InsertValueOp: _insert_value,
    llvm.InsertElementOp: _vector_of_lanes,
    llvm.ShuffleVectorOp: _vector_of_lanes,
    ExtractElementOp: _extract_element,
}
"""Ops whose result may need no instruction of its own."""
