"""Arrays as kernels take them: the numpy type of each element type, arrays of other libraries."""

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
"""How an element type of Tile IR is stored in a numpy array."""


@dataclass(frozen=True)
class Argument:
    """One kernel argument: an array that the kernel works on in place, several, or a number."""

    name: str | None
    value: Array | ArrayList | int | float


def is_integer(dtype: np.dtype[Any]) -> bool:
    """Whether the elements are integers, booleans included."""
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
    """A number, an array on the memory of a numpy array or of one of another library, or several.

    `memory_views` says which arrays have their memory shared. Raises ArgumentError, which names
    `what`, for anything else and for arrays that are not in the memory of the CPU.
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
        raise ArgumentError(what, f"expected {expected} with DLPack, got {given}")
    return shared.array
