"""What a pack is made of: units of modules, items and arrays, and items from host arrays."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.lib.array_utils import byte_bounds

from bench.pack.devices import PackDevice
from tileir_xdsl.emulator import TensorMap
from tileir_xdsl.runtime.arrays import Array
from tileir_xdsl.runtime.gpu_launching import DeviceArgument, host_bytes

KERNEL_SECONDS, TIMED_SECONDS, TOOL_SECONDS = 5, 60, 120
"""After how long a kernel, a timed item, and a tool count as hanging."""

Item = dict[str, Any]


@dataclass
class Unit:
    """A part of a pack for a device: modules, items, and arrays by archive and name."""

    device: PackDevice
    cubins: dict[str, bytes] = field(default_factory=lambda: dict[str, bytes]())
    ptx: dict[str, str] = field(default_factory=lambda: dict[str, str]())
    items: list[Item] = field(default_factory=list[Item])
    archives: dict[str, dict[str, Array]] = field(
        default_factory=lambda: dict[str, dict[str, Array]]()
    )
    stored: dict[tuple[str, bytes], str] = field(
        default_factory=lambda: dict[tuple[str, bytes], str]()
    )
    """The keys of what is in the archives, by content."""
    made: dict[str, Any] = field(default_factory=lambda: dict[str, Any]())
    """What is known of a module that another item of the unit needs too."""
    notes: list[str] = field(default_factory=list[str])
    """What could not be made, and why."""

    def store(self, archive: str, array: Array) -> str:
        """Keeps the bytes of an array, once; the key that the runner finds them by."""
        arrays = self.archives.setdefault(archive, {})
        # A copy: the array may be a view of memory that is given back before the unit is kept.
        data = np.array(array, order="C").reshape(-1).view(np.uint8)
        content = archive, hashlib.sha256(data.tobytes()).digest()
        if content not in self.stored:
            self.stored[content] = f"{archive}/a{len(arrays)}"
            arrays[f"a{len(arrays)}"] = data
        return self.stored[content]


@dataclass(frozen=True)
class UnitSpec:
    """How a unit is made: a function of a module, called with the device in another process."""

    name: str
    make: Callable[..., Unit]
    arguments: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Program:
    """A kernel of a module, and what its launches ask for."""

    module: str
    kernel: str
    block: tuple[int, int, int]
    shared: int = 0
    cluster: int = 1

    def launch(self, grid: Sequence[int], arguments: Sequence[Item]) -> Item:
        """The launch as the manifest has it."""
        found: Item = {
            "module": self.module,
            "kernel": self.kernel,
            "grid": list(grid),
            "block": list(self.block),
            "shared": self.shared,
            "arguments": list(arguments),
        }
        return found if self.cluster == 1 else {**found, "cluster": [self.cluster, 1, 1]}


@dataclass(frozen=True)
class Output:
    """What an array has to hold afterwards, and how far off it may be.

    `allowed` is what still counts as near: units in the last place, or parts of `magnitude`.
    """

    array: Array
    expected: Array
    error: Array | float = 0.0
    allowed: float = 0.0
    magnitude: Array | None = None


@dataclass
class HostArrays:
    """The arrays of a launch as regions of memory: those that overlap share one."""

    arguments: Sequence[DeviceArgument | bytes]
    regions: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    arrays: list[Array] = field(default_factory=list[Array])

    def __post_init__(self) -> None:
        self.arrays = [
            each.array if isinstance(each, TensorMap) else each
            for each in self.arguments
            if isinstance(each, TensorMap | np.ndarray)
        ]
        for low, high in sorted(byte_bounds(array) for array in self.arrays):
            if self.regions and low < max(self.regions[-1][1], self.regions[-1][0] + 1):
                first, last = self.regions[-1]
                self.regions[-1] = first, max(last, high)
            else:
                self.regions.append((low, high))

    def number(self, array: Array) -> int:
        """The number of an array among those of the item."""
        return next(i for i, each in enumerate(self.arrays) if each is array)

    def like(self, array: Array) -> int:
        """The number of an array at the same place: arguments may be views of what was given."""
        place = array.ctypes.data, array.itemsize, array.shape
        return next(
            i
            for i, each in enumerate(self.arrays)
            if (each.ctypes.data, each.itemsize, each.shape) == place
        )

    def described_arrays(self) -> list[Item]:
        """The arrays as the manifest has them."""
        return [self._placed(array) for array in self.arrays]

    def _placed(self, array: Array) -> Item:
        low, _ = byte_bounds(array)
        region = next(
            i for i, (first, last) in enumerate(self.regions) if first <= low < max(last, first + 1)
        )
        return {
            "region": region,
            "offset": int(array.ctypes.data - self.regions[region][0]),
            "dtype": array.dtype.name,
            "shape": list(array.shape),
            "strides": list(array.strides),
        }

    def described_arguments(self) -> list[Item]:
        """The arguments as the manifest has them."""
        return [self.described(argument) for argument in self.arguments]

    def described(self, argument: DeviceArgument | bytes) -> Item:
        """An argument as the manifest has it; raises a TypeError for a list of arrays."""
        match argument:
            case tuple():
                raise TypeError("a pack does not hold kernels that take a list of arrays")
            case TensorMap():
                return {"map": self._map(argument)}
            case np.ndarray():
                return {"array": self.number(argument)}
            case bytes():
                return {"bytes": argument.hex()}
            case _:
                return {"bytes": argument.tobytes().hex(), "dtype": argument.dtype.name}

    def _map(self, tensor_map: TensorMap) -> Item:
        array = tensor_map.array
        found: Item = {
            "array": self.number(array),
            "dtype": array.dtype.name,
            "shape": list(array.shape),
            "strides": list(array.strides),
            "box": list(tensor_map.box),
            "steps": list(tensor_map.element_strides or (1,) * array.ndim),
            "swizzle": tensor_map.swizzle,
            "nan": tensor_map.fills_with_nan,
        }
        if tensor_map.corners is not None:
            found["corners"] = [list(corner) for corner in tensor_map.corners]
        return found


def checked_item(
    unit: Unit,
    archive: str,
    program: Program,
    grid: Sequence[int],
    arguments: Sequence[DeviceArgument | bytes],
    outputs: Sequence[Output],
    **described: Any,
) -> Item:
    """An item that launches a kernel on these arrays, as they are now, and checks its outputs."""
    host = HostArrays(arguments)
    regions = [
        {"bytes": high - low, "data": unit.store(archive, host_bytes(low, high))}
        for low, high in host.regions
    ]
    checked: list[Item] = []
    for output in outputs:
        error = output.error
        stored = (
            float(error)
            if isinstance(error, float | int)
            else _error(unit, archive, np.broadcast_to(error, output.expected.shape))
        )
        made: Item = {
            "array": host.like(output.array),
            "expected": unit.store(archive, output.expected),
            "error": stored,
        }
        if output.allowed:
            made["allowed"] = output.allowed
        if output.magnitude is not None:
            made["magnitude"] = unit.store(archive, output.magnitude)
        checked.append(made)
    return {
        "kind": "launch",
        "seconds": KERNEL_SECONDS,
        **described,
        "launch": program.launch(grid, host.described_arguments()),
        "regions": regions,
        "arrays": host.described_arrays(),
        "outputs": checked,
    }


def _error(unit: Unit, archive: str, error: Array) -> str:
    """Stores the errors of an array, rounded up to f32, in the shape of the output."""
    single = np.nextafter(np.asarray(error, np.float64).astype(np.float32), np.float32(np.inf))
    return unit.store(archive, single)
