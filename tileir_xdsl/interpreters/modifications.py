"""Atomic modifications of memory, by their names in Tile IR."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tileir_xdsl.interpreters import float_operations as floats
from tileir_xdsl.interpreters import integer_operations as integers
from tileir_xdsl.interpreters.address_space import AddressSpace
from tileir_xdsl.interpreters.errors import ExecutionError
from tileir_xdsl.interpreters.numerics import Array, Element, FloatFormat


def _above(first: Array, second: Array) -> Array:
    return integers.as_unsigned(first) > integers.as_unsigned(second)


_INTEGER_MODIFICATIONS: dict[str, Callable[[Array, Array], Array]] = {
    "add": integers.add,
    "and": np.bitwise_and,
    "dec": lambda old, arg: np.where((old == 0) | _above(old, arg), arg, old - old.dtype.type(1)),
    "inc": lambda old, arg: np.where(_above(arg, old), old + old.dtype.type(1), old & 0),
    "max": lambda old, arg: integers.maximum(old, arg, signed=True),
    "min": lambda old, arg: integers.minimum(old, arg, signed=True),
    "or": np.bitwise_or,
    "umax": lambda old, arg: integers.maximum(old, arg, signed=False),
    "umin": lambda old, arg: integers.minimum(old, arg, signed=False),
    "xor": np.bitwise_xor,
}

_FLOAT_MODIFICATIONS: dict[str, Callable[[Array, Array, FloatFormat], Array]] = {
    "add": floats.add,
    "addf": floats.add,
    "max": floats.maximum,
    "min": floats.minimum,
}


def modify(
    memory: AddressSpace,
    mode: str,
    addresses: Array,
    arg: Array,
    element: Element,
    mask: Array | None = None,
) -> Array:
    """Changes each element at `addresses` to `mode(element, arg)`; returns the old ones.

    Each element is changed in a separate transaction; those at one address follow in row-major
    order. Sums of floats round to nearest even. Raises ExecutionError for a mode that the element
    type does not have.
    """
    args = arg.reshape(-1)
    float_format = element.float_format
    modes = _INTEGER_MODIFICATIONS if float_format is None else _FLOAT_MODIFICATIONS
    if mode != "xchg" and mode not in modes:
        raise ExecutionError(
            f"atomic operation {mode} is not defined for elements of type {element.name}"
        )

    def change(old: Array, where: Array) -> Array:
        if mode == "xchg":
            return args[where]
        if float_format is None:
            return _INTEGER_MODIFICATIONS[mode](old, args[where])
        return _FLOAT_MODIFICATIONS[mode](old, args[where], float_format)

    return memory.update(addresses, change, element, mask)


def compare_and_swap(
    memory: AddressSpace,
    addresses: Array,
    compared: Array,
    replacement: Array,
    element: Element,
    mask: Array | None = None,
) -> Array:
    """Replaces each element whose bits equal those of `compared`; returns the old elements.

    Where `mask` is false the result is `compared`.
    """
    bits = np.dtype(f"u{element.dtype.itemsize}")
    wanted, new = compared.reshape(-1), replacement.reshape(-1)

    def change(old: Array, where: Array) -> Array:
        return np.where(old.view(bits) == wanted[where].view(bits), new[where], old)

    old = memory.update(addresses, change, element, mask)
    return old if mask is None else np.where(mask, old, compared)
