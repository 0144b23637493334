"""The signature of a cuTile kernel, made from the arguments of a launch without a CUDA driver.

The compiler may rely on facts of the arguments: strides of 1, divisors of sizes, strides and
addresses, and which arrays share memory. A launch with other arrays may therefore need another
specialization of the kernel.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from itertools import chain
from typing import Any, cast

import numpy as np
from numpy.lib.array_utils import byte_bounds

from tileir_xdsl.analysis.iteration_space.overlaps import overlaps_itself
from tileir_xdsl.runtime.errors import ArgumentError
from tileir_xdsl.runtime.memory_views import (
    Array,
    ArrayList,
    SharedArray,
    UnsharedError,
    shared_array,
)

DIVISOR = 16
"""The divisor to test: of sizes and strides in elements, of addresses in bytes."""

_INT32 = (-(2**31), 2**31 - 1)

_CT_NAMES = {"bool": "bool_"}
"""cuTile's names of the element types that it names differently from NumPy."""


@dataclass
class Arguments:
    """The arguments of a launch, and the signature for which the kernel is compiled."""

    signature: Any
    """A `cuda.tile.compilation.KernelSignature`."""
    values: list[Array | ArrayList | int | float] = field(
        default_factory=list[Array | ArrayList | int | float]
    )
    """The parameters of the compiled kernel: an array is followed by its sizes and strides, a list
    of arrays by its length."""
    names: list[str] = field(default_factory=list[str])
    """The Python names of the arrays, lists of arrays and numbers, in order."""
    devices: dict[str, int | None] = field(default_factory=dict[str, int | None])
    """The CUDA device of each array by its name, None for the host."""


@dataclass
class _Array:
    """An array argument: its memory, its annotation, and the group of arrays that share memory."""

    name: str
    owner: str
    """The parameter that is this array, or has it as a member."""
    shared: SharedArray
    annotation: Any
    cluster: int | None = None
    """The number of the group of arrays that overlap this array; None if there are none."""
    group: str | None = None
    """The name of the group if its arrays belong to several parameters, otherwise None."""


@dataclass(frozen=True)
class _List:
    """A list of arrays of the same element type and rank."""

    members: Sequence[_Array]

    @property
    def groups(self) -> Sequence[str]:
        """The groups of memory that members share with other parameters."""
        return sorted({one.group for one in self.members if one.group is not None})

    @property
    def overlaps(self) -> bool:
        """Whether two members share memory."""
        clusters = [one.cluster for one in self.members if one.cluster is not None]
        return len(set(clusters)) < len(clusters)


def arguments_of(kernel: Any, arguments: Sequence[object]) -> Arguments:
    """The signature and the parameters of a launch of a `@ct.kernel`.

    Raises ArgumentError for a wrong number of arguments, an argument of a wrong kind, and an array
    whose memory is not accessible.
    """
    function = kernel._annotated_function
    name = function.pyfunc.__name__
    parameters = list(function.pysig.parameters)
    if len(arguments) != len(parameters):
        listed = ", ".join(parameters)
        raise ArgumentError(
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
        raise ArgumentError(name, error) from None
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
    """Classifies an argument: a constant, a number, an array, or a list or tuple of these."""
    if isinstance(argument, tuple):
        return tuple(
            _classified(item, inner, f"{name}[{place}]")
            for place, (item, inner) in enumerate(
                zip(argument, _nodes(node, len(argument), name), strict=True)
            )
        )
    if node.KIND != "leaf":
        raise ArgumentError(name, f"expected a tuple, got {type(argument).__name__}")
    if isinstance(argument, np.generic):
        argument = argument.item()
    if node.constant:
        return _Constant(name, argument)
    if isinstance(argument, bool | int | float):
        return _Scalar(name, argument, node.scalar is not None)
    if isinstance(argument, list):
        annotation = None if node.list is None else node.list.element
        return _listed(cast(list[object], argument), annotation, name)
    return _array(argument, node.array, name, name)


def _listed(arguments: Sequence[object], annotation: Any, name: str) -> _List:
    members = [_array(each, annotation, f"{name}[{n}]", name) for n, each in enumerate(arguments)]
    if not members:
        raise ArgumentError(name, "expected a list of at least one array, got an empty list")
    first, *others = (one.shared.array for one in members)
    for one, array in zip(members[1:], others, strict=True):
        if (array.dtype, array.ndim) != (first.dtype, first.ndim):
            raise ArgumentError(
                one.name,
                f"expected an array of {first.dtype} and rank {first.ndim} as at {name}[0], got "
                f"{array.dtype} and rank {array.ndim}",
            )
    return _List(members)


def _array(argument: object, annotation: Any, name: str, owner: str) -> _Array:
    try:
        shared = shared_array(argument)
    except UnsharedError as error:
        raise ArgumentError(name, error) from None
    if shared is None:
        raise ArgumentError(
            name,
            "expected an array, a number, or a list or tuple of arrays (a constant needs "
            f"a parameter annotated ct.Constant), got {type(argument).__name__}",
        )
    return _Array(name, owner, shared, annotation)


def _nodes(node: Any, count: int, name: str) -> Sequence[Any]:
    match node.KIND:
        case "homogeneous_tuple":
            return [node.each] * count
        case "heterogeneous_tuple":
            if len(node.items) != count:
                raise ArgumentError(
                    name, f"expected a tuple of {len(node.items)} elements, got {count}"
                )
            return node.items
        case _:
            return [node] * count


def _arrays_in(items: Sequence[Any]) -> Iterator[_Array]:
    for item in items:
        if isinstance(item, _Array):
            yield item
        elif isinstance(item, _List):
            yield from item.members
        elif isinstance(item, tuple):
            yield from _arrays_in(item)


def _group_by_memory(arrays: Sequence[_Array]) -> None:
    """Numbers the groups of arrays that overlap, directly or through other arrays."""
    placed = sorted(
        ((*byte_bounds(one.shared.array), one) for one in arrays if one.shared.array.size),
        key=lambda place: place[:2],
    )
    clusters: list[list[_Array]] = []
    end = -1
    for low, high, one in placed:
        if low >= end:
            clusters.append([])
        clusters[-1].append(one)
        end = max(end, high)
    for number, together in enumerate(clusters):
        several = len({one.owner for one in together}) > 1
        for one in together:
            one.cluster, one.group = number, f"memory{number}" if several else None


def _constraint(item: Any, found: Arguments, compilation: Any) -> Any:
    """The facts on which the compiler may rely; adds names and values of the argument to
    `found`.
    """
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
                raise ArgumentError(
                    item.name,
                    f"expected a value that cuTile takes as a constant, got one of type {given}",
                ) from None
        case _Scalar():
            found.names.append(item.name)
            found.values.append(item.value)
            return compilation.ScalarConstraint(_scalar_type(item))
        case _List():
            found.names.append(item.members[0].owner)
            found.values += [tuple(one.shared.array for one in item.members), len(item.members)]
            return compilation.ListConstraint(
                _array_constraint(item.members, item.groups, compilation),
                alias_groups=(),
                elements_may_alias=item.overlaps,
            )
        case _:
            array = item.shared.array
            found.names.append(item.name)
            found.values += [array, *array.shape, *_strides(item)]
            groups = () if item.group is None else (item.group,)
            return _array_constraint([item], groups, compilation)


def _scalar_type(scalar: _Scalar) -> Any:
    tile = import_module("cuda.tile")
    if isinstance(scalar.value, float):
        return tile.float32
    if scalar.is_wide:
        return tile.int64
    low, high = _INT32
    if not low <= scalar.value <= high:
        message = f"{scalar.value} has more than 32 bits: annotate the parameter ct.ScalarInt64"
        raise ArgumentError(scalar.name, message)
    return tile.int32


def _array_constraint(arrays: Sequence[_Array], groups: Sequence[str], compilation: Any) -> Any:
    """The facts about an array, or about all members of a list."""
    one, array = arrays[0], arrays[0].shared.array
    annotation, rank, itemsize = one.annotation, array.ndim, array.itemsize
    tile = import_module("cuda.tile")
    dtype = getattr(tile, _CT_NAMES.get(array.dtype.name, array.dtype.name), None)
    if not isinstance(dtype, tile.DType) or array.dtype.byteorder == ">":
        raise ArgumentError(
            one.name, f"elements of type {array.dtype} are not available in Tile IR"
        )
    shapes = [each.shared.array.shape for each in arrays]
    strides = [_strides(each) for each in arrays]
    index = tile.int32 if annotation is None else annotation.index_dtype
    for each, *numbers in zip(arrays, shapes, strides, strict=True):
        if index is tile.int32 and max(chain(*numbers), default=0) > _INT32[1]:
            message = "has sizes or strides of more than 32 bits: annotate it ct.IndexedWithInt64"
            raise ArgumentError(each.name, message)
    by_axis, steps = list(zip(*shapes, strict=True)), list(zip(*strides, strict=True))
    static_shape = _axes(annotation, "static_shape_dims", rank)
    static_strides = _axes(annotation, "static_stride_dims", rank)
    if not static_strides:
        static_strides = {axis for axis, values in enumerate(steps) if set(values) == {1}}
    shape_constant = _constants(by_axis, static_shape)
    stride_constant = _constants(steps, static_strides)
    return compilation.ArrayConstraint(
        dtype,
        rank,
        index_dtype=index,
        stride_lower_bound_incl=0,
        alias_groups=groups,
        may_alias_internally=any(map(overlaps_itself, shapes, strides)),
        stride_constant=stride_constant,
        shape_constant=shape_constant,
        stride_divisible_by=_divisors(steps, stride_constant, itemsize),
        shape_divisible_by=_divisors(by_axis, shape_constant, itemsize),
        base_addr_divisible_by=math.gcd(DIVISOR, *(a.shared.array.ctypes.data for a in arrays)),
    )


_Axes = Sequence[tuple[int, ...]]
"""For each axis, the sizes (or the strides) of all arrays of a list along it."""


def _constants(axes: _Axes, static: Container[int]) -> list[int | None]:
    """For each axis, the number known at compile time: in `static`, and equal in all arrays."""
    return [
        values[0] if axis in static and len(set(values)) == 1 else None
        for axis, values in enumerate(axes)
    ]


def _divisors(axes: _Axes, constants: Sequence[int | None], itemsize: int) -> list[int]:
    return [
        1 if constant is not None else min(_divisor(value, itemsize) for value in values)
        for values, constant in zip(axes, constants, strict=True)
    ]


def _strides(one: _Array) -> tuple[int, ...]:
    """The strides in elements. Raises ArgumentError for negative and fractional strides."""
    array = one.shared.array
    for axis, stride in enumerate(array.strides):
        if stride < 0:
            raise ArgumentError(one.name, f"has a negative stride in dimension {axis}")
        if stride % array.itemsize:
            raise ArgumentError(
                one.name,
                f"has, in dimension {axis}, a stride of {stride} bytes, "
                "which is not a multiple of the element size",
            )
    return tuple(stride // array.itemsize for stride in array.strides)


def _axes(annotation: Any, name: str, rank: int) -> set[int]:
    """The axes that an annotation names; cuTile checks their range."""
    named = () if annotation is None else getattr(annotation, name)
    return {axis % rank if rank else axis for axis in named}


def _divisor(value: int, itemsize: int) -> int:
    """The divisor to compile for: 16 elements, 16 bytes or 1. Few divisors need few
    specializations.
    """
    return next((n for n in (DIVISOR, DIVISOR // itemsize) if value and value % n == 0), 1)
