"""The kernels of a module, as a launch sees them: a name and typed parameters."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.dialects import llvm
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation

from tileir_xdsl.dialects import cuda_tile, nv_tileaa
from tileir_xdsl.runtime.arrays import DTYPES, Argument, Array, is_integer, random_values
from tileir_xdsl.runtime.diagnostics import InputError, operation_location

LaunchArgument = Array | np.generic


@dataclass(frozen=True)
class Parameter:
    """A number of the type `element`, or a pointer to elements of that type.

    `element` is a key of `DTYPES`, or None for a pointer that does not tell what it points to.
    """

    element: str | None
    is_pointer: bool

    def __str__(self) -> str:
        return f"ptr<{self.element or '?'}>" if self.is_pointer else str(self.element)


@dataclass(frozen=True)
class Kernel:
    """A kernel; `location` is where it stands in its file."""

    name: str
    parameters: tuple[Parameter, ...]
    location: str

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.parameters))})"


def _parameter(type: Attribute, location: str) -> Parameter:
    match type:
        case cuda_tile.TileType() if not type.get_shape():
            return _parameter(type.element_type, location)
        case cuda_tile.PointerType():
            return Parameter(str(type.pointee_type), True)
        case nv_tileaa.PointerType():
            return Parameter(str(type.pointee), True)
        case llvm.LLVMPointerType():
            return Parameter(None, True)
        case _ if str(type) in DTYPES:
            return Parameter(str(type), False)
        case _:
            raise InputError(location, f"a kernel parameter of type '{type}' cannot be launched")


def _is_kernel(op: Operation) -> bool:
    match op:
        case cuda_tile.EntryOp():
            return True
        case nv_tileaa.FuncOp():
            return op.kernel_spec is not None
        case llvm.FuncOp():
            return "nvvm.kernel" in op.attributes
        case _:
            return False


def kernels(module: ModuleOp, file: str) -> list[Kernel]:
    """All kernels of a module at any stage, in order; raises InputError for a parameter's type."""
    found: list[Kernel] = []
    for op in module.walk():
        if isinstance(op, cuda_tile.EntryOp | nv_tileaa.FuncOp | llvm.FuncOp) and _is_kernel(op):
            location = operation_location(op, file)
            types = op.body.block.arg_types
            parameters = tuple(_parameter(type, location) for type in types)
            found.append(Kernel(op.sym_name.data, parameters, location))
    return found


def find_kernel(module: ModuleOp, name: str | None, file: str) -> Kernel:
    """The kernel called `name`, or the only one for None; raises InputError without such a one."""
    found = kernels(module, file)
    names = ", ".join(f"'{kernel.name}'" for kernel in found)
    if not found:
        raise InputError(file, "there is no kernel in the file")
    if name is None:
        if len(found) > 1:
            raise InputError(file, f"choose one of the kernels {names} by --kernel")
        return found[0]
    for kernel in found:
        if kernel.name == name:
            return kernel
    raise InputError(file, f"there is no kernel '{name}', only {names}")


def _number(value: float, dtype: np.dtype[Any]) -> np.generic | None:
    """`value` as a scalar of `dtype`; None if it does not fit.  Integers may be unsigned."""
    if not is_integer(dtype):
        return dtype.type(value)
    bits = 1 if dtype.kind == "b" else 8 * dtype.itemsize
    if not isinstance(value, int) or not -(2 ** (bits - 1)) <= value < 2**bits:
        return None
    return np.uint64(value % 2**bits).astype(dtype)


def _bind(parameter: Parameter, argument: Argument) -> LaunchArgument | str:
    """The argument as the kernel takes it, or what is wrong with it."""
    value = argument.value
    dtype = None if parameter.element is None else DTYPES.get(parameter.element)
    if isinstance(value, np.ndarray):
        given = f"an array of {value.dtype}"
        if not parameter.is_pointer:
            return f"a number of type {parameter} is expected, {given} is given"
        # A .npy file keeps only the size of a reduced float, and knows unsigned integers.
        untyped = dtype is not None and value.dtype.kind == "V"
        unsigned = dtype is not None and value.dtype.kind == "u" and is_integer(dtype)
        if dtype is not None and (untyped or unsigned) and value.itemsize == dtype.itemsize:
            return value.view(dtype)
        if dtype is not None and value.dtype != dtype:
            return f"an array of {dtype} ({parameter}) is expected, {given} is given"
        return value
    if parameter.is_pointer:
        return f"an array ({parameter}) is expected, the number {value} is given"
    assert dtype is not None
    number = _number(value, dtype)
    return number if number is not None else f"{value} is no number of type {parameter}"


def bind_arguments(kernel: Kernel, arguments: Sequence[Argument]) -> list[LaunchArgument]:
    """The arguments as the kernel takes them, arrays without a copy.

    Raises InputError on a wrong number of arguments, a wrong element type, or a number that does
    not fit its parameter.
    """
    expected = len(kernel.parameters)
    if len(arguments) != expected:
        raise InputError(
            kernel.location, f"{kernel} takes {expected} arguments, {len(arguments)} given by --arg"
        )
    bound: list[LaunchArgument] = []
    for index, pair in enumerate(zip(kernel.parameters, arguments, strict=True)):
        value = _bind(*pair)
        if isinstance(value, str):
            raise InputError(kernel.location, f"argument {index} of '{kernel.name}': {value}")
        bound.append(value)
    return bound


DEFAULT_ELEMENTS = 1000
"""About how many elements an array of `default_arguments` has: not a multiple of any tile."""


def _default_extent(rank: int) -> int:
    return round(DEFAULT_ELEMENTS ** (1 / max(rank, 1)))


def default_arguments(kernel: Kernel, random: np.random.Generator) -> list[LaunchArgument]:
    """Random arguments by cuTile's calling convention.

    A pointer followed by 2k integers is a row-major array of rank k: pointer, k sizes, k strides.
    All extents are equal, with about 1000 elements in all.  A number elsewhere is random.
    Raises InputError where the integers after a pointer are not an even number.
    """
    parameters = kernel.parameters
    values: list[LaunchArgument] = []
    while len(values) < len(parameters):
        first = len(values)
        parameter = parameters[first]
        dtype = DTYPES.get(parameter.element or "")
        if dtype is None:
            raise InputError(
                kernel.location, f"no default for parameter {first} of {kernel}: give --arg"
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
            raise InputError(
                kernel.location,
                f"sizes and strides of parameter {first} of {kernel} are not clear: give --arg",
            )
        shape = (_default_extent(rank),) * rank
        strides = [math.prod(shape[axis + 1 :]) for axis in range(rank)]
        values.append(random_values(dtype, shape or (DEFAULT_ELEMENTS,), random))
        for integer, value in zip(integers, (*shape, *strides), strict=True):
            values.append(integer.type(value))
    return values
