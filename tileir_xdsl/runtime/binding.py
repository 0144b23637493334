"""Converts the arguments of a caller to those of a kernel.

The parameters of a kernel are numbers and pointers. In cuTile's calling convention an array is
passed as a pointer, its sizes, and its strides in elements. A list of arrays is passed as a pointer
and its length. A caller may pass pointers, sizes, strides and lengths, or only arrays and lists.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from xdsl.ir import Block, Operation, SSAValue

from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.runtime.argument_facts import divisors, written_parameters
from tileir_xdsl.runtime.arrays import DTYPES, Argument, Array, is_integer, random_values
from tileir_xdsl.runtime.errors import ArgumentError
from tileir_xdsl.runtime.kernels import Kernel, Parameter
from tileir_xdsl.runtime.memory_views import ArrayList

LaunchArgument = Array | ArrayList | np.generic
"""The value that a parameter is bound to."""


def _number(value: float, dtype: np.dtype[Any]) -> np.generic | None:
    """`value` as a scalar of `dtype`; None if it does not fit.  Integers may be unsigned."""
    if not is_integer(dtype):
        try:
            # Beyond the largest float is infinity.
            with np.errstate(over="ignore"):
                return dtype.type(value)
        except OverflowError:
            return None
    bits = 1 if dtype.kind == "b" else 8 * dtype.itemsize
    if not isinstance(value, int) or not -(2 ** (bits - 1)) <= value < 2**bits:
        return None
    return np.uint64(value % 2**bits).astype(dtype)


def _bind(parameter: Parameter, argument: Argument) -> LaunchArgument | str:
    """The value of a parameter for an argument, or a message about what is wrong with it."""
    value = argument.value
    dtype = None if parameter.element is None else DTYPES.get(parameter.element)
    if isinstance(value, tuple):
        if not parameter.is_pointer or parameter.element not in (None, "i64"):
            return f"{parameter} is expected, a list of arrays is given"
        return value
    if isinstance(value, np.ndarray):
        given = f"an array of {value.dtype}"
        if not parameter.is_pointer:
            return f"a number of type {parameter} is expected, {given} is given"
        # Bits of any type: a .npy file keeps only the size of a reduced float.
        bits = dtype is not None and value.dtype.kind in "Vu" and value.itemsize == dtype.itemsize
        if dtype is not None and bits:
            return value.view(dtype)
        if dtype is not None and value.dtype != dtype:
            return f"an array of {dtype} ({parameter}) is expected, {given} is given"
        return value
    if parameter.is_pointer:
        return f"an array ({parameter}) is expected, the number {value} is given"
    assert dtype is not None
    number = _number(value, dtype)
    return number if number is not None else f"{value} is not a number of type {parameter}"


def bind_arguments(kernel: Kernel, arguments: Sequence[Argument]) -> list[LaunchArgument]:
    """The values of all parameters of a kernel; arrays are not copied.

    If there are fewer arguments than parameters, arrays supply sizes and strides. Raises
    ArgumentError on a wrong number of arguments, a wrong element type, and a number that does not
    fit its parameter. ArgumentError is also raised for an array with strides that the kernel
    neither receives nor was compiled for. In Tile IR, addresses and numbers must be multiples of
    their assumed divisors, and arrays that the kernel writes must not be read-only.
    """
    given = _expanded(kernel, arguments)
    expected = len(kernel.parameters)
    if len(given) != expected:
        raise ArgumentError(
            kernel.location, f"{kernel} takes {expected} arguments, {len(arguments)} given"
        )
    bound: list[LaunchArgument] = []
    for index, pair in enumerate(zip(kernel.parameters, given, strict=True)):
        value = _bind(*pair)
        if isinstance(value, str):
            raise ArgumentError(kernel.location, f"{_called(kernel, given, index)}: {value}")
        bound.append(value)
    _check_layouts(kernel, given, bound)
    if kernel.block is not None and isinstance(kernel.block.parent_op(), cuda_tile.EntryOp):
        _check_facts(kernel, kernel.block, given, bound)
    return bound


def named_arguments(
    names: Sequence[str], values: Sequence[Array | ArrayList | int | float]
) -> list[Argument]:
    """The values, in order, with their parameter names in the source of the kernel.

    If there are more values than names, sizes and strides follow each array.
    """
    given, found = iter(names), list[Argument]()
    following: list[str] = []
    for value in values:
        name = following.pop(0) if following else next(given, None)
        found.append(Argument(name, value))
        if name is not None and len(values) > len(names) and not isinstance(value, int | float):
            following = _names_after(name, value)
    return found


def argument_names(kernel: Kernel, arguments: Sequence[Argument]) -> tuple[str | None, ...]:
    """The names of the values that `bind_arguments` returns."""
    return tuple(argument.name for argument in _expanded(kernel, arguments))


def _expanded(kernel: Kernel, arguments: Sequence[Argument]) -> list[Argument]:
    fewer = len(arguments) < len(kernel.parameters)
    return list(_with_sizes_and_strides(kernel, arguments) if fewer else arguments)


def _called(kernel: Kernel, arguments: Sequence[Argument], index: int) -> str:
    """The description of an argument, by its name or its number."""
    name = arguments[index].name
    return f"argument {index if name is None else name} of '{kernel.name}'"


def _check_facts(
    kernel: Kernel, block: Block, given: Sequence[Argument], bound: Sequence[LaunchArgument]
) -> None:
    """Raises ArgumentError for an argument that violates an assumption of the kernel."""
    for number, divisor in divisors(block).items():
        value, what = bound[number], _called(kernel, given, number)
        if isinstance(value, np.ndarray):
            if value.size and value.ctypes.data % divisor:
                message = f"{what} is not aligned to {divisor} bytes, as the kernel assumes"
                raise ArgumentError(kernel.location, message)
        elif not isinstance(value, tuple) and int(value) % divisor:
            message = f"{what} is {value}, where the kernel assumes a multiple of {divisor}"
            raise ArgumentError(kernel.location, message)
    for number in sorted(written_parameters(block)):
        value = bound[number]
        if isinstance(value, np.ndarray) and not value.flags.writeable:
            what = _called(kernel, given, number)
            raise ArgumentError(kernel.location, f"{what} is read-only, but the kernel writes it")


def _is_integer_parameter(parameter: Parameter) -> bool:
    dtype = DTYPES.get(parameter.element or "")
    return not parameter.is_pointer and dtype is not None and is_integer(dtype)


def _numbers_after(value: Array | ArrayList) -> tuple[int, ...]:
    """The numbers that follow an array's pointer in cuTile's calling convention."""
    return (len(value),) if isinstance(value, tuple) else _sizes_and_strides(value)


def _names_after(name: str, value: Array | ArrayList) -> list[str]:
    if isinstance(value, tuple):
        return [f"len({name})"]
    return [f"{name}.{part}[{axis}]" for part in ("shape", "strides") for axis in range(value.ndim)]


def _sizes_and_strides(array: Array) -> tuple[int, ...]:
    return (*array.shape, *(stride // max(array.itemsize, 1) for stride in array.strides))


def _with_sizes_and_strides(kernel: Kernel, arguments: Sequence[Argument]) -> Iterator[Argument]:
    """`arguments` with each array followed by the sizes and strides that the kernel takes."""
    position = 0
    for argument in arguments:
        yield argument
        position += 1
        if not isinstance(argument.value, int | float):
            numbers = _numbers_after(argument.value)
            following = kernel.parameters[position : position + len(numbers)]
            if len(following) == len(numbers) and all(map(_is_integer_parameter, following)):
                name, none = argument.name, [None] * len(numbers)
                names = none if name is None else _names_after(name, argument.value)
                yield from map(Argument, names, numbers)
                position += len(numbers)


def _check_layouts(
    kernel: Kernel, given: Sequence[Argument], bound: Sequence[LaunchArgument]
) -> None:
    """Raises ArgumentError for an array whose strides or sizes do not fit the kernel."""
    for index, value in enumerate(bound):
        if not isinstance(value, np.ndarray):
            continue
        wanted = _sizes_and_strides(value)
        numbers = bound[index + 1 : index + 1 + len(wanted)]
        told = tuple(x.item() for x in numbers if isinstance(x, np.generic)) == wanted
        what = _called(kernel, given, index)
        if not told and not value.flags.c_contiguous:
            raise ArgumentError(
                kernel.location,
                f"{what} is not contiguous, and the kernel does not receive its strides",
            )
        if told and kernel.block is not None:
            _check_fixed_layout(kernel, what, kernel.block.args[index], value)


def _check_fixed_layout(kernel: Kernel, what: str, pointer: SSAValue, array: Array) -> None:
    """Checks an array against the sizes and strides that are constants of the kernel."""
    rank = array.ndim
    actual = _sizes_and_strides(array)
    for view in _views_of(pointer):
        fixed = (*view.view_type.get_shape(), *view.view_type.get_strides())
        if len(fixed) != len(actual):
            continue
        for position, (extent, wanted) in enumerate(zip(actual, fixed, strict=True)):
            is_stride = position >= rank
            matters = not is_stride or array.shape[position - rank] > 1
            if wanted >= 0 and extent != wanted and matters:
                name = "stride" if is_stride else "size"
                raise ArgumentError(
                    kernel.location,
                    f"{what} has {name} {extent} in dimension {position % rank}, but the kernel "
                    f"is compiled for {wanted}",
                )


def _views_of(pointer: SSAValue) -> Iterator[cuda_tile.MakeTensorViewOp]:
    """The tensor views made from a pointer, also through assumptions about it."""
    for use in pointer.uses:
        op: Operation = use.operation
        match op:
            case cuda_tile.MakeTensorViewOp() if op.base is pointer:
                yield op
            case cuda_tile.AssumeOp():
                yield from _views_of(op.result)
            case _:
                pass


DEFAULT_ELEMENTS = 1000
"""The approximate size of an array of `default_arguments`: not a multiple of any tile."""


def _default_extent(rank: int) -> int:
    return round(DEFAULT_ELEMENTS ** (1 / max(rank, 1)))


def default_arguments(kernel: Kernel, random: np.random.Generator) -> list[LaunchArgument]:
    """Random arguments by cuTile's calling convention.

    A pointer followed by 2k integers is a row-major array of rank k: pointer, k sizes, k strides.
    All extents of an array are equal, with about 1000 elements in total. Numbers outside of arrays
    are random. Raises ArgumentError if an odd number of integers follows a pointer.
    """
    parameters = kernel.parameters
    values: list[LaunchArgument] = []
    while len(values) < len(parameters):
        first = len(values)
        parameter = parameters[first]
        dtype = DTYPES.get(parameter.element or "")
        if dtype is None:
            raise ArgumentError(
                kernel.location, f"parameter {first} of {kernel} has no default value: pass --arg"
            )
        if not parameter.is_pointer:
            values.append(random_values(dtype, (), random)[()])
            continue
        integers: list[np.dtype[Any]] = []
        for following in parameters[first + 1 :]:
            integer = DTYPES.get(following.element or "")
            if following.is_pointer or integer is None or not is_integer(integer):
                break
            integers.append(integer)
        rank, odd = divmod(len(integers), 2)
        if odd:
            raise ArgumentError(
                kernel.location,
                f"sizes and strides of parameter {first} of {kernel} cannot be guessed: pass --arg",
            )
        shape = (_default_extent(rank),) * rank
        strides = [math.prod(shape[axis + 1 :]) for axis in range(rank)]
        values.append(random_values(dtype, shape or (DEFAULT_ELEMENTS,), random))
        for integer, value in zip(integers, (*shape, *strides), strict=True):
            values.append(integer.type(value))
    return values
