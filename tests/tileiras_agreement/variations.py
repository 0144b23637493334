"""A draft with one thing changed: most such changes break one rule, some break none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from xdsl.dialects.builtin import DenseArrayBase, IntAttr, IntegerAttr, UnitAttr, i1, i32
from xdsl.ir import Attribute
from xdsl.utils.str_enum import StrEnum

from tests.tileiras_agreement.draft import Draft
from tests.tileiras_agreement.words import TOKEN, element, tensor, tile, unchecked
from tileir_xdsl.dialects import cuda_tile as ct
from tileir_xdsl.dialects.cuda_tile.definition import Arity
from tileir_xdsl.dialects.cuda_tile.enums import EnumAttribute, enum_to_integer_attr
from tileir_xdsl.dialects.cuda_tile.interfaces import CudaTileOperation
from tileir_xdsl.dialects.cuda_tile.types import dense_integers, int_array
from tileir_xdsl.dialects.enumerations import MemoryOrdering, RMWMode

Change = tuple[str, Draft]

NUMBERED: Mapping[str, type[StrEnum]] = {
    "memory_ordering_semantics": MemoryOrdering,
    "memory_scope": ct.MemoryScope,
    "mode": RMWMode,
}
"""Properties that hold the number of a value."""
ABSENT: Mapping[str, Sequence[Attribute]] = {
    "memory_scope": [enum_to_integer_attr(scope) for scope in ct.MemoryScope],
    "rounding_mode": [],
}
_OTHER_ELEMENTS = ("f32", "i32", "f16", "i8", "i1", "f64", "f8E4M3FN", "bf16", "i64", "ptr", "i4")


def variations(draft: Draft) -> Iterator[Change]:
    """Every change of one type, property or operand."""
    yield from _properties(draft)
    yield from _operands(draft)
    yield from _results(draft)


def _alternatives(name: str, attribute: Attribute) -> Iterator[tuple[str, Attribute]]:
    if isinstance(attribute, EnumAttribute):
        for value in type(attribute).enum_type:
            yield str(value), type(attribute)(value)
    elif isinstance(attribute, IntegerAttr) and name in NUMBERED:
        for value in NUMBERED[name]:
            yield str(value), enum_to_integer_attr(value)
    elif isinstance(attribute, IntegerAttr):
        value = attribute.value.data
        for other in (0, 1) if attribute.type == i1 else (0, 1, -1, value + 1, 1 << 20):
            if other >= 0 or attribute.type != i32:
                yield str(other), IntegerAttr(other, attribute.type)
    elif isinstance(attribute, DenseArrayBase) and attribute.elt_type == i32:
        values = dense_integers(attribute)
        for others in (
            values[::-1],
            values[1:],
            (0, *values[1:]),
            (*values[:-1], 9),
            (-1, *values[1:]),
        ):
            yield str(list(others)), DenseArrayBase.from_list(i32, others)


def _properties(draft: Draft) -> Iterator[Change]:
    assert issubclass(draft.operation, CudaTileOperation)
    given = draft.properties
    for each in draft.operation.DEFINITION.properties:
        name = each.name
        if name in given:
            for text, value in _alternatives(name, given[name]):
                if value != given[name]:
                    yield f"{name} {text}", _with(draft, name, value)
            if not each.required:
                yield f"no {name}", _with(draft, name, None)
        elif each.constraint.description == "unit attribute":
            yield name, _with(draft, name, UnitAttr())
        for value in ABSENT.get(name, ()) if name not in given else ():
            yield f"{name} {value}", _with(draft, name, value)


def _with(draft: Draft, name: str, value: Attribute | None) -> Draft:
    properties = {key: old for key, old in draft.properties.items() if key != name}
    return replace(draft, properties=properties if value is None else {**properties, name: value})


def _types(type_: Attribute) -> Iterator[tuple[str, Attribute]]:
    """Other types, each another one in one way."""
    if isinstance(type_, ct.TileType):
        shape = type_.get_shape()
        for name in _OTHER_ELEMENTS:
            if element(name) != type_.element_type:
                yield name, ct.TileType(shape, element(name))
        wider = (*shape[:-1], 2 * shape[-1]) if shape else (4,)
        for other in dict.fromkeys(((*shape, 2), (), wider, shape[1:])):
            if other != shape:
                yield f"shape {list(other)}", unchecked(type_, shape=int_array(other))
        for bad in (3, 0, 1 << 25):
            text = f"shape {[*shape[:-1], bad]}"
            yield text, unchecked(type_, shape=int_array((*shape[:-1], bad)))
    elif isinstance(type_, ct.TensorViewType):
        yield from _tensors(type_)
    elif isinstance(type_, ct.PartitionViewType | ct.StridedViewType | ct.GatherScatterViewType):
        yield from _views(type_)
    elif type_ == TOKEN:
        yield "i32", tile("i32")


def _tensors(type_: ct.TensorViewType) -> Iterator[tuple[str, Attribute]]:
    shape, strides = type_.get_shape(), type_.get_strides()
    for name in ("f16", "i32", "i4", "ptr"):
        yield f"of {name}", unchecked(type_, element_type=element(name))
    for sizes in ((0, *shape[1:]), (3, *shape[1:]), (*shape, 2), shape[1:]):
        yield f"sizes {list(sizes)}", unchecked(type_, shape=int_array(sizes))
    for steps in ((0, *strides[1:]), (-1, *strides[1:]), strides[1:], (*strides[:-1], 3)):
        yield f"strides {list(steps)}", unchecked(type_, strides=int_array(steps))


def _views(
    type_: ct.PartitionViewType | ct.StridedViewType | ct.GatherScatterViewType,
) -> Iterator[tuple[str, Attribute]]:
    shape = type_.get_tile_shape()
    for other in ((3, *shape[1:]), (0, *shape[1:]), shape[1:], (*shape, 2), (1, *shape[1:])):
        yield f"tile {list(other)}", unchecked(type_, tile_shape=int_array(other))
    for padding in ct.PaddingValue:
        attribute = ct.PaddingValueAttr(padding)
        yield f"padding {padding}", unchecked(type_, padding_value=attribute)
    tensor_type = type_.get_tensor_view()
    for name in ("i32", "f64", "f16"):
        other = unchecked(tensor_type, element_type=element(name))
        yield f"of {name}", unchecked(type_, tensor_view=other)
    yield "of rank 1", unchecked(type_, tensor_view=tensor("f32", (64,)))
    if isinstance(type_, ct.GatherScatterViewType):
        for dim in (0, 1, 2, 7):
            yield f"sparse_dim {dim}", unchecked(type_, sparse_dim=IntAttr(dim))
        return
    for dims in ((1, 0), (0, 0), (0,), (0, 2), (-1, 0)):
        yield f"dim_map {list(dims)}", unchecked(type_, dim_map=int_array(dims))
    if isinstance(type_, ct.StridedViewType):
        for steps in ((0, 4), (-1, 4), (4,), (3, 5), (64, 64)):
            yield f"steps {list(steps)}", unchecked(type_, traversal_strides=int_array(steps))


def _operands(draft: Draft) -> Iterator[Change]:
    assert issubclass(draft.operation, CudaTileOperation)
    for number, group in enumerate(draft.operands):
        definition = draft.operation.DEFINITION.operands[number]
        for place, type_ in enumerate(group):
            for text, other in _types(type_):
                changed = (*group[:place], other, *group[place + 1 :])
                which = definition.name if len(group) == 1 else f"{definition.name} {place}"
                yield f"{which} {text}", _with_group(draft, number, changed)
        if definition.arity is Arity.VARIADIC:
            yield f"fewer {definition.name}", _with_group(draft, number, group[1:])
            more = group[:1] or (tile("i32"),)
            yield f"more {definition.name}", _with_group(draft, number, (*group, *more))
        elif definition.arity is Arity.OPTIONAL:
            if group:
                yield f"no {definition.name}", _with_group(draft, number, ())
            elif definition.name == "token":
                yield "token", _with_group(draft, number, (TOKEN,))
            elif definition.name == "mask":
                yield "mask", _with_group(draft, number, (_mask(draft),))
                yield "scalar mask", _with_group(draft, number, (tile("i1"),))
            elif definition.name == "padding_value":
                mask = _with_group(draft, number - 1, (_mask(draft),))
                yield "padding", _with_group(mask, number, draft.results[:1])
                yield "scalar padding", _with_group(mask, number, (tile("f32"),))
                yield "padding alone", _with_group(draft, number, draft.results[:1])


def _mask(draft: Draft) -> Attribute:
    first = draft.operands[0][0]
    assert isinstance(first, ct.TileType)
    return tile("i1", first.get_shape())


def _with_group(draft: Draft, number: int, group: tuple[Attribute, ...]) -> Draft:
    operands = (*draft.operands[:number], group, *draft.operands[number + 1 :])
    return replace(draft, operands=operands)


def _results(draft: Draft) -> Iterator[Change]:
    for number, type_ in enumerate(draft.results):
        for text, other in _types(type_):
            changed = (*draft.results[:number], other, *draft.results[number + 1 :])
            which = "result" if number == 0 else f"result {number}"
            yield f"{which} {text}", replace(draft, results=changed)
    if draft.results:
        yield "fewer results", replace(draft, results=draft.results[:-1])
        yield "more results", replace(draft, results=(*draft.results, draft.results[-1]))
