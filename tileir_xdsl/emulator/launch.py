"""Loading a module and launching its kernels with numpy arguments."""

from __future__ import annotations

import ctypes
import math
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from random import Random
from typing import TextIO

import numpy as np
import numpy.typing as npt
from numpy.lib.array_utils import byte_bounds

from tileir_xdsl.emulator.banks import SharedTraffic
from tileir_xdsl.emulator.clusters import ClusterBarrier, Clusters
from tileir_xdsl.emulator.compile import CompiledKernel
from tileir_xdsl.emulator.errors import WARP_SIZE, EmulatorError, ThreadLocation
from tileir_xdsl.emulator.grid import Grid
from tileir_xdsl.emulator.instructions.table import FORM_TABLE
from tileir_xdsl.emulator.late import LateWork
from tileir_xdsl.emulator.parser import parse_module
from tileir_xdsl.emulator.program import build_program
from tileir_xdsl.emulator.races.detector import RaceDetector
from tileir_xdsl.emulator.register_pool import RegisterPool
from tileir_xdsl.emulator.registers import Extent, Geometry
from tileir_xdsl.emulator.schedule import Counters, Scheduler
from tileir_xdsl.emulator.sparse_arrays import held_ranges
from tileir_xdsl.emulator.state_spaces import MALLOC_BYTES, Heap, Memory, place
from tileir_xdsl.emulator.syntax import Kernel, ModuleSyntax, Parameter
from tileir_xdsl.emulator.tensor_maps import MAP_BYTES, TensorMap
from tileir_xdsl.emulator.tensor_memory import TensorMemory
from tileir_xdsl.emulator.types import Array
from tileir_xdsl.emulator.watch import Watch

Value = npt.NDArray[np.generic] | np.generic | int | float | bytes
Argument = Value | TensorMap

DEFAULT_STEP_LIMIT = 20_000_000
_MAX_THREADS = 1024
_MAX_SHARED = 232_448
_MAX_LOCAL = 512 << 10
_MAX_CLUSTER = 16
_MAX_GRID = (2**31 - 1, 65_535, 65_535)


@dataclass(frozen=True)
class LaunchStatistics:
    """What a launch executed.

    `instructions` counts an instruction once per group of threads that issued it,
    `lane_instructions` once per thread; `divergent_branches` counts the branches at which the
    threads of a group went different ways, `barriers` the arrivals of groups at block barriers.
    `canceled_blocks` are those that others took over. `shared_traffic` is what the instruction of
    each PTX line has asked of shared memory, if races were looked for, else empty.
    """

    blocks: int
    threads_per_block: int
    instructions: int
    lane_instructions: int
    basic_blocks: int
    divergent_branches: int
    barriers: int
    canceled_blocks: int
    shared_traffic: Mapping[int, SharedTraffic]


class Module:
    """A loaded PTX module. Its variables have their initial values at the start of each launch."""

    def __init__(self, text: str) -> None:
        self.syntax: ModuleSyntax = parse_module(text)
        self._variable_sizes = {
            name: variable.size
            for name, variable in self.syntax.variables.items()
            if variable.space in ("global", "const")
        }
        for kernel in self.syntax.kernels.values():
            _check_variables(kernel)
        # Arguments are placed after the variables, so these addresses hold in every launch.
        addresses = {a.name: a.address for a in place(self._variable_sizes)}
        self._compiled = {
            name: CompiledKernel(kernel, build_program(kernel, FORM_TABLE), addresses)
            for name, kernel in self.syntax.kernels.items()
        }

    @property
    def kernels(self) -> Mapping[str, Kernel]:
        return self.syntax.kernels

    def kernel(self, name: str | None) -> Kernel:
        """A kernel by name; without a name, the only one.

        Raises `EmulatorError` when there is no such kernel, or more than one to choose from.
        """
        if name is None:
            if len(self.kernels) != 1:
                known = ", ".join(self.kernels) or "none"
                raise EmulatorError(f"the module does not have exactly one kernel, but: {known}")
            return next(iter(self.kernels.values()))
        found = self.kernels.get(name)
        if found is None:
            known = ", ".join(self.kernels) or "none"
            raise EmulatorError(f"no kernel '{name}' in the module, which has: {known}")
        return found

    def launch(
        self,
        kernel: str | None,
        grid: Sequence[int],
        args: Sequence[Argument],
        *,
        block: Sequence[int] | None = None,
        cluster: Sequence[int] | None = None,
        dynamic_shared: int = 0,
        resident_blocks: int | None = None,
        step_limit: int = DEFAULT_STEP_LIMIT,
        warp_seed: int | None = None,
        late: bool = False,
        races: bool = False,
        self_contained: bool = False,
        output: TextIO | None = None,
        watch: Watch | None = None,
    ) -> LaunchStatistics:
        """Run a kernel on a grid of blocks.

        A numpy array is passed as the address of a device copy, which is written back when the
        kernel has ended, by a fault too; so is the array of a tensor map. Arrays that overlap share
        their copy. A scalar is packed as its parameter's type, `bytes` fill an array parameter.
        `block` defaults to `.reqntid`, and `cluster`, the shape of a cluster in blocks, to
        `.reqnctapercluster`. With `.blocksareclusters` the grid counts clusters. A grid with an
        extent of zero runs nothing. At most `resident_blocks` run at once; by default as many as
        are quick to run, or a quarter of the grid where the kernel cancels launches, so that there
        are some to cancel. `step_limit` bounds the instructions issued. With a `warp_seed` every
        warp runs by itself, in an order that the seed determines: what works only because warps
        alternate fails then. If `late`, asynchronous work is done as late as the kernel allows.
        With `races` accesses to shared and global memory are checked to be ordered, which makes a
        launch a few times slower. A `self_contained` launch is one by cuTile: it gives the kernel a
        grid of tile blocks and its arguments, but no block shape and no dynamic shared memory. What
        the kernel prints goes to `output`, by default the standard output. `watch` ends the launch
        after a time, follows its progress and traces it.

        Raises `EmulatorError` for arguments that do not fit the parameters and for every fault.
        """
        chosen = self.kernel(kernel)
        if self_contained:
            _check_self_contained(chosen, block, cluster, dynamic_shared)
        grid_extent = _extent(grid, "grid")
        block_extent = _block_extent(chosen, block)
        cluster_extent = _cluster_extent(chosen, cluster)
        if "blocksareclusters" in chosen.directives:
            grid_extent = _blocks_of_clusters(chosen, grid_extent, cluster_extent)
        _check_grid(grid_extent)
        _check_whole_clusters(grid_extent, cluster_extent)
        if dynamic_shared < 0 or chosen.shared_size + dynamic_shared > _MAX_SHARED:
            raise EmulatorError(
                f"{chosen.shared_size + dynamic_shared} bytes of shared memory are more than "
                f"a block can have ({_MAX_SHARED})"
            )
        if resident_blocks is not None and resident_blocks < 1:
            raise EmulatorError(f"{resident_blocks} blocks cannot run a kernel")
        if len(args) != len(chosen.parameters):
            raise EmulatorError(
                f"kernel '{chosen.name}' takes {len(chosen.parameters)} arguments, not {len(args)}"
            )
        arrays = _HostArrays.collect(chosen.parameters, args)
        malloced = MALLOC_BYTES if "malloc" in chosen.called else 0
        allocations = place({**self._variable_sizes, **arrays.sizes})
        with _enough_memory():
            heap = Heap(allocations, malloced)
        self._initialise(heap)
        arrays.copy_in(heap)
        parameters = _pack_parameters(chosen, args, arrays, heap)
        counters = Counters()
        compiled = self._compiled[chosen.name]
        shared = (
            max([chosen.shared_size] + [v.offset for v in chosen.variables.values() if v.external])
            + dynamic_shared
        )
        local = chosen.local_size
        none = np.zeros((0, 3), np.int64)
        whole = Geometry(grid_extent, block_extent, none, dynamic_shared, shared, cluster_extent)
        random = None if warp_seed is None else Random(warp_seed)
        detector = RaceDetector(compiled, heap.bytes.size, whole) if races else None
        launched = next(iter(chosen.directives.get("maxnreg", ())), None)
        waiting = Grid(whole, resident_blocks, random, cancels=chosen.cancels_launches)
        try:
            with np.errstate(all="ignore"), _enough_memory():
                while (blocks := waiting.start()) is not None:
                    geometry = replace(whole, blocks=blocks)
                    memory = Memory(heap, geometry, parameters, shared, local)
                    memory.output = output or sys.stdout
                    memory.clusters = Clusters.of(geometry)
                    memory.cluster_barrier = ClusterBarrier(geometry)
                    memory.grid = waiting
                    memory.tensor_memory = TensorMemory(len(blocks))
                    memory.races = detector
                    memory.register_pool = RegisterPool(
                        launched, len(blocks), geometry.columns // WARP_SIZE
                    )
                    if late:
                        memory.late = LateWork(len(blocks), geometry.columns)
                    Scheduler(compiled, memory, geometry, counters, step_limit, random, watch).run()
                    if watch is not None:
                        watch.ended += len(blocks)
                    _check_freed(memory.tensor_memory, blocks)
        finally:
            arrays.copy_out(heap)
        return LaunchStatistics(
            math.prod(grid_extent),
            whole.threads,
            counters.instructions,
            counters.lane_instructions,
            counters.basic_blocks,
            counters.branches_split,
            counters.barriers,
            waiting.canceled,
            {} if detector is None else detector.traffic_by_line(),
        )

    def _initialise(self, heap: Heap) -> None:
        for name in self._variable_sizes:
            variable = self.syntax.variables[name]
            data = bytearray(variable.initial)
            for position, symbol, added in variable.addresses:
                if symbol not in self._variable_sizes:
                    raise EmulatorError(
                        f"'{symbol}' in the initialiser of '{name}' is no global variable",
                        line=variable.line,
                    )
                address = (heap.by_name[symbol].address + added) % 2**64
                data[position : position + 8] = address.to_bytes(8, "little")
            heap.write(heap.by_name[name], bytes(data))


@dataclass(frozen=True)
class _HostArrays:
    """The arrays of a launch by argument index, and where they go on the device.

    `sizes` are the allocations to make, by name. Arrays that overlap on the host share one, so
    that they overlap in the same way on the device; `places` holds the allocation of an argument
    and its byte offset there.
    """

    arrays: Mapping[int, Array]
    names: Mapping[int, str]
    sizes: Mapping[str, int]
    places: Mapping[int, tuple[str, int]]

    @staticmethod
    def collect(parameters: Sequence[Parameter], args: Sequence[Argument]) -> _HostArrays:
        """Find the arrays among the arguments.

        Raises `EmulatorError` for one whose parameter is no address.
        """
        arrays: dict[int, Array] = {}
        names: dict[int, str] = {}
        for index, (parameter, argument) in enumerate(zip(parameters, args, strict=True)):
            name = _argument_name(index, parameter)
            array = _array_of(name, parameter, argument)
            if array is not None:
                if array.dtype.hasobject:
                    raise EmulatorError(f"{name} is not an array of numbers")
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
        return _HostArrays(arrays, names, sizes, places)

    def address(self, index: int, heap: Heap) -> int:
        name, offset = self.places[index]
        array = self.arrays[index]
        return heap.by_name[name].address + offset + array.ctypes.data - byte_bounds(array)[0]

    def copy_in(self, heap: Heap) -> None:
        for index, array in self.arrays.items():
            device, host = self._device_copy(heap, index), _bytes_of(array)
            for held in held_ranges(host):
                device[held] = host[held]

    def copy_out(self, heap: Heap) -> None:
        """Write the device copies back.

        Raises `EmulatorError` when the kernel changed an array that is read-only on the host.
        """
        for index, array in self.arrays.items():
            device, host = self._device_copy(heap, index), _bytes_of(array)
            for held in held_ranges(device):
                if array.flags.writeable:
                    host[held] = device[held]
                elif not np.array_equal(host[held], device[held]):
                    name = self.names[index]
                    raise EmulatorError(f"the kernel wrote to {name}, which is read-only")

    def _device_copy(self, heap: Heap, index: int) -> Array:
        name, offset = self.places[index]
        start = heap.by_name[name].start + offset
        first, last = byte_bounds(self.arrays[index])
        return heap.bytes[start : start + last - first]


def _array_of(name: str, parameter: Parameter, argument: Argument) -> Array | None:
    """The array that an argument passes by address or by a tensor map, if it does.

    Raises `EmulatorError` for one whose parameter cannot take it.
    """
    if isinstance(argument, TensorMap):
        if parameter.size != MAP_BYTES:
            raise EmulatorError(f"{name} has {parameter.size} bytes, a tensor map {MAP_BYTES}")
        return argument.array
    if not isinstance(argument, np.ndarray) or parameter.extent is not None:
        return None
    if parameter.type.bits != 64 or parameter.type.kind == "float":
        raise EmulatorError(f"{name} has type .{parameter.type.name}, which takes no array")
    return argument


def _argument_name(index: int, parameter: Parameter) -> str:
    return f"argument {index} ('{parameter.name}')"


def _bytes_of(array: Array) -> Array:
    """The memory from the first to the last byte of an array, what is between its rows included."""
    first, last = byte_bounds(array)
    return np.ctypeslib.as_array((ctypes.c_uint8 * (last - first)).from_address(first))


def _extent(extents: Sequence[int], what: str) -> Extent:
    if not 1 <= len(extents) <= 3 or any(extent < 0 for extent in extents):
        raise EmulatorError(f"a {what} has one to three extents, none negative: {tuple(extents)}")
    x, y, z = (*extents, 1, 1)[:3]
    return int(x), int(y), int(z)


def _block_extent(kernel: Kernel, block: Sequence[int] | None) -> Extent:
    required = kernel.reqntid
    extent = required if block is None else _extent(block, "block")
    if extent is None:
        raise EmulatorError(
            f"kernel '{kernel.name}' has no .reqntid, so the block shape must be given"
        )
    if required is not None and extent != required:
        raise EmulatorError(
            f"kernel '{kernel.name}' requires blocks of {required} threads, not {extent}"
        )
    threads = math.prod(extent)
    limit = min(_MAX_THREADS, math.prod(kernel.directives.get("maxntid", (_MAX_THREADS,))))
    if not 1 <= threads <= limit:
        raise EmulatorError(
            f"a block of kernel '{kernel.name}' has 1 to {limit} threads, not {threads}"
        )
    return extent


def _check_self_contained(
    kernel: Kernel,
    block: Sequence[int] | None,
    cluster: Sequence[int] | None,
    dynamic_shared: int,
) -> None:
    """Raises `EmulatorError` for a kernel that needs more than a launch with a block of 1x1x1."""
    if block is not None or cluster is not None or dynamic_shared:
        raise EmulatorError(
            "a self-contained launch gives no block or cluster shape and no dynamic shared memory"
        )
    needed = ("reqntid", "reqnctapercluster", "blocksareclusters")
    missing = [f".{directive}" for directive in needed if directive not in kernel.directives]
    if missing:
        raise EmulatorError(
            f"kernel '{kernel.name}' is launched with a block of 1x1x1, which starts one thread: "
            f"it has no {', '.join(missing)}",
            line=kernel.line,
        )
    external = [name for name, variable in kernel.variables.items() if variable.external]
    if external:
        raise EmulatorError(
            f"kernel '{kernel.name}' is launched without dynamic shared memory, "
            f"which its variable '{external[0]}' needs",
            line=kernel.line,
        )


def _cluster_extent(kernel: Kernel, cluster: Sequence[int] | None) -> Extent | None:
    """The shape of a cluster; `None` for a launch without."""
    required = kernel.directives.get("reqnctapercluster")
    extent = None if required is None else _extent(required, "cluster")
    if cluster is not None:
        given = _extent(cluster, "cluster")
        if extent not in (None, given):
            raise EmulatorError(
                f"kernel '{kernel.name}' requires clusters of {extent} blocks, not {given}"
            )
        extent = given
    if extent is None:
        return None
    size = math.prod(extent)
    limit = min([_MAX_CLUSTER, *kernel.directives.get("maxclusterrank", ())])
    if not 1 <= size <= limit:
        raise EmulatorError(f"a cluster has 1 to {limit} blocks, not {size}")
    return extent


def _blocks_of_clusters(kernel: Kernel, grid: Extent, cluster: Extent | None) -> Extent:
    """The grid in blocks of a launch that counts clusters (PTX ISA, `.blocksareclusters`)."""
    if cluster is None or kernel.reqntid is None:
        raise EmulatorError(
            f"kernel '{kernel.name}' has .blocksareclusters, which needs .reqntid and "
            ".reqnctapercluster"
        )
    x, y, z = (extent * blocks for extent, blocks in zip(grid, cluster, strict=True))
    return x, y, z


@contextmanager
def _enough_memory() -> Generator[None]:
    """Raises `EmulatorError` where what a launch needs cannot be had."""
    try:
        yield
    except MemoryError:
        raise EmulatorError("the launch needs more memory than there is") from None


def _check_grid(grid: Extent) -> None:
    if any(extent > most for extent, most in zip(grid, _MAX_GRID, strict=True)):
        raise EmulatorError(f"a grid has at most {_MAX_GRID} blocks, not {grid}")


def _check_variables(kernel: Kernel) -> None:
    """Raises `EmulatorError` for more shared or local variables than a block or thread can have."""
    local = kernel.local_size
    for what, size, most in (
        ("shared variables, a block", kernel.shared_size, _MAX_SHARED),
        ("local variables, a thread", local, _MAX_LOCAL),
    ):
        if size > most:
            raise EmulatorError(
                f"kernel '{kernel.name}' has {size} bytes of {what} at most {most}",
                line=kernel.line,
            )


def _check_whole_clusters(grid: Extent, cluster: Extent | None) -> None:
    if cluster is not None and any(g % c for g, c in zip(grid, cluster, strict=True)):
        raise EmulatorError(f"a grid of {grid} blocks is not made of clusters of {cluster}")


def _check_freed(memory: TensorMemory, blocks: Array) -> None:
    """Raises `EmulatorError` for a block that has ended and still has tensor memory."""
    for number, block in enumerate(blocks.tolist()):
        if count := memory.unfreed(number):
            x, y, z = block
            raise EmulatorError(
                f"the block ends without giving back its {count} columns of tensor memory",
                location=ThreadLocation((x, y, z), 0, 0),
            )


def _pack_parameters(
    kernel: Kernel, args: Sequence[Argument], arrays: _HostArrays, heap: Heap
) -> bytes:
    data = bytearray(kernel.parameter_bytes)
    for index, (parameter, argument) in enumerate(zip(kernel.parameters, args, strict=True)):
        if isinstance(argument, TensorMap):
            packed = argument.encode(arrays.address(index, heap))
        elif index in arrays.arrays:
            packed = arrays.address(index, heap).to_bytes(8, "little")
        else:
            packed = _pack(index, parameter, argument)
        data[parameter.offset : parameter.offset + len(packed)] = packed
    return bytes(data)


def _pack(index: int, parameter: Parameter, argument: Value) -> bytes:
    """The bytes of a scalar or array parameter.

    Raises `EmulatorError` when the argument does not fit the parameter's type.
    """
    name = _argument_name(index, parameter)
    type_ = parameter.type
    if isinstance(argument, bytes | bytearray | np.ndarray):
        if parameter.extent is None:
            raise EmulatorError(f"{name} has type .{type_.name}, not {type(argument).__name__}")
        data = argument.tobytes() if isinstance(argument, np.ndarray) else bytes(argument)
        if len(data) != parameter.size:
            raise EmulatorError(f"{name} has {parameter.size} bytes, not {len(data)}")
        return data
    if parameter.extent is not None:
        raise EmulatorError(f"{name} takes {parameter.size} bytes, not {type(argument).__name__}")
    if isinstance(argument, np.generic):
        kinds = {"unsigned": "iub", "signed": "iub", "float": "fV"}.get(type_.kind, "iubfV")
        if argument.dtype.itemsize != type_.bytes or argument.dtype.kind not in kinds:
            raise EmulatorError(f"{name} has type .{type_.name}, not {argument.dtype}")
        return argument.tobytes()
    if type_.kind == "float":
        with np.errstate(all="ignore"):
            return np.array(float(argument)).astype(type_.dtype).tobytes()
    if isinstance(argument, float):
        raise EmulatorError(f"{name} has type .{type_.name}, not float")
    # Compilers declare integers of either sign as .uN.
    low = -(1 << (type_.bits - 1))
    high = 1 << (type_.bits - 1 if type_.signed else type_.bits)
    if not low <= argument < high:
        raise EmulatorError(f"{name} has type .{type_.name}, which cannot hold {argument}")
    return (argument % (1 << type_.bits)).to_bytes(type_.bytes, "little")
