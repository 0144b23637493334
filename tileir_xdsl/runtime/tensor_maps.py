"""The tensor maps of a launch, made from its other arguments by the recipes of a kernel."""

from collections.abc import Sequence

import numpy as np
from numpy.lib.array_utils import byte_bounds
from numpy.lib.stride_tricks import as_strided

from tileir_xdsl.analysis.access.tma_access import MAX_EXTENT, MAX_STRIDE_BYTES, STRIDE_BYTES
from tileir_xdsl.dialects.nv_tileas.attributes import OutOfBoundsMode, SwizzleMode
from tileir_xdsl.dialects.nv_tileas.tensor_maps import LaunchValue, TensorMapRecipe
from tileir_xdsl.emulator import TensorMap
from tileir_xdsl.emulator.tensor_maps import ELEMENT_TYPES, Swizzle
from tileir_xdsl.runtime.arrays import Array
from tileir_xdsl.runtime.binding import LaunchArgument

SWIZZLE_BYTES: dict[SwizzleMode, Swizzle] = {
    SwizzleMode.NONE: 0,
    SwizzleMode.BYTES_32: 32,
    SwizzleMode.BYTES_64: 64,
    SwizzleMode.BYTES_128: 128,
}


class TensorMapError(ValueError):
    """The arguments of a launch describe an object for which no tensor map can be made."""


def tensor_map(
    recipe: TensorMapRecipe, arguments: Sequence[LaunchArgument | int | float]
) -> TensorMap:
    """The tensor map that a recipe makes from the arguments of a launch.

    Raises TensorMapError for an object that is larger than its array, or that tensor maps do not
    support.
    """
    pointer = recipe.pointer.number
    array = arguments[pointer]
    if not isinstance(array, np.ndarray):
        raise TensorMapError(f"argument {pointer} is not an array")
    order = recipe.order[::-1]
    sizes = [_number(recipe.sizes[dim], arguments) for dim in order]
    strides = [_number(recipe.strides[dim], arguments) * array.itemsize for dim in order]
    return TensorMap(
        _object(pointer, _raw(array), sizes, strides, recipe.outside),
        tuple(recipe.box[dim] for dim in order),
        SWIZZLE_BYTES[recipe.swizzle],
        fills_with_nan=recipe.outside is OutOfBoundsMode.NAN,
    )


def _number(value: LaunchValue, arguments: Sequence[LaunchArgument | int | float]) -> int:
    """A size or stride, which is unsigned."""
    number = value if isinstance(value, int) else arguments[value.number]
    assert not isinstance(number, tuple)
    if isinstance(number, int | float):
        return int(number)
    return int(number.item()) % (1 << (8 * number.itemsize))


def _raw(array: Array) -> Array:
    """The array with an element type of tensor maps, or with the bits of its elements."""
    known = array.dtype.kind != "i" and array.dtype in ELEMENT_TYPES
    return array if known else array.view(f"u{array.itemsize}")


def _object(
    position: int,
    array: Array,
    sizes: Sequence[int],
    strides: Sequence[int],
    outside: OutOfBoundsMode,
) -> Array:
    """The object of a tensor map, as a view of the memory of an array."""
    what = f"the object at argument {position}"
    if any(size > MAX_EXTENT for size in sizes):
        raise TensorMapError(f"{what} has more than {MAX_EXTENT} elements along a dimension")
    if any(stride % STRIDE_BYTES for stride in strides[:-1]):
        raise TensorMapError(f"{what} has a stride that is not a multiple of {STRIDE_BYTES} bytes")
    if any(stride > MAX_STRIDE_BYTES for stride in strides[:-1]):
        raise TensorMapError(f"{what} has a stride of more than {MAX_STRIDE_BYTES} bytes")
    if 0 in sizes:
        return _empty(len(sizes), array, outside)
    last = sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))
    if array.ctypes.data + last + array.itemsize > byte_bounds(array)[1]:
        raise TensorMapError(f"{what} reaches past the end of the array")
    return as_strided(array, sizes, strides, writeable=array.flags.writeable)


def _empty(rank: int, array: Array, outside: OutOfBoundsMode) -> Array:
    """An object of one element, equal to the padding, since extents must be at least one."""
    fill = np.nan if outside is OutOfBoundsMode.NAN else 0
    element = np.full(1, fill, array.dtype)
    return as_strided(element, (1,) * rank, (*(STRIDE_BYTES,) * (rank - 1), array.itemsize))
