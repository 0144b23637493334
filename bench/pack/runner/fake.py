"""A driver without a device, which enforces the limits of a GPU: the dry run.

It knows of kernels what the manifest says, allocates addresses, and refuses what a driver would
refuse: images that are not the pack's, wrong parameters, blocks, grids and clusters that do not
fit, shared memory that was not asked for, tensor maps that are not aligned, copies outside of an
allocation. Nothing is computed. Source: CUDA driver API; CUDA C++ programming guide, "Compute
Capabilities"; PTX ISA, "Performance-Tuning Directives" and "Cluster Dimension Directives".
"""

from __future__ import annotations

import bisect
import ctypes
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bench.pack.runner.clock import Clock
from bench.pack.runner.driver import (
    ATTRIBUTES,
    DYNAMIC_SHARED_ATTRIBUTE,
    NON_PORTABLE_CLUSTER_ATTRIBUTE,
    NOT_FOUND,
    NOT_READY,
    DriverError,
    LaunchConfig,
    MapFields,
)

MAX_THREADS, MAX_BLOCK, MAX_GRID = 1024, (1024, 1024, 64), (2**31 - 1, 65535, 65535)
STATIC_SHARED = 48 * 1024
PORTABLE_CLUSTER, LARGEST_CLUSTER = 8, 16
MAX_PARAMETER_BYTES = 32764
ALIGNMENT = 256

ELEMENT_BYTES = (1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4)
SWIZZLE_SPANS = (0, 32, 64, 128)
MAX_MAP_RANK, MAX_MAP_BOX, MAX_MAP_PIXELS = 5, 256, 1024
FLOAT_ELEMENTS = (6, 7, 8, 9)

REHEARSALS = (
    *("no-gpu", "other-gpu", "old-driver"),
    *("fault:KERNEL", "hang:KERNEL", "refuse:KERNEL", "crash:KERNEL", "stuck:KERNEL"),
)
"""What the fake driver can be told to do: a kernel, which may be MODULE/KERNEL, fails, hangs, is
refused, ends the process, or its launch never returns."""


STATUSES = {"hang": NOT_READY, "fault": "CUDA_ERROR_ILLEGAL_ADDRESS"}


@dataclass(frozen=True)
class Rehearsal:
    """What the fake driver does wrong: as a machine, and by kernel."""

    machine: frozenset[str] = frozenset()
    kernels: Mapping[str, str] = field(default_factory=lambda: dict[str, str]())

    @staticmethod
    def parse(text: str) -> Rehearsal:
        """What is separated by commas."""
        words = [word.partition(":") for word in text.split(",")]
        kernels = {name: what for what, colon, name in words if colon}
        return Rehearsal(frozenset(word for word, colon, _ in words if not colon), kernels)

    def of(self, kernel: FakeKernel) -> str:
        """What a kernel does wrong, if anything."""
        place = f"{kernel.module}/{kernel.name}"
        return self.kernels.get(place, self.kernels.get(kernel.name, ""))


INVALID_VALUE, NO_BINARY = "CUDA_ERROR_INVALID_VALUE", "CUDA_ERROR_NO_BINARY_FOR_GPU"


@dataclass
class FakeKernel:
    """What the manifest says about launches of a kernel, and what was set of it."""

    name: str
    parameters: Sequence[Sequence[int]] = ()
    """Offset and size of each."""
    block: Sequence[int] | None = None
    cluster: Sequence[int] | None = None
    grid_counts_clusters: bool = False
    static_shared: int = 0
    dynamic_shared: int = STATIC_SHARED
    non_portable: bool = False
    module: str = ""


@dataclass
class FakeApi:
    """See Api. `known` gives name and kernels of an image of the pack, as the manifest has them, or
    None for any other image. Nothing is said of kernels of another compiler.

    `capability` and `limits` are those of the GPU that is imitated, as a manifest has them.
    """

    known: Callable[[bytes], tuple[str, Mapping[str, Any]] | None]
    capability: str
    limits: Mapping[str, int]
    rehearsal: Rehearsal
    clock: Clock
    costs: Mapping[str, float]
    seconds: Mapping[tuple[Any, ...], float]
    """Of launches, by MODULE/KERNEL and grid, where they are known."""
    busy: float = 0.0
    """The moment until which the device works."""
    events: dict[int, float] = field(default_factory=lambda: dict[int, float]())
    allocations: dict[int, int] = field(default_factory=lambda: dict[int, int]())
    starts: list[int] = field(default_factory=lambda: list[int]())
    modules: dict[int, dict[str, FakeKernel] | None] = field(
        default_factory=lambda: dict[int, dict[str, FakeKernel] | None]()
    )
    names: dict[int, str] = field(default_factory=lambda: dict[int, str]())
    """Of modules."""
    functions: dict[int, FakeKernel] = field(default_factory=lambda: dict[int, FakeKernel]())
    free: int = ALIGNMENT
    used: int = 0
    handles: int = 0
    capturing: int = 0
    """The stream that is captured, if any."""
    graphs: dict[int, list[tuple[int, ...]]] = field(
        default_factory=lambda: dict[int, list[tuple[int, ...]]]()
    )
    """The launches of each graph, by streams that are captured, graphs, and executable graphs."""
    status: str = ""
    """What the stream answers; empty when all work is done."""

    def device_name(self) -> str:
        """See Api."""
        return "no device (dry run)"

    def call(self, function: str, *inputs: Any) -> Any:
        """See Api."""
        entry = getattr(self, f"_{function.removesuffix('_v2')}", None)
        if entry is None:
            raise DriverError(function, NOT_FOUND)
        try:
            return entry(*inputs)
        except FakeRefusal as refusal:
            raise DriverError(function, f"{refusal.status} ({refusal})") from refusal

    def _handle(self) -> int:
        self.handles += 1
        return self.handles

    # Device and context.

    def _cuInit(self, _flags: int) -> None:
        if "no-gpu" in self.rehearsal.machine:
            raise FakeRefusal("no device is there", "CUDA_ERROR_NO_DEVICE")

    def _cuDriverGetVersion(self) -> int:
        return 12010 if "old-driver" in self.rehearsal.machine else 13000

    def _cuDeviceGetCount(self) -> int:
        return 1

    def _cuDeviceGet(self, number: int) -> int:
        return number

    def _cuDeviceGetAttribute(self, attribute: int, _device: int) -> int:
        major, minor = map(int, self.capability.split("."))
        values = {"major": major, "minor": minor, **self.limits}
        if "other-gpu" in self.rehearsal.machine:
            values |= {"major": 8, "minor": 0}
        return next(values[k] for k, number in ATTRIBUTES.items() if number == attribute)

    def _cuDeviceTotalMem(self, _device: int) -> int:
        return self.limits["memory_bytes"]

    def _cuDevicePrimaryCtxRetain(self, _device: int) -> int:
        return self._handle()

    def _cuCtxSetCurrent(self, _context: int) -> None:
        """There is one context."""

    # Memory.

    def _cuMemAlloc(self, size: int) -> int:
        _refuse_unless(size > 0, "no bytes are asked for")
        if self.used + size > self.limits["memory_bytes"]:
            raise FakeRefusal(f"{self.used + size} bytes", "CUDA_ERROR_OUT_OF_MEMORY")
        address = self.free
        self.allocations[address] = size
        bisect.insort(self.starts, address)
        self.used += size
        # A gap after each, so that what runs over an end is no access to the next one.
        self.free += (size // ALIGNMENT + 2) * ALIGNMENT
        return address

    def _cuMemFree(self, address: int) -> None:
        _refuse_unless(address in self.allocations, f"{address:#x} is no allocation")
        self.used -= self.allocations.pop(address)
        self.starts.remove(address)

    def _check_range(self, address: int, size: int) -> None:
        position = bisect.bisect_right(self.starts, address) - 1
        start = self.starts[position] if position >= 0 else 0
        end = start + self.allocations.get(start, 0)
        _refuse_unless(
            position >= 0 and start <= address and address + size <= end,
            f"{size} bytes at {address:#x} are not within an allocation",
        )

    def _copied(self, size: int, cost: str) -> None:
        """The host waits for a copy, which begins when the device is done."""
        self.clock.reach(self.busy)
        self.clock.charge(size * self.costs[cost])

    def _works(self, seconds: float) -> None:
        """The device works on something after all else."""
        self.busy = max(self.busy, self.clock.now()) + seconds

    def _cuMemcpyHtoD(self, to: int, _host: int, size: int) -> None:
        self._check_range(to, size)
        self._copied(size, "copy_byte")

    def _cuMemcpyDtoH(self, host: int, at: int, size: int) -> None:
        self._check_range(at, size)
        ctypes.memset(host, 0, size)
        self._copied(size, "copy_byte")

    def _cuMemcpyDtoD(self, to: int, at: int, size: int) -> None:
        self._check_range(to, size)
        self._check_range(at, size)
        self._works(2 * size * self.costs["memory_byte"])

    def _cuMemsetD8Async(self, to: int, _value: int, size: int, _stream: int) -> None:
        self._check_range(to, size)
        self._works(size * self.costs["memory_byte"])

    # Modules.

    def _cuModuleLoadData(self, address: int) -> int:
        image = image_at(address)
        found = self.known(image)
        if found is None:
            raise FakeRefusal("no image of this pack", "CUDA_ERROR_INVALID_IMAGE")
        name, described = found
        self.clock.charge(self.costs["module"])
        handle = self._handle()
        self.names[handle] = name
        # What images of other compilers hold is not known.
        kernels = {name: FakeKernel(name, **each) for name, each in described.items()}
        self.modules[handle] = kernels or None
        for kernel in kernels.values():
            _refuse_unless(
                sum(size for _, size in kernel.parameters) <= MAX_PARAMETER_BYTES,
                f"{kernel.name} has more than {MAX_PARAMETER_BYTES} bytes of parameters",
            )
        return handle

    def _cuModuleUnload(self, module: int) -> None:
        del self.modules[module]

    def _cuModuleGetFunction(self, module: int, name: bytes) -> int:
        kernels, wanted = self.modules[module], name.decode()
        _refuse_unless(kernels is None or wanted in kernels, f"no kernel {wanted}", NOT_FOUND)
        handle = self._handle()
        unknown = FakeKernel(wanted)
        self.functions[handle] = unknown if kernels is None else kernels[wanted]
        kernel = self.functions[handle]
        # Both kinds of shared memory share what a block has without asking.
        kernel.dynamic_shared = max(0, STATIC_SHARED - kernel.static_shared)
        kernel.module = self.names[module]
        _refuse_unless(self.rehearsal.of(kernel) != "refuse", "as rehearsed", NO_BINARY)
        return handle

    def _cuFuncSetAttribute(self, function: int, attribute: int, value: int) -> None:
        kernel = self.functions[function]
        if attribute == DYNAMIC_SHARED_ATTRIBUTE:
            size = kernel.static_shared + value
            _refuse_unless(
                size <= self.limits["shared_bytes_opt_in"], f"{size} bytes of shared memory"
            )
            kernel.dynamic_shared = value
        if attribute == NON_PORTABLE_CLUSTER_ATTRIBUTE:
            kernel.non_portable = bool(value)

    def _cuFuncGetParamInfo(self, function: int, index: int) -> Sequence[int]:
        parameters = self.functions[function].parameters
        if not parameters:
            raise FakeRefusal("parameters are not known", NOT_FOUND)
        _refuse_unless(index < len(parameters), f"no parameter {index}")
        return parameters[index]

    def encode_map(self, fields: MapFields) -> bytes:
        """See Api."""
        row = fields.box[0] * ELEMENT_BYTES[fields.element]
        span, rank = SWIZZLE_SPANS[fields.swizzle], len(fields.extents)
        limits = (MAX_MAP_BOX,) * rank if fields.corners is None else (MAX_MAP_BOX, MAX_MAP_PIXELS)
        rules = (
            (1 <= rank <= MAX_MAP_RANK, "the rank is not 1 to 5"),
            (fields.corners is None or rank >= 3, "im2col takes 3 to 5 dimensions"),
            (
                len(fields.box) == len(limits) and len(fields.strides) == rank - 1,
                "the lists differ in length",
            ),
            (fields.address % 16 == 0, "the address is no multiple of 16"),
            (all(1 <= each <= 1 << 32 for each in fields.extents), "an extent is not 1 to 2**32"),
            (
                all(s % 16 == 0 and 0 < s < 1 << 40 for s in fields.strides),
                "a stride is no multiple of 16 below 2**40",
            ),
            (
                all(1 <= each <= most for each, most in zip(fields.box, limits, strict=True)),
                "a box is too large, or empty",
            ),
            (all(1 <= step <= 8 for step in fields.steps), "an element stride is not 1 to 8"),
            (row % 16 == 0, "a row of the box is no multiple of 16 bytes"),
            (span == 0 or row <= span, "a row of the box is longer than the swizzle"),
            (
                not fields.nan or fields.element in FLOAT_ELEMENTS,
                "integers cannot be filled with NaN",
            ),
        )
        for holds, problem in rules:
            if not holds:
                raise DriverError(fields.function, f"{INVALID_VALUE} ({problem})")
        self._check_range(fields.address, 1)
        return bytes(128)

    # Launches.

    def _cuLaunchKernel(self, function: int, *inputs: int) -> None:
        kernel = self.functions[function]
        grid, block, (shared, stream, parameters, _) = inputs[:3], inputs[3:6], inputs[6:]
        self._check_shapes(kernel, grid, block)
        _refuse_unless(
            kernel.static_shared <= STATIC_SHARED,
            f"{kernel.static_shared} bytes of static shared memory",
        )
        _refuse_unless(
            shared <= kernel.dynamic_shared
            and kernel.static_shared + shared <= self.limits["shared_bytes_opt_in"],
            f"{shared} bytes of dynamic shared memory were not asked for",
        )
        if kernel.parameters:
            _refuse_unless(parameters != 0, "no parameters are given")
        if stream:
            _refuse_unless(stream == self.capturing, f"no stream {stream}")
            self.graphs[stream].append((function, *inputs))
            return
        self._works(self._seconds_of(function, grid))
        what = self.rehearsal.of(kernel)
        if what == "crash":
            ctypes.string_at(0)
        if what == "stuck":
            self.clock.sleep(math.inf)
        if what in STATUSES:
            self.status = STATUSES[what]

    def _seconds_of(self, function: int, grid: Sequence[int]) -> float:
        kernel = self.functions[function]
        place = f"{kernel.module}/{kernel.name}"
        return self.seconds.get((place, *grid), self.costs["kernel"])

    def _cuLaunchKernelEx(self, address: int, function: int, parameters: int, extra: int) -> None:
        config = LaunchConfig.from_address(address)
        kernel = self.functions[function]
        own, kernel.cluster = kernel.cluster, tuple(config.attributes[0].value[:3])
        _refuse_unless(own in (None, kernel.cluster), f"clusters of {own} are required")
        shape = (*config.grid, *config.block, config.shared)
        try:
            self._cuLaunchKernel(function, *shape, config.stream or 0, parameters, extra)
        finally:
            kernel.cluster = own

    def _check_shapes(self, kernel: FakeKernel, grid: Sequence[int], block: Sequence[int]) -> None:
        _refuse_unless(
            all(1 <= extent <= most for extent, most in zip(grid, MAX_GRID, strict=True)),
            f"a grid of {tuple(grid)}",
        )
        threads = block[0] * block[1] * block[2]
        fits = all(1 <= extent <= most for extent, most in zip(block, MAX_BLOCK, strict=True))
        _refuse_unless(fits and threads <= MAX_THREADS, f"a block of {tuple(block)}")
        single = kernel.grid_counts_clusters and tuple(block) == (1, 1, 1)
        _refuse_unless(
            kernel.block is None or tuple(block) == tuple(kernel.block) or single,
            f"a block of {tuple(block)}, not {kernel.block}",
        )
        if kernel.cluster is None:
            return
        size = kernel.cluster[0] * kernel.cluster[1] * kernel.cluster[2]
        most = LARGEST_CLUSTER if kernel.non_portable else PORTABLE_CLUSTER
        _refuse_unless(size <= most, f"clusters of {size}", "CUDA_ERROR_INVALID_CLUSTER_SIZE")
        whole = all(g % c == 0 for g, c in zip(grid, kernel.cluster, strict=True))
        _refuse_unless(
            kernel.grid_counts_clusters or whole,
            f"a grid of {tuple(grid)} of clusters of {kernel.cluster}",
        )

    def _cuStreamQuery(self, _stream: int) -> None:
        if self.status:
            raise FakeRefusal("as rehearsed", self.status)
        _refuse_unless(self.clock.now() >= self.busy, "the device works", NOT_READY)

    # Graphs.

    def _cuStreamCreate(self, _flags: int) -> int:
        return self._handle()

    def _cuStreamDestroy(self, stream: int) -> None:
        _refuse_unless(stream != self.capturing, "the stream is captured")

    def _cuStreamBeginCapture(self, stream: int, _mode: int) -> None:
        _refuse_unless(stream != 0, "the default stream cannot be captured")
        self.capturing, self.graphs[stream] = stream, []

    def _cuStreamEndCapture(self, stream: int) -> int:
        _refuse_unless(stream == self.capturing, "the stream is not captured")
        self.capturing = 0
        return self._graph(stream)

    def _graph(self, source: int) -> int:
        handle = self._handle()
        self.graphs[handle] = self.graphs[source]
        return handle

    def _cuGraphInstantiateWithFlags(self, graph: int, _flags: int) -> int:
        return self._graph(graph)

    def _cuGraphLaunch(self, executable: int, stream: int) -> None:
        for function, *inputs in self.graphs[executable]:
            inputs[7] = stream
            self._cuLaunchKernel(function, *inputs)

    def _cuGraphDestroy(self, graph: int) -> None:
        del self.graphs[graph]

    def _cuGraphExecDestroy(self, executable: int) -> None:
        del self.graphs[executable]

    # Events.

    def _cuEventCreate(self, _flags: int) -> int:
        return self._handle()

    def _cuEventRecord(self, event: int, _stream: int) -> None:
        self.events[event] = max(self.busy, self.clock.now())

    def _cuEventElapsedTime(self, first: int, last: int) -> float:
        return 1000 * (self.events[last] - self.events[first])

    def _cuEventDestroy(self, event: int) -> None:
        del self.events[event]


class FakeRefusal(Exception):
    """Why the fake driver refuses a call, and with which status."""

    def __init__(self, problem: str, status: str = INVALID_VALUE) -> None:
        super().__init__(problem)
        self.status = status


def _refuse_unless(holds: bool, problem: str, status: str = INVALID_VALUE) -> None:
    if not holds:
        raise FakeRefusal(problem, status)


def image_at(address: int) -> bytes:
    """The ELF file at an address, whose header says where its sections end."""
    header = ctypes.string_at(address, 64)
    if header[:4] != b"\x7fELF":
        return header
    size, count = (int.from_bytes(header[at : at + 2], "little") for at in (0x3A, 0x3C))
    segments, segment_size, segment_count = (
        int.from_bytes(header[at : at + n], "little") for at, n in ((0x20, 8), (0x36, 2), (0x38, 2))
    )
    sections = int.from_bytes(header[0x28:0x30], "little")
    end = max(len(header), sections + size * count, segments + segment_size * segment_count)
    return ctypes.string_at(address, end)
