"""Removes ops of a failing module that only convert: reshapes, broadcasts, casts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp, ShapedType, TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.dialects.cuda_tile import TileType
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.reproducers.numbers import Fails, read
from tileir_xdsl.walking import clone_of, ops_in

_DEEPEST = 3
"""The most conversions that are removed at once, such as two reshapes around a broadcast."""


def without_conversions(module: ModuleOp, fails: Fails) -> ModuleOp:
    """Puts operands in place of results of another type, and changes the type everywhere."""
    number = 0
    while number < len(ops_in(module)):
        for smaller in _without(module, number):
            if fails(smaller):
                module = smaller
                break
        else:
            number += 1
    return module


def _without(module: ModuleOp, number: int) -> Iterator[ModuleOp]:
    """Copies of a module without an op and up to two ops that define its first operand."""
    for depth in range(_DEEPEST, 0, -1):
        copy = clone_of(module)
        chain = list(_conversions(ops_in(copy)[number], depth))
        if len(chain) < depth or chain[0].results[0].first_use is None:
            continue
        result, source = chain[0].results[0], chain[-1].operands[0]
        result.replace_all_uses_with(source)
        for op in chain:
            if op.results[0].first_use is not None:
                break
            op.detach()
            op.erase()
        text = tools.to_text(copy)
        for replacements in _replacements(result.type, source.type):
            changed = text
            for before, after in replacements:
                changed = re.sub(before, after, changed)
            smaller = read(changed)
            if smaller is not None:
                yield smaller


def _conversions(op: Operation, depth: int) -> Iterator[Operation]:
    """An op and those that define its first operand, up to `depth` of them."""
    value: SSAValue | None = None
    for _ in range(depth):
        if value is not None:
            if not isinstance(value.owner, Operation):
                return
            op = value.owner
        if len(op.results) != 1 or op.regions or not op.operands:
            return
        yield op
        value = op.operands[0]


def _replacements(old: Attribute, new: Attribute) -> Iterator[list[tuple[str, str]]]:
    """The patterns and texts that make one type of another: a shape, or an element type."""
    if _element(old) == _element(new) and (shape := _shape(old)):
        tensor = rf"tensor<{shape}([^\dx<>][^<>]*(?:<[^<>]*>)?)>"
        if not _shape(new) and isinstance(old, TensorType):
            # A tile without dimensions is a scalar.
            yield [(rf"dense<([^<>]*)> : {tensor}", r"\1 : \2"), (tensor, r"\1")]
        else:
            yield [(rf"\b(tile|tensor|vector)<{shape}(?=[^\dx])", rf"\1<{_shape(new)}")]
    elif _shape(old) == _shape(new):
        yield [(rf"\b{_element(old)}\b", _element(new))]
        yield [(rf"\b{_element(new)}\b", _element(old))]


def _shape(type_: Attribute) -> str:
    shape = type_.get_shape() if isinstance(type_, TileType | ShapedType) else ()
    return "".join(f"{extent}x" for extent in shape)


def _element(type_: Attribute) -> str:
    return str(getattr(type_, "element_type", type_))
