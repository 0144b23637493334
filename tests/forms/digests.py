"""Digests of IR and of plain data that are the same in every process."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import UnknownLoc
from xdsl.ir import Attribute, Block, Operation, SSAValue

_MOST_BYTES = 1 << 22
"""Of an array: larger ones may be sparse, and take too long."""

_MOST_TEXTS = 50_000
"""How many texts of attributes are kept: those of some hundred kernels."""


class UnkeyedError(Exception):
    """Data of a kind that has no digest, such as an open file."""


def digest(*parts: str | bytes) -> bytes:
    """Some bytes for texts, each of which counts with its length."""
    state = blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        state.update(b"%d:" % len(data))
        state.update(data)
    return state.digest()


_texts: dict[Attribute, str] = {}


def _text_of(attribute: Attribute) -> str:
    text = _texts.get(attribute)
    if text is None:
        if len(_texts) >= _MOST_TEXTS:
            _texts.clear()
        text = _texts[attribute] = str(attribute)
    return text


def ir_digest(top: Operation) -> bytes:
    """A digest of an op with all that is nested in it: names of values, attributes and locations included.

    It is taken without the printer, which needs some ten times as long.
    """
    values: dict[SSAValue, str] = {}
    blocks: dict[Block | None, int] = {top.parent: 0}
    texts: dict[int, str] = {}
    parts: list[str] = []

    def text(attribute: Attribute) -> str:
        found = texts.get(id(attribute))
        if found is None:
            found = texts[id(attribute)] = _text_of(attribute)
        return found

    def number(value: SSAValue) -> str:
        found = values.get(value)
        if found is None:
            found = values[value] = str(len(values))
        return found

    def defined(value: SSAValue) -> str:
        return f"{number(value)} {value.name_hint} {text(value.type)}"

    def named(attributes: Mapping[str, Attribute]) -> Iterator[str]:
        return (f"{name}={text(attributes[name])}" for name in sorted(attributes))

    for op in ops_in(top):
        parts.append(f"\n{blocks.setdefault(op.parent, len(blocks))} {op.name}")
        parts.extend(map(number, op.operands))
        if op.properties:
            parts.extend(named(op.properties))
        if op.attributes:
            parts.append("/")
            parts.extend(named(op.attributes))
        parts.append(":")
        parts.extend(map(defined, op.results))
        if not isinstance(op.location, UnknownLoc):
            parts.append(text(op.location))
        for successor in op.successors:
            parts.append(f">{blocks.setdefault(successor, len(blocks))}")
        for region in op.regions:
            parts.append("{")
            for block in region.blocks:
                parts.append(f"^{blocks.setdefault(block, len(blocks))}")
                parts.extend(map(defined, block.args))
    return digest("\0".join(parts))


def ops_in(top: Operation) -> Iterator[Operation]:
    """An op and those that are nested in it, in order, without recursion."""
    yield top
    waiting = [inner_ops(top)]
    while waiting:
        op = next(waiting[-1], None)
        if op is None:
            waiting.pop()
            continue
        yield op
        if op.regions:
            waiting.append(inner_ops(op))


def inner_ops(top: Operation) -> Iterator[Operation]:
    """The ops directly in the regions of another one."""
    return (op for region in top.regions for block in region.blocks for op in block.ops)


def data_digest(data: object) -> bytes:
    """A digest of numbers, texts, arrays, records and collections of these.

    Raises:
        UnkeyedError: other data, in any depth.
    """
    return digest(*_parts_of(data))


def _parts_of(data: object) -> Iterator[str | bytes]:
    match data:
        case np.ndarray():
            array: NDArray[np.generic] = data
            if array.nbytes > _MOST_BYTES:
                raise UnkeyedError(f"{array.nbytes} bytes")
            yield f"{array.dtype} {array.shape} {array.strides}"
            yield array.tobytes()
        case None | bool() | int() | float() | complex() | str() | bytes() | np.generic() | Enum():
            yield f"{type(data).__name__} {data!r}"
        case Mapping():
            yield f"mapping {len(data)}"
            for key, value in data.items():
                yield from _parts_of(key)
                yield from _parts_of(value)
        case set() | frozenset():
            yield f"set {sorted(map(repr, data))}"
        case Sequence():
            yield f"sequence {len(data)}"
            for item in data:
                yield from _parts_of(item)
        case _ if dataclasses.is_dataclass(data):
            yield type(data).__name__
            for field in dataclasses.fields(data):
                yield field.name
                yield from _parts_of(getattr(data, field.name))
        case _:
            raise UnkeyedError(type(data).__name__)


def array_outcome(array: NDArray[np.generic], *, exactly: bool) -> bytes:
    """What is the same on every platform of an array that a kernel has written.

    Unless it is known to be computed exactly, of floats it is which ones are NaN, infinite, zero or
    negative: the last bits of elementary functions and of long sums depend on the library.
    """
    if exactly or array.dtype.kind in "iub":
        return data_digest(np.ascontiguousarray(array))
    if array.dtype.kind == "V" or not array.size:
        return data_digest((str(array.dtype), array.shape))
    with np.errstate(all="ignore"):
        wide = array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
    classes = np.isnan(wide) + 2 * np.isinf(wide) + 4 * (wide == 0)
    return data_digest((str(array.dtype), np.ascontiguousarray(classes)))
