"""`c = a + b` by tiles of a view; the last tile may be partial."""

from __future__ import annotations

from typing import Any

from tileir_xdsl.testing.kernels.agreement import Array, Expected
from tileir_xdsl.testing.kernels.case import KernelCase, array, kernel
from tileir_xdsl.testing.kernels.cutile import ConstantConstraint, ct
from tileir_xdsl.testing.kernels.problems import LENGTHS, TILE, three_vectors, tiles_of_length


@kernel
def vector_add(a: Any, b: Any, c: Any, tile: ct.Constant[int]) -> None:
    i = ct.bid(0)
    x = ct.load(a, index=(i,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    y = ct.load(b, index=(i,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(c, index=(i,), tile=x + y)


def reference(a: Array, b: Array, c: Array) -> list[Expected]:
    return [Expected(a + b)]


CASES = (
    KernelCase(
        name="vector_add",
        kernel=vector_add,
        parameters=(*(array(ct.float32),) * 3, ConstantConstraint(TILE)),
        problems=LENGTHS,
        arguments=three_vectors,
        grid=tiles_of_length,
        reference=reference,
        outputs=(2,),
    ),
)
