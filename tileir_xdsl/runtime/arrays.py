"""Arrays as arguments of kernels: numpy types of elements, and arrays of other libraries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from tileir_xdsl.dialects.cuda_tile.stored_elements import NUMPY_DTYPES
from tileir_xdsl.runtime.errors import ArgumentError
from tileir_xdsl.runtime.memory_views import ArrayList, UnsharedError, shared_array

Array = npt.NDArray[Any]

DTYPES: Mapping[str, np.dtype[Any]] = {
    # Two f4E2M1FN make a byte, and numpy lacks fnv8E5M3FNU: a caller has no array of them.
    name: dtype
    for name, dtype in NUMPY_DTYPES.items()
    if name not in ("f4E2M1FN", "fnv8E5M3FNU")
}
"""The numpy type that stores each element type of Tile IR."""


@dataclass(frozen=True)
class Argument:
    """A kernel argument: one or several arrays, which the kernel updates in place, or a number."""

    name: str | None
    value: Array | ArrayList | int | float


def is_integer(dtype: np.dtype[Any]) -> bool:
    """Whether elements of a type are integers or booleans."""
    return dtype.kind in "iub"


def random_values(
    dtype: np.dtype[Any], shape: tuple[int, ...], random: np.random.Generator
) -> Array:
    """Floats of the standard normal distribution, small integers of both signs, or booleans."""
    if dtype.kind == "b":
        return random.integers(0, 2, shape).astype(dtype)
    if is_integer(dtype):
        return random.integers(-100, 101, shape).astype(dtype)
    return random.standard_normal(shape).astype(dtype)


def as_argument(value: object, what: str) -> Array | ArrayList | int | float:
    """A number, or one or several arrays that share the memory of a caller's arrays.

    `memory_views` lists the supported libraries. Raises ArgumentError, which names `what`, for
    other values and for arrays outside of the CPU's memory.
    """
    match value:
        case int() | float():
            return value
        case np.generic():
            return value.item()
        case list() | tuple():
            members = cast(Sequence[object], value)
            return tuple(
                _as_array(each, f"{what}[{n}]", "an array") for n, each in enumerate(members)
            )
        case _:
            return _as_array(value, what, "a number or an array")


def _as_array(value: object, what: str, expected: str) -> Array:
    try:
        shared = shared_array(value, host_only=True)
    except UnsharedError as error:
        raise ArgumentError(what, error) from None
    if shared is None:
        given = type(value).__name__
        raise ArgumentError(what, f"expected {expected} that supports DLPack, got {given}")
    return shared.array
