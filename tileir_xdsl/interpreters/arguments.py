"""Converts launch arguments to the values of kernel parameters.

The argument of a pointer is an array: the kernel works on the array's own memory. Overlapping
arrays share one allocation, so that writes through one are seen through the other. The argument of
a pointer to i64 may also be a list of arrays. As in cuTile, each array is then passed as its
address, its sizes and its strides in elements.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from xdsl.ir import Attribute

from tileir_xdsl.interpreters.address_space import PAGE, AddressSpace
from tileir_xdsl.interpreters.element_types import element_of, pointee_of
from tileir_xdsl.interpreters.errors import ArgumentFault
from tileir_xdsl.interpreters.numerics import ADDRESS_DTYPE, POINTER, Array, Element

Argument: TypeAlias = Array | tuple[Array, ...] | np.generic | int | float
"""One or several arrays for a pointer parameter, a number for any other."""

_Key: TypeAlias = tuple[int, ...]
"""The position of an argument, or of an array in a list of arrays."""


@dataclass
class _Range:
    """Host addresses `low` to `high` of overlapping arrays, and the positions of the arguments."""

    low: int
    high: int
    positions: list[_Key]
    writable: bool

    def name(self, names: Sequence[str | None]) -> str:
        """The arguments by name or, without a name, by position."""
        plural = "s" if len(self.positions) > 1 else ""
        keys = ((first, "".join(f"[{n}]" for n in inner)) for first, *inner in self.positions)
        return f"argument{plural} {', '.join(_label(names, *key) for key in keys)}"


def _label(names: Sequence[str | None], position: int, member: str = "") -> str:
    name = names[position] if position < len(names) else None
    return f"{position if name is None else name}{member}"


def bind_arguments(
    memory: AddressSpace,
    kernel: str,
    types: Sequence[Attribute],
    arguments: Sequence[Argument],
    keeps_alignment: bool = False,
    names: Sequence[str | None] = (),
) -> tuple[Array, ...]:
    """The values of parameters of `types`; arrays become allocations in `memory`, in place.

    With `keeps_alignment`, addresses equal those of the host modulo `PAGE`, and so have the
    alignment of the arrays. Otherwise arrays have the largest alignment. `names` are the names of
    the arguments, if any, for diagnostics.

    Raises `ArgumentFault` for a wrong number, kind, dtype or range of arguments.
    """
    if len(types) != len(arguments):
        expected = ", ".join(_parameter_text(t) for t in types)
        raise ArgumentFault(
            f"kernel '{kernel}' takes {len(types)} arguments ({expected}), but got {len(arguments)}"
        )
    arrays: dict[_Key, Array] = {}
    values: dict[int, Array] = {}
    for position, (type_, argument) in enumerate(zip(types, arguments, strict=True)):
        what = f"argument {_label(names, position)} of kernel '{kernel}'"
        if element_of(type_) is not POINTER:
            values[position] = _scalar(what, element_of(type_), argument)
        elif isinstance(argument, tuple) and pointee_of(type_).name == "i64":
            arrays.update(((position, n), array) for n, array in enumerate(argument))
        else:
            arrays[position,] = _checked_array(what, type_, argument)
    addresses = _position(memory, arrays, names, keeps_alignment)
    values |= {key[0]: address for key, address in addresses.items() if len(key) == 1}
    for position, argument in enumerate(arguments):
        if isinstance(argument, tuple):
            rows = [
                [int(addresses[position, n]), *array.shape, *_strides(array)]
                for n, array in enumerate(argument)
            ]
            data = np.array(rows, np.int64).reshape(-1).view(np.uint8)
            base = memory.allocate(f"argument {_label(names, position)}", data, writable=False)
            values[position] = np.asarray(base, ADDRESS_DTYPE)
    return tuple(values[position] for position in range(len(types)))


def _strides(array: Array) -> list[int]:
    return [stride // array.itemsize for stride in array.strides]


def _parameter_text(type_: Attribute) -> str:
    if element_of(type_) is POINTER:
        return f"array of {pointee_of(type_).name}"
    return element_of(type_).name


def _checked_array(what: str, type_: Attribute, argument: Argument) -> Array:
    element = pointee_of(type_)
    if not isinstance(argument, np.ndarray):
        raise ArgumentFault(f"{what} must be an array of {element.name}, but got {_text(argument)}")
    if not _holds(argument.dtype, element):
        raise ArgumentFault(
            f"{what} must be an array of {element.name}, but got an array of {argument.dtype}"
        )
    return argument


def _holds(dtype: np.dtype[Any], element: Element) -> bool:
    """Whether an array of `dtype` can hold elements: of the same type, or bits of the same width.

    Two 4-bit elements fill a byte.
    """
    if element.bits < 8:
        return dtype.itemsize == 1 and dtype.kind in "ui"
    if element.dtype == np.bool_ or dtype.kind == "u":
        return dtype.itemsize * 8 == element.bits and dtype.kind in "bui"
    return dtype == element.dtype and dtype.itemsize * 8 == element.bits


def _scalar(what: str, element: Element, argument: Argument) -> Array:
    expected = f"{what} must be a number of type {element.name}"
    value = argument.item() if isinstance(argument, np.generic) else argument
    if isinstance(value, np.ndarray) or not isinstance(value, int | float):
        raise ArgumentFault(f"{expected}, but got {_text(argument)}")
    if element.float_format is not None:
        return np.asarray(value, np.float64).astype(element.dtype)
    width = int(element.name[1:])
    if not isinstance(value, int):
        raise ArgumentFault(f"{expected}, but got {_text(argument)}")
    if not -(1 << (width - 1)) <= value < 1 << width:
        raise ArgumentFault(f"{expected}, but {value} is out of its range")
    return np.asarray(value % (1 << width), np.uint64).astype(element.dtype)


def _text(argument: object) -> str:
    if isinstance(argument, np.ndarray):
        return f"an array of {argument.dtype}"
    if isinstance(argument, tuple):
        return "a list of arrays"
    return f"{argument!r} of type {type(argument).__name__}"


def _position(
    memory: AddressSpace,
    arrays: dict[_Key, Array],
    names: Sequence[str | None],
    keeps_alignment: bool,
) -> dict[_Key, Array]:
    """Allocates the arrays; returns the address of element 0 of each."""
    addresses: dict[_Key, Array] = {}
    for group in _merge_overlapping(arrays):
        length = group.high - group.low
        data = np.ctypeslib.as_array((ctypes.c_uint8 * length).from_address(group.low))
        residue = group.low % PAGE if keeps_alignment and length else 0
        base = memory.allocate(group.name(names), data, group.writable, residue)
        for position in group.positions:
            offset = arrays[position].__array_interface__["data"][0] - group.low
            addresses[position] = np.asarray(base + offset, ADDRESS_DTYPE)
    return addresses


def _merge_overlapping(arrays: dict[_Key, Array]) -> list[_Range]:
    ranges: list[_Range] = []
    for position, array in arrays.items():
        low, high = np.lib.array_utils.byte_bounds(array)
        merged = _Range(low, high if array.size else low, [position], array.flags.writeable)
        apart: list[_Range] = []
        for other in ranges:
            if other.low < merged.high and merged.low < other.high:
                merged = _Range(
                    min(other.low, merged.low),
                    max(other.high, merged.high),
                    sorted(other.positions + merged.positions),
                    other.writable or merged.writable,
                )
            else:
                apart.append(other)
        ranges = [*apart, merged]
    return sorted(ranges, key=lambda r: r.positions[0])
