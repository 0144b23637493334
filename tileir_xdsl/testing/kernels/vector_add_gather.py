"""`c = a + b` by gather and scatter with indices, masked at the end of the arrays."""

from __future__ import annotations

from typing import Any

from tileir_xdsl.testing.kernels.agreement import Array, Expected
from tileir_xdsl.testing.kernels.case import KernelCase, array, kernel
from tileir_xdsl.testing.kernels.cutile import ConstantConstraint, ct
from tileir_xdsl.testing.kernels.problems import LENGTHS, TILE, three_vectors, tiles_of_length


@kernel
def vector_add_gather(a: Any, b: Any, c: Any, tile: ct.Constant[int]) -> None:
    indices = ct.bid(0) * tile + ct.arange(tile, dtype=ct.int32)
    x = ct.gather(a, indices)
    y = ct.gather(b, indices)
    ct.scatter(c, indices, x + y)


def reference(a: Array, b: Array, c: Array) -> list[Expected]:
    return [Expected(a + b)]


CASES = (
    KernelCase(
        name="vector_add_gather",
        kernel=vector_add_gather,
        parameters=(*(array(ct.float32),) * 3, ConstantConstraint(TILE)),
        problems=LENGTHS,
        arguments=three_vectors,
        grid=tiles_of_length,
        reference=reference,
        outputs=(2,),
    ),
)
