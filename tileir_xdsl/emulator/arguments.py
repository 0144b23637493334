"""The arguments of a launch: arrays as device copies, tensor maps, and numbers as bytes."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numpy.lib.array_utils import byte_bounds

from tileir_xdsl.emulator.errors import ArgumentFault
from tileir_xdsl.emulator.sparse_arrays import held_ranges
from tileir_xdsl.emulator.state_spaces import Heap
from tileir_xdsl.emulator.syntax import Kernel, Parameter
from tileir_xdsl.emulator.tensor_maps import MAP_BYTES, TensorMap
from tileir_xdsl.emulator.types import Array

Value = npt.NDArray[np.generic] | np.generic | int | float | bytes
Argument = Value | tuple[Array, ...] | TensorMap


@dataclass(frozen=True)
class HostArrays:
    """The arrays of a launch by argument index, and their positions in device memory.

    `sizes` are the bytes of the device allocations, by name. Arrays that overlap on the host share
    one allocation, so that they overlap in the same way on the device. `places` holds the
    allocation of each array and its byte offset in that allocation. `lists` holds the members of
    arguments that are lists of arrays; members are numbered after all arguments.
    """

    arrays: Mapping[int, Array]
    names: Mapping[int, str]
    sizes: Mapping[str, int]
    places: Mapping[int, tuple[str, int]]
    lists: Mapping[int, Sequence[int]]

    @staticmethod
    def collect(
        parameters: Sequence[Parameter], args: Sequence[Argument], called: Sequence[str]
    ) -> HostArrays:
        """Finds the arrays among the arguments; `called` are their names in errors.

        Raises `ArgumentFault` for an array whose parameter is not an address.
        """
        arrays: dict[int, Array] = {}
        names: dict[int, str] = {}
        lists: dict[int, Sequence[int]] = {}
        after = len(args)
        for index, (parameter, argument) in enumerate(zip(parameters, args, strict=True)):
            name = called[index]
            if isinstance(argument, tuple):
                _check_takes_address(name, parameter)
                lists[index], names[index] = range(after, after + len(argument)), name
                arrays.update(enumerate(argument, after))
                names.update((after + n, f"{name}[{n}]") for n in range(len(argument)))
                after += len(argument)
                continue
            array = _array_of(name, parameter, argument)
            if array is not None:
                if array.dtype.hasobject:
                    raise ArgumentFault(f"{name} is not an array of numbers")
                arrays[index], names[index] = array, name
        sizes: dict[str, int] = {}
        places: dict[int, tuple[str, int]] = {}
        current, start, end = "", 0, 0
        bounds = {index: byte_bounds(array) for index, array in arrays.items()}
        for index in sorted(arrays, key=lambda i: bounds[i]):
            first, last = bounds[index]
            if not current or first >= end or not arrays[index].nbytes:
                current, start, end = names[index], first, first
            end = max(end, last)
            sizes[current] = end - start
            places[index] = (current, first - start)
        # In the order of the arguments: where the host has them differs from run to run.
        order = [places[index][0] for index in arrays]
        sizes = {name: sizes[name] for name in dict.fromkeys(order)}
        for index, members in lists.items():
            sizes[names[index]] = sum(len(described(0, arrays[n])) * 8 for n in members)
            places[index] = (names[index], 0)
        return HostArrays(arrays, names, sizes, places, lists)

    def address(self, index: int, heap: Heap) -> int:
        name, offset = self.places[index]
        if index in self.lists:
            return heap.by_name[name].address
        array = self.arrays[index]
        return heap.by_name[name].address + offset + array.ctypes.data - byte_bounds(array)[0]

    def copy_in(self, heap: Heap) -> None:
        for index, array in self.arrays.items():
            device, host = self._device_copy(heap, index), _bytes_of(array)
            for held in held_ranges(host):
                device[held] = host[held]
        for index, members in self.lists.items():
            rows = [described(self.address(n, heap), self.arrays[n]) for n in members]
            heap.write(heap.by_name[self.names[index]], np.array(rows, np.int64).tobytes())

    def copy_out(self, heap: Heap) -> None:
        """Writes the device copies back to the host.

        Raises `ArgumentFault` when the kernel changed an array that is read-only on the host.
        """
        for index, array in self.arrays.items():
            device, host = self._device_copy(heap, index), _bytes_of(array)
            for held in held_ranges(device):
                if array.flags.writeable:
                    host[held] = device[held]
                elif not np.array_equal(host[held], device[held]):
                    name = self.names[index]
                    raise ArgumentFault(f"the kernel wrote to {name}, which is read-only")

    def _device_copy(self, heap: Heap, index: int) -> Array:
        name, offset = self.places[index]
        start = heap.by_name[name].start + offset
        first, last = byte_bounds(self.arrays[index])
        return heap.bytes[start : start + last - first]


def _array_of(name: str, parameter: Parameter, argument: Argument) -> Array | None:
    """The array that an argument passes by address or by a tensor map, if any.

    Raises `ArgumentFault` if the parameter has an unsuitable type.
    """
    if isinstance(argument, TensorMap):
        if parameter.size != MAP_BYTES:
            raise ArgumentFault(
                f"{name} has {parameter.size} bytes, but a tensor map needs {MAP_BYTES}"
            )
        return argument.array
    if not isinstance(argument, np.ndarray) or parameter.extent is not None:
        return None
    _check_takes_address(name, parameter)
    return argument


def _check_takes_address(name: str, parameter: Parameter) -> None:
    if parameter.type.bits != 64 or parameter.type.kind == "float":
        raise ArgumentFault(
            f"{name} has type .{parameter.type.name}, which cannot receive an array"
        )


def described(address: int, array: Array) -> list[int]:
    """The entry for an array in a list of arrays: its address, sizes and strides in elements."""
    return [address, *array.shape, *(stride // array.itemsize for stride in array.strides)]


def _bytes_of(array: Array) -> Array:
    """The memory from the first to the last byte of an array, including gaps between rows."""
    first, last = byte_bounds(array)
    return np.ctypeslib.as_array((ctypes.c_uint8 * (last - first)).from_address(first))


def pack_parameters(
    kernel: Kernel,
    args: Sequence[Argument],
    arrays: HostArrays,
    heap: Heap,
    called: Sequence[str],
    first: int = 0,
) -> bytes:
    """The bytes of a kernel's parameters; raises `ArgumentFault` as `_pack` does.

    The number of the first argument is `first`; `called` are the arguments' names in errors.
    """
    data = bytearray(kernel.parameter_bytes)
    numbered = enumerate(zip(kernel.parameters, args, strict=True), first)
    for index, (parameter, argument) in numbered:
        if isinstance(argument, TensorMap):
            packed = argument.encode(arrays.address(index, heap))
        elif isinstance(argument, tuple) or index in arrays.arrays:
            packed = arrays.address(index, heap).to_bytes(8, "little")
        else:
            packed = _pack(called[index], parameter, argument)
        data[parameter.offset : parameter.offset + len(packed)] = packed
    return bytes(data)


def _pack(name: str, parameter: Parameter, argument: Value) -> bytes:
    """The bytes of a scalar or array parameter.

    Raises `ArgumentFault` when the argument does not fit the parameter's type.
    """
    type_ = parameter.type
    if isinstance(argument, bytes | bytearray | np.ndarray):
        if parameter.extent is None:
            raise ArgumentFault(
                f"{name} has type .{type_.name}, but the argument has type "
                f"{type(argument).__name__}"
            )
        data = argument.tobytes() if isinstance(argument, np.ndarray) else bytes(argument)
        if len(data) != parameter.size:
            raise ArgumentFault(
                f"{name} has {parameter.size} bytes, but the argument has {len(data)}"
            )
        return data
    if parameter.extent is not None:
        raise ArgumentFault(
            f"{name} has {parameter.size} bytes, but the argument has type "
            f"{type(argument).__name__}"
        )
    if isinstance(argument, np.generic):
        kinds = {"unsigned": "iub", "signed": "iub", "float": "fV"}.get(type_.kind, "iubfV")
        # PTX has no type of floats of 8 bits, which compilers declare as .u8.
        kinds = "iubfV" if type_.bits == 8 else kinds
        if argument.dtype.itemsize != type_.bytes or argument.dtype.kind not in kinds:
            raise ArgumentFault(
                f"{name} has type .{type_.name}, but the argument has type {argument.dtype}"
            )
        return argument.tobytes()
    if type_.kind == "float":
        with np.errstate(all="ignore"):
            return np.array(float(argument)).astype(type_.dtype).tobytes()
    if isinstance(argument, float):
        raise ArgumentFault(f"{name} has type .{type_.name}, but the argument has type float")
    # Compilers declare integers of either sign as .uN.
    low = -(1 << (type_.bits - 1))
    high = 1 << (type_.bits - 1 if type_.signed else type_.bits)
    if not low <= argument < high:
        raise ArgumentFault(f"{name} has type .{type_.name}, which cannot hold {argument}")
    return (argument % (1 << type_.bits)).to_bytes(type_.bytes, "little")
