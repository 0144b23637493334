"""Layouts written out: tables of every place, for tests to compare with."""

import random
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.layout.shared import AddressMap


def table(bases: Sequence[int]) -> NDArray[np.int64]:
    """The exclusive or of the bases that each index 0, 1, 2, .. selects."""
    index = np.arange(1 << len(bases))
    images = np.zeros(1 << len(bases), np.int64)
    for bit, base in enumerate(bases):
        images ^= (index >> bit & 1) * base
    return images


def addresses_of(addresses: AddressMap) -> NDArray[np.int64]:
    """The bit address of every element, in row-major order."""
    return table(addresses.bases)


def elements_of(layout: LinearLayout) -> NDArray[np.int64]:
    """The element at [warp, lane, register]."""
    warp, lane, register = map(table, (layout.warp, layout.lane, layout.register))
    return warp[:, None, None] ^ lane[None, :, None] ^ register[None, None, :]


def random_layout(
    rng: random.Random, bits: int, register: int, warp: int, *, unit: bool = True
) -> LinearLayout:
    """A surjective layout of 2**bits elements over 2**register registers and 2**warp warps.

    Surplus bits get zero bases. ``unit`` layouts have one element bit per base, others mix them.
    """
    bases = [1 << bit for bit in range(bits)]
    if not unit:
        for _ in range(3 * bits):
            target, source = rng.sample(range(bits), 2)
            bases[target] ^= bases[source]
    places = register + 5 + warp
    assert places >= bits
    bases += [0] * (places - bits)
    rng.shuffle(bases)
    return LinearLayout(
        tuple(bases[:register]),
        tuple(bases[register : register + 5]),
        tuple(bases[register + 5 :]),
        (),
        (1 << bits,),
    )
