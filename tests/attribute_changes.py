"""Changes of each attribute of each op of a module, and what tells of them.

Nothing of a program is to be dropped in silence: a change of an attribute changes the code, or what
is said of the program. The walker knows no dialect, so it serves the modules of all levels.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import islice
from typing import Any

from xdsl.dialects.builtin import (
    ArrayAttr,
    BytesAttr,
    DenseArrayBase,
    DictionaryAttr,
    FloatAttr,
    IntAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    UnitAttr,
    i1,
)
from xdsl.ir import Attribute, Data, Operation, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import IRDLOperation, OptPropertyDef, VerificationContext
from xdsl.utils.exceptions import VerifyException

Variant = tuple[str, Attribute]
"""Another attribute, and where in the attribute it differs: `.sm_90.latency`, or nothing."""

MOST = 12
"""How many changes of a pair of op and attribute are tried in a module."""
ELEMENTS = 2
"""How many elements of a list are changed: the others are alike."""


@dataclass(frozen=True)
class Change:
    """Another value of a property or attribute of an op."""

    number: int
    """Of the op among those of the module, as `walk` visits them."""
    op: str
    name: str
    path: str
    """Where in the attribute the change is."""
    value: Attribute | None
    """None leaves the attribute out."""
    is_property: bool = True

    @property
    def pair(self) -> tuple[str, str]:
        """The op, and the attribute with the path in it."""
        return self.op, self.name + self.path


@dataclass(frozen=True)
class Outcome:
    """What comes of a module: its code, if it has any, and what is said."""

    code: str | None
    said: Sequence[str]


Compiler = Callable[[ModuleOp], Outcome]


def changes(module: ModuleOp) -> Iterator[Change]:
    """Every change of one attribute of one op, types of values apart."""
    for number, op in enumerate(module.walk()):
        for held, is_property in ((op.properties, True), (op.attributes, False)):
            for name, attribute in held.items():
                made = Change(number, op.name, name, "", None, is_property)
                if _is_optional(op, name):
                    yield made
                for path, value in variants(attribute):
                    yield replace(made, path=path, value=value)
        for name in _flags(op):
            yield Change(number, op.name, name, "", UnitAttr())


def changed(module: ModuleOp, change: Change) -> ModuleOp:
    """A copy of a module with a change."""
    copy = module.clone()
    op = next(islice(copy.walk(), change.number, None))
    held = op.properties if change.is_property else op.attributes
    if change.value is None:
        del held[change.name]
    else:
        held[change.name] = change.value
    return copy


def silent(
    modules: Sequence[ModuleOp],
    compile: Compiler,
    wanted: Callable[[Change], bool],
    most: int = MOST,
) -> Iterator[Change]:
    """The changes that nothing tells of, where the same pair has none that something tells of.

    A change that is refused says nothing of others, which are compiled.

    Args:
        modules: what is changed, each change by itself; they compile as they are.
        compile: what comes of a module, which it may change.
        wanted: which changes are tried.
        most: so many changes of a pair of op and attribute are tried in each module.
    """
    told: set[tuple[str, str]] = set()
    untold: dict[tuple[str, str], Change] = {}
    for module in modules:
        before: Outcome | None = None
        tried: Counter[tuple[str, str]] = Counter()
        for change in changes(module):
            if not wanted(change) or change.pair in told or tried[change.pair] == most:
                continue
            tried[change.pair] += 1
            before = before or compile(module.clone())
            after = compile(changed(module, change))
            if after == before:
                untold.setdefault(change.pair, change)
            elif after.code is not None:
                told.add(change.pair)
    yield from (change for pair, change in untold.items() if pair not in told)


def last_with_pair(modules: Sequence[ModuleOp]) -> list[set[tuple[str, str]]]:
    """For each of the forms of a module, the pairs of op and attribute that no later form has."""
    last = {
        change.pair: number for number, module in enumerate(modules) for change in changes(module)
    }
    pairs = [set[tuple[str, str]]() for _ in modules]
    for pair, number in last.items():
        pairs[number].add(pair)
    return pairs


# Layouts and atoms, as text: layouts stand in types as well

_LAYOUT = re.compile(r"<\([\d, ()]*\)(?:, swizzle<[\d, ]*>)?>|<atom \w+>")
_NUMBER = re.compile(r"\d+")


def layouts_in(text: str) -> list[str]:
    """The layouts in a text, `<(shape), (stride)>` with or without a swizzle, and atoms, once."""
    return list(dict.fromkeys(_LAYOUT.findall(text)))


def other_layouts(layout: str) -> Iterator[str]:
    """Layouts and atoms that differ in one number.

    Not in the stride of a mode of one element, which is never taken, nor in the extent of one of
    stride 0: that many threads hold the same, and so do all that a layout does not tell of.
    """
    found = list(_NUMBER.finditer(layout))
    values = [int(each[0]) for each in found]
    is_atom = layout.startswith("<atom")
    count = 0 if is_atom else len(_NUMBER.findall(layout.partition(", swizzle")[0])) // 2
    idle = {n + count for n in range(count) if values[n] == 1}
    idle |= {n for n in range(count) if values[n + count] == 0}
    for number, (each, value) in enumerate(zip(found, values, strict=True)):
        for other in dict.fromkeys((2 * value, value // 2, value + 1)):
            if other != value and number not in idle:
                yield f"{layout[: each.start()]}{other}{layout[each.end() :]}"


# Other values


def variants(attribute: Attribute) -> Iterator[Variant]:
    """Attributes of the same kind that differ in one place; those that are invalid are left out."""
    match attribute:
        # The types of values follow from those of others.
        case TypeAttribute():
            return
        case Data(data=Enum() as chosen):
            kind: Any = type(attribute)
            yield from (("", kind(value)) for value in type(chosen) if value is not chosen)
        case IntegerAttr():
            for value in _numbers(attribute.value.data, attribute.type == i1):
                yield from _valid(lambda value=value: IntegerAttr(value, attribute.type))
        case IntAttr():
            yield from (("", IntAttr(value)) for value in _numbers(attribute.data, False))
        case FloatAttr():
            yield "", FloatAttr(attribute.value.data + 1.0, attribute.type)
        case StringAttr():
            yield "", StringAttr(f"{attribute.data}_x")
        case BytesAttr():
            # The least bits of the first byte, and of the last, which has sign and exponent.
            yield "", BytesAttr(bytes([attribute.data[0] ^ 1]) + attribute.data[1:])
            yield "", BytesAttr(attribute.data[:-1] + bytes([attribute.data[-1] ^ 1]))
        case DenseArrayBase():
            yield from _of_array(attribute)
        case DictionaryAttr():
            yield from _of_dictionary(attribute)
        case ArrayAttr():
            yield from _of_list(attribute)
        case ParametrizedAttribute():
            yield from _of_parameters(attribute)
        case _:
            return


def _valid(make: Callable[[], Attribute], path: str = "") -> Iterator[Variant]:
    try:
        yield path, make()
    except VerifyException:
        return


def _numbers(value: int, is_flag: bool) -> Iterator[int]:
    if is_flag:
        yield 1 - abs(value)
        return
    # Neighbours, and a power of two that is far, as alignments have to be.
    others = (value + 1, 2 * value, 32 * (value or 1), value - 1, 0)
    yield from dict.fromkeys(other for other in others if other != value)


def _of_array(attribute: DenseArrayBase[Any]) -> Iterator[Variant]:
    values, element = attribute.get_values(), attribute.elt_type
    others = [(*values[:n], value + 1, *values[n + 1 :]) for n, value in enumerate(values)]
    for other in (*others[:ELEMENTS], values[::-1]):
        if other != values:
            yield from _valid(lambda other=other: DenseArrayBase.from_list(element, other))


def _of_dictionary(attribute: DictionaryAttr) -> Iterator[Variant]:
    for key, value in attribute.data.items():
        rest = {name: other for name, other in attribute.data.items() if name != key}
        yield f".{key}", DictionaryAttr(rest)
        for path, other in variants(value):
            yield f".{key}{path}", DictionaryAttr({**rest, key: other})


def _of_list(attribute: ArrayAttr[Attribute]) -> Iterator[Variant]:
    values = attribute.data
    for number, value in enumerate(values[:ELEMENTS]):
        for path, other in variants(value):
            yield path, ArrayAttr([*values[:number], other, *values[number + 1 :]])


def _of_parameters(attribute: ParametrizedAttribute) -> Iterator[Variant]:
    for number, value in enumerate(attribute.parameters):
        for path, other in variants(value):
            parameters = list(attribute.parameters)
            parameters[number] = other
            yield from _valid(lambda given=parameters: type(attribute).new(given), path)


def _is_optional(op: Operation, name: str) -> bool:
    if not isinstance(op, IRDLOperation):
        return False
    known = type(op).get_irdl_definition().properties.get(name)
    return known is None if name in op.attributes else isinstance(known, OptPropertyDef)


def _flags(op: Operation) -> Iterator[str]:
    """The unit attributes that an op may have and lacks."""
    if not isinstance(op, IRDLOperation):
        return
    for name, known in type(op).get_irdl_definition().properties.items():
        # Some properties may be any attribute.
        if (
            isinstance(known, OptPropertyDef)
            and name not in op.properties
            and _takes(known, UnitAttr())
            and not _takes(known, StringAttr(""))
        ):
            yield name


def _takes(known: OptPropertyDef, attribute: Attribute) -> bool:
    try:
        known.constr.verify(attribute, VerificationContext())
    except VerifyException:
        return False
    return True
