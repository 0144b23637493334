"""A kernel that overlaps with its neighbours in the stream: programmatic dependent launch."""

from __future__ import annotations

from typing import Any

from tileir_xdsl.testing.kernels.agreement import Array, Expected
from tileir_xdsl.testing.kernels.case import KernelCase, array, kernel
from tileir_xdsl.testing.kernels.cutile import ConstantConstraint, ct
from tileir_xdsl.testing.kernels.problems import LENGTHS, TILE, three_vectors, tiles_of_length


@kernel
def dependent_launch(weight: Any, x: Any, out: Any, tile: ct.Constant[int]) -> None:
    i = ct.bid(0)
    # The weight does not come from the preceding kernel: it is loaded before the wait.
    w = ct.load(weight, index=(i,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    ct.grid_dependency_control_wait()
    value = ct.load(x, index=(i,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    ct.grid_dependency_control_launch_dependents()
    ct.store(out, index=(i,), tile=w * value)


def reference(weight: Array, x: Array, _out: Array) -> list[Expected]:
    return [Expected(weight * x)]


CASES = (
    KernelCase(
        name="dependent_launch",
        kernel=dependent_launch,
        parameters=(*(array(ct.float32),) * 3, ConstantConstraint(TILE)),
        problems=LENGTHS,
        arguments=three_vectors,
        grid=tiles_of_length,
        reference=reference,
        outputs=(2,),
        since="13.4",
    ),
)
