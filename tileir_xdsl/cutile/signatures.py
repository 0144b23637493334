"""The signature of a cuTile kernel, made from the arguments of a launch; no driver is asked.

What the compiler may count on is what holds for the arguments: the strides of 1, by what sizes,
strides and addresses can be divided, and which arrays share memory. So a launch with other arrays
may need another specialization of the kernel.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np
from numpy.lib.array_utils import byte_bounds

from tileir_xdsl.runtime.binding import LaunchArgument
from tileir_xdsl.runtime.errors import CompileError
from tileir_xdsl.runtime.memory_views import Array, SharedArray, UnsharedError, shared_array

DIVISOR = 16
"""What sizes and strides are divided by, in elements, and addresses, in bytes."""

_INT32 = (-(2**31), 2**31 - 1)

_CT_NAMES = {"bool": "bool_"}
"""How cuTile calls an element type where numpy calls it otherwise."""


@dataclass
class Arguments:
    """The arguments of a launch, as the kernel is compiled for and as it is launched with."""

    signature: Any
    """A `cuda.tile.compilation.KernelSignature`."""
    values: list[LaunchArgument | int | float] = field(
        default_factory=list[LaunchArgument | int | float]
    )
    """The parameters of the compiled kernel: an array is followed by its sizes and strides."""
    names: dict[int, str] = field(default_factory=dict[int, str])
    """The Python names of the arrays, by their positions in `values`."""
    devices: dict[str, int | None] = field(default_factory=dict[str, int | None])
    """The CUDA device of each array by its name, None for the host."""


@dataclass
class _Array:
    """An array argument: its name and memory, how it is annotated, and whom it shares with."""

    name: str
    shared: SharedArray
    annotation: Any
    group: str | None = None


def arguments_of(kernel: Any, arguments: Sequence[object]) -> Arguments:
    """The signature and the parameters of a launch of a `@ct.kernel`.

    Raises CompileError for a wrong number of arguments, for an argument that the parameter cannot
    take, and for arrays whose memory cannot be shared.
    """
    function = kernel._annotated_function
    name = function.pyfunc.__name__
    parameters = list(function.pysig.parameters)
    if len(arguments) != len(parameters):
        listed = ", ".join(parameters)
        raise CompileError(
            name, f"takes {len(parameters)} arguments ({listed}), {len(arguments)} given"
        )
    compilation = import_module("cuda.tile.compilation")
    tree = [
        _classified(argument, node, parameter)
        for argument, node, parameter in zip(
            arguments, function.parameter_annotations, parameters, strict=True
        )
    ]
    arrays = list(_arrays_in(tree))
    _group_by_memory(arrays)
    found = Arguments(None, devices={array.name: array.shared.device for array in arrays})
    try:
        constraints = [_constraint(item, found, compilation) for item in tree]
        found.signature = compilation.KernelSignature(
            constraints, compilation.CallingConvention.cutile_python_v2(), symbol=name
        )
    except (TypeError, ValueError) as error:
        raise CompileError(name, error) from error
    return found


@dataclass(frozen=True)
class _Constant:
    name: str
    value: object


@dataclass(frozen=True)
class _Scalar:
    name: str
    value: int | float
    is_wide: bool


def _classified(argument: Any, node: Any, name: str) -> Any:
    """An argument by what it is: a constant, a number, an array, or a tuple of such."""
    if isinstance(argument, tuple):
        return tuple(
            _classified(item, inner, f"{name}[{place}]")
            for place, (item, inner) in enumerate(
                zip(argument, _nodes(node, len(argument), name), strict=True)
            )
        )
    if node.KIND != "leaf":
        raise CompileError(name, f"expected a tuple, got {type(argument).__name__}")
    if isinstance(argument, np.generic):
        argument = argument.item()
    if node.constant:
        return _Constant(name, argument)
    if isinstance(argument, bool | int | float):
        return _Scalar(name, argument, node.scalar is not None)
    if isinstance(argument, list):
        raise CompileError(name, "lists of arrays are not supported: pass a tuple of them")
    try:
        shared = shared_array(argument)
    except UnsharedError as error:
        raise CompileError(name, error) from error
    if shared is None:
        raise CompileError(
            name,
            "expected an array, a number or a tuple of them (constants are parameters annotated "
            f"ct.Constant), got {type(argument).__name__}",
        )
    return _Array(name, shared, node.array)


def _nodes(node: Any, count: int, name: str) -> Sequence[Any]:
    match node.KIND:
        case "homogeneous_tuple":
            return [node.each] * count
        case "heterogeneous_tuple":
            if len(node.items) != count:
                raise CompileError(name, f"expected a tuple of {len(node.items)}, got {count}")
            return node.items
        case _:
            return [node] * count


def _arrays_in(items: Sequence[Any]) -> Iterator[_Array]:
    for item in items:
        if isinstance(item, _Array):
            yield item
        elif isinstance(item, tuple):
            yield from _arrays_in(item)


def _group_by_memory(arrays: Sequence[_Array]) -> None:
    """Gives arrays that overlap, directly or by way of others, a group in common."""
    placed = sorted(
        ((*byte_bounds(one.shared.array), one) for one in arrays if one.shared.array.size),
        key=lambda place: place[:2],
    )
    together: list[_Array] = []
    end = -1
    for low, high, one in placed:
        if low >= end:
            together = []
        together.append(one)
        end = max(end, high)
        if len(together) > 1:
            for other in together:
                other.group = f"memory{arrays.index(together[0])}"


def _constraint(item: Any, found: Arguments, compilation: Any) -> Any:
    """What the compiler may count on; what the kernel is launched with goes to `found`."""
    match item:
        case tuple():
            return compilation.TupleConstraint(
                [_constraint(inner, found, compilation) for inner in item]
            )
        case _Constant():
            try:
                return compilation.ConstantConstraint(item.value)
            except TypeError:
                given = type(item.value).__name__
                raise CompileError(item.name, f"expected a constant, got {given}") from None
        case _Scalar():
            found.values.append(item.value)
            return compilation.ScalarConstraint(_scalar_type(item))
        case _:
            return _array_constraint(item, found, compilation)


def _scalar_type(scalar: _Scalar) -> Any:
    tile = import_module("cuda.tile")
    if isinstance(scalar.value, float):
        return tile.float32
    if scalar.is_wide:
        return tile.int64
    low, high = _INT32
    if not low <= scalar.value <= high:
        message = f"{scalar.value} has more than 32 bits: annotate the parameter ct.ScalarInt64"
        raise CompileError(scalar.name, message)
    return tile.int32


def _array_constraint(one: _Array, found: Arguments, compilation: Any) -> Any:
    array, annotation = one.shared.array, one.annotation
    tile = import_module("cuda.tile")
    dtype = getattr(tile, _CT_NAMES.get(array.dtype.name, array.dtype.name), None)
    if not isinstance(dtype, tile.DType) or array.dtype.byteorder == ">":
        raise CompileError(one.name, f"Tile IR has no elements of type {array.dtype}")
    shape, strides = array.shape, _strides(one.name, array)
    index = tile.int32 if annotation is None else annotation.index_dtype
    if index is tile.int32 and max((*shape, *strides), default=0) > _INT32[1]:
        message = "has sizes or strides of more than 32 bits: annotate it ct.IndexedWithInt64"
        raise CompileError(one.name, message)
    static_shape = _axes(annotation, "static_shape_dims", array.ndim)
    static_strides = _axes(annotation, "static_stride_dims", array.ndim)
    if not static_strides:
        static_strides = {axis for axis, stride in enumerate(strides) if stride == 1}
    found.names[len(found.values)] = one.name
    found.values += [array, *shape, *strides]
    return compilation.ArrayConstraint(
        dtype,
        array.ndim,
        index_dtype=index,
        stride_lower_bound_incl=0,
        alias_groups=() if one.group is None else (one.group,),
        may_alias_internally=_overlaps_itself(shape, strides),
        stride_constant=[s if axis in static_strides else None for axis, s in enumerate(strides)],
        shape_constant=[n if axis in static_shape else None for axis, n in enumerate(shape)],
        stride_divisible_by=[
            1 if axis in static_strides else _divisor(stride, array.itemsize)
            for axis, stride in enumerate(strides)
        ],
        shape_divisible_by=[
            1 if axis in static_shape else _divisor(extent, array.itemsize)
            for axis, extent in enumerate(shape)
        ],
        base_addr_divisible_by=math.gcd(array.ctypes.data, DIVISOR),
    )


def _strides(name: str, array: Array) -> tuple[int, ...]:
    """The strides in elements. Raises CompileError for those that a view cannot have."""
    for axis, stride in enumerate(array.strides):
        if stride < 0:
            raise CompileError(name, f"has a negative stride in dimension {axis}")
        if stride % array.itemsize:
            message = f"has a stride of {stride} bytes in dimension {axis}, no whole elements"
            raise CompileError(name, message)
    return tuple(stride // array.itemsize for stride in array.strides)


def _axes(annotation: Any, name: str, rank: int) -> set[int]:
    """The axes that an annotation names; cuTile refuses those out of range."""
    named = () if annotation is None else getattr(annotation, name)
    return {axis % rank if rank else axis for axis in named}


def _divisor(value: int, itemsize: int) -> int:
    """16 elements, or 16 bytes, or nothing: few divisors make few specializations."""
    return next((n for n in (DIVISOR, DIVISOR // itemsize) if value and value % n == 0), 1)


def _overlaps_itself(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether two indices may be at one place: a stride within what smaller ones cover."""
    if 0 in shape:
        return False
    covered = 0
    for stride, extent in sorted(zip(strides, shape, strict=True)):
        if extent > 1:
            if stride <= covered:
                return True
            covered += stride * (extent - 1)
    return False
