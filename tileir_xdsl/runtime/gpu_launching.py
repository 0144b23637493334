"""Launches on a GPU with arrays of the host, which are copied."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.lib.array_utils import byte_bounds

from tileir_xdsl.emulator.arguments import described
from tileir_xdsl.emulator.tensor_maps import TensorMap
from tileir_xdsl.runtime.arrays import Array
from tileir_xdsl.runtime.gpu import DEFAULT_TIMEOUT, GPU, DeviceMemory, GPUKernel, Grid, pack
from tileir_xdsl.runtime.memory_views import ArrayList, arrays_in

DeviceArgument = Array | ArrayList | np.generic | TensorMap
"""An argument for a parameter of a compiled kernel."""


def host_bytes(low: int, high: int) -> Array:
    """The bytes of this process from address `low` to `high`, as an array."""
    return np.ctypeslib.as_array((ctypes.c_uint8 * (high - low)).from_address(low))


@dataclass
class _Region:
    """Host memory from `low` to `high` that arrays share, and its copy on the device."""

    low: int
    high: int
    copy: DeviceMemory | None = None

    @property
    def end(self) -> int:
        """The first address after the region, which has at least one byte for an empty array."""
        return max(self.high, self.low + 1)

    @property
    def bytes(self) -> Array:
        """The memory of the host."""
        return host_bytes(self.low, self.high)


@dataclass
class DeviceArrays:
    """Device copies of the arrays of a launch; arrays that overlap on the host share a copy."""

    gpu: GPU
    regions: list[_Region] = field(default_factory=list[_Region])
    lists: list[DeviceMemory] = field(default_factory=list[DeviceMemory])

    def upload(self, arrays: Sequence[Array]) -> None:
        """Copies the memory of all arrays to the device."""
        for low, high in sorted(byte_bounds(array) for array in arrays):
            if self.regions and low < self.regions[-1].end:
                self.regions[-1].high = max(self.regions[-1].high, high)
            else:
                self.regions.append(_Region(low, high))
        for region in self.regions:
            region.copy = self.gpu.allocate(region.high - region.low)
            region.copy.upload(region.bytes)

    def address(self, array: Array) -> int:
        """The device address of the first element of an array."""
        host = array.ctypes.data
        region = next(r for r in self.regions if r.low <= host < r.end)
        assert region.copy is not None
        return region.copy.address + host - region.low

    def download(self, arrays: Sequence[Array]) -> None:
        """Copies the memory of all writable arrays back to the host."""
        written = [byte_bounds(array)[0] for array in arrays if array.flags.writeable]
        for region in self.regions:
            if region.copy is not None and any(region.low <= low < region.end for low in written):
                region.copy.download(region.bytes)

    def pack(self, arguments: Sequence[DeviceArgument]) -> list[bytes]:
        """The bytes of each kernel parameter."""
        return [_packed(self, argument) for argument in arguments]

    def list_address(self, arrays: ArrayList) -> int:
        """The device address of a new list of the addresses of arrays."""
        contents = list_of_arrays([self.address(array) for array in arrays], arrays)
        self.lists.append(self.gpu.allocate(contents.nbytes))
        self.lists[-1].upload(contents)
        return self.lists[-1].address

    def free(self) -> None:
        """Frees the memory on the device."""
        for region in self.regions:
            if region.copy is not None:
                region.copy.free()
        for memory in self.lists:
            memory.free()


def launch_on_arrays(
    kernel: GPUKernel,
    grid: Grid,
    block: Grid,
    arguments: Sequence[DeviceArgument],
    timeout: float = DEFAULT_TIMEOUT,
) -> None:
    """Runs a kernel on arrays of the host, which are copied to the device and back.

    Raises GPUError for a fault of the launch, and after `timeout` seconds.
    """
    present = arrays_of(arguments)
    copies = DeviceArrays(kernel.gpu)
    try:
        copies.upload(present)
        kernel.launch(grid, block, copies.pack(arguments))
        kernel.gpu.synchronize(timeout)
        copies.download(present)
    finally:
        copies.free()


def arrays_of(arguments: Sequence[DeviceArgument]) -> list[Array]:
    """The arrays that a launch reads or writes."""
    return arrays_in(a.array if isinstance(a, TensorMap) else a for a in arguments)


def list_of_arrays(addresses: Sequence[int], arrays: ArrayList) -> Array:
    """A list of arrays in the format that kernels read, for arrays at the given addresses."""
    rows = [described(*pair) for pair in zip(addresses, arrays, strict=True)]
    return np.array(rows, np.int64)


def _packed(copies: DeviceArrays, argument: DeviceArgument) -> bytes:
    """The bytes of one parameter."""
    match argument:
        case TensorMap():
            return copies.gpu.tensor_map(argument, copies.address(argument.array))
        case np.ndarray():
            return pack(copies.address(argument))
        case tuple():
            return pack(copies.list_address(argument))
        case _:
            return argument.tobytes()
