"""Ops that need no instruction: constants, and the bookkeeping of vectors, structs and casts.

A view expresses the components of an op's result in terms of its operands' components. A view
returns None if an instruction is needed: to unpack an element, or to change the register class. The
op's rule in another table then prints the instruction.
"""

from collections.abc import Sequence
from itertools import accumulate

from xdsl.dialects import llvm
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.backend.ptx.folding import FOLDS
from tileir_xdsl.backend.ptx.lanes import Lane, extracted_lane, lane, pack, unpack, vector_type
from tileir_xdsl.backend.ptx.registers import (
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


def _extract_element(selector: Selector, op: ExtractElementOp) -> Components | None:
    component, position = extracted_lane(selector, op)
    return (component,) if position is None else None


def _vector_of_lanes(selector: Selector, op: Operation) -> Components:
    """The result of an insertion or shuffle: only changed packed components need instructions."""
    type = vector_type(op.results[0].type)
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


def _packed(selector: Selector, op: Operation, lanes: Sequence[Lane], width: int) -> Component:
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


def _element(selector: Selector, lane: Lane, width: int) -> Component:
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
