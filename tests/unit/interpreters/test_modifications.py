"""Atomic modifications of integers against Python's unbounded ones."""

from collections.abc import Callable

import numpy as np
import pytest

from tests.unit.interpreters.integer_oracle import read
from tileir_xdsl.interpreters.address_space import AddressSpace, element_addresses
from tileir_xdsl.interpreters.modifications import modify
from tileir_xdsl.interpreters.numerics import ELEMENTS

UNSIGNED: dict[str, Callable[[int, int], int]] = {
    "add": lambda old, arg: old + arg,
    "and": lambda old, arg: old & arg,
    "dec": lambda old, arg: arg if old == 0 or old > arg else old - 1,
    "inc": lambda old, arg: 0 if old >= arg else old + 1,
    "or": lambda old, arg: old | arg,
    "umax": max,
    "umin": min,
    "xchg": lambda _old, arg: arg,
    "xor": lambda old, arg: old ^ arg,
}
"""Of patterns as unsigned numbers (PTX ISA, atom)."""

SIGNED: dict[str, Callable[[int, int], int]] = {"max": max, "min": min}


@pytest.mark.parametrize("width", [32, 64])
@pytest.mark.parametrize("mode", [*UNSIGNED, *SIGNED])
def test_modifications_of_integers(mode: str, width: int):
    """Every pair of values around zero, the middle and the end."""
    top = 1 << width
    values = (0, 1, 2, 7, top // 2 - 1, top // 2, top // 2 + 1, top - 2, top - 1)
    pairs = [(old, arg) for old in values for arg in values]
    olds, args = (np.array(column, f"u{width // 8}") for column in zip(*pairs, strict=True))
    signed = mode in SIGNED
    change = (SIGNED if signed else UNSIGNED)[mode]
    wanted = [change(*(read(v, width, signed) for v in pair)) % top for pair in pairs]

    memory, element, array = AddressSpace(), ELEMENTS[f"i{width}"], olds.copy()
    base = memory.allocate("array", array.view(np.uint8))
    addresses = element_addresses(np.array(base), np.arange(len(pairs)), element)
    returned = modify(memory, mode, addresses, args.view(element.dtype), element)
    assert returned.view(olds.dtype).tolist() == olds.tolist()
    assert array.tolist() == wanted
