"""The registers of all threads of the resident blocks, special registers included.

Every register is an array `[blocks, threads]`; a packed type adds an axis for its elements. Storage
has one view per type it is used with (`Slot`), so reading a `.b32` register as `f32` or `f16x2`
costs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tileir_xdsl.emulator.errors import WARP_SIZE
from tileir_xdsl.emulator.types import TYPES, Array, ScalarType

# Registers and shared memory hold this before they are written: no value a program would expect.
UNINITIALIZED = 0xDB
RANK_SHIFT = 24
"""Bits of a shared-memory address from this number on hold the rank of its block."""

Extent = tuple[int, int, int]


@dataclass(frozen=True)
class Geometry:
    """The shape of a launch, and its resident blocks.

    `cluster` is the shape of a cluster in blocks, `None` without clusters. `blocks` holds the
    coordinates of the resident blocks, `[blocks, 3]`; `columns` is the number of threads of a block
    rounded up to whole warps.
    """

    grid: Extent
    block: Extent
    blocks: Array
    dynamic_shared: int = 0
    total_shared: int = 0
    cluster: Extent | None = None

    @property
    def threads(self) -> int:
        x, y, z = self.block
        return x * y * z

    @property
    def columns(self) -> int:
        return -(-self.threads // WARP_SIZE) * WARP_SIZE

    @property
    def cluster_extent(self) -> Extent:
        """The shape of a cluster; without clusters each block counts as one."""
        return self.cluster or (1, 1, 1)

    @property
    def cluster_size(self) -> int:
        x, y, z = self.cluster_extent
        return x * y * z

    @property
    def ranks(self) -> Array:
        """The rank of each resident block in its cluster, x fastest, `[blocks, 1]`."""
        x, y, _ = self.cluster_extent
        inside = self.blocks % np.array(self.cluster_extent)
        return (inside @ np.array([1, x, x * y]))[:, None]


def _thread(axis: int) -> Callable[[Geometry], Array]:
    def value(geometry: Geometry) -> Array:
        x, y, _ = geometry.block
        linear = np.arange(geometry.columns)
        return (linear, linear // x, linear // (x * y))[axis] % geometry.block[axis]

    return value


def _block_index(axis: int) -> Callable[[Geometry], Array]:
    return lambda geometry: geometry.blocks[:, axis : axis + 1]


def _cluster_index(axis: int) -> Callable[[Geometry], Array]:
    return lambda g: g.blocks[:, axis : axis + 1] // g.cluster_extent[axis]


def _clusters(axis: int) -> Callable[[Geometry], Array]:
    return lambda g: np.array(g.grid[axis] // g.cluster_extent[axis])


def _index_in_cluster(axis: int) -> Callable[[Geometry], Array]:
    return lambda g: g.blocks[:, axis : axis + 1] % g.cluster_extent[axis]


def _lane_mask(select: Callable[[int], int]) -> Callable[[Geometry], Array]:
    masks = np.array([select(lane) & 0xFFFFFFFF for lane in range(WARP_SIZE)])
    return lambda geometry: np.tile(masks, geometry.columns // WARP_SIZE)


def _lane(geometry: Geometry) -> Array:
    return np.arange(geometry.columns) % WARP_SIZE


def _warp(geometry: Geometry) -> Array:
    return np.arange(geometry.columns) // WARP_SIZE


def _constant(value: int) -> Callable[[Geometry], Array]:
    return lambda _: np.array(value)


_AXES = tuple(enumerate("xyz"))
_VECTORS = (
    *("tid", "ntid", "ctaid", "nctaid"),
    *("clusterid", "nclusterid", "cluster_ctaid", "cluster_nctaid"),
)

# PTX ISA, "Special Registers".
_STATIC: Mapping[str, tuple[str, Callable[[Geometry], Array]]] = {
    **{f"%tid.{x}": ("u32", _thread(axis)) for axis, x in _AXES},
    **{f"%ntid.{x}": ("u32", lambda g, a=axis: np.array(g.block[a])) for axis, x in _AXES},
    **{f"%ctaid.{x}": ("u32", _block_index(axis)) for axis, x in _AXES},
    **{f"%nctaid.{x}": ("u32", lambda g, a=axis: np.array(g.grid[a])) for axis, x in _AXES},
    **{f"%clusterid.{x}": ("u32", _cluster_index(axis)) for axis, x in _AXES},
    **{f"%nclusterid.{x}": ("u32", _clusters(axis)) for axis, x in _AXES},
    **{f"%cluster_ctaid.{x}": ("u32", _index_in_cluster(axis)) for axis, x in _AXES},
    **{
        f"%cluster_nctaid.{x}": ("u32", lambda g, a=axis: np.array(g.cluster_extent[a]))
        for axis, x in _AXES
    },
    # The fourth element of these vectors is zero.
    **{f"%{vector}.w": ("u32", _constant(0)) for vector in _VECTORS},
    "%cluster_ctarank": ("u32", lambda g: g.ranks),
    "%cluster_nctarank": ("u32", lambda g: np.array(g.cluster_size)),
    "%is_explicit_cluster": ("pred", lambda g: np.array(g.cluster is not None)),
    "%laneid": ("u32", _lane),
    "%warpid": ("u32", _warp),
    "%nwarpid": ("u32", lambda g: np.array(g.columns // WARP_SIZE)),
    "%smid": ("u32", _constant(0)),
    "%nsmid": ("u32", _constant(1)),
    "%gridid": ("u64", _constant(1)),
    "%lanemask_eq": ("u32", _lane_mask(lambda lane: 1 << lane)),
    "%lanemask_le": ("u32", _lane_mask(lambda lane: (2 << lane) - 1)),
    "%lanemask_lt": ("u32", _lane_mask(lambda lane: (1 << lane) - 1)),
    "%lanemask_ge": ("u32", _lane_mask(lambda lane: -1 << lane)),
    "%lanemask_gt": ("u32", _lane_mask(lambda lane: -2 << lane)),
    "%dynamic_smem_size": ("u32", lambda g: np.array(g.dynamic_shared)),
    "%total_smem_size": ("u32", lambda g: np.array(g.total_shared)),
    "%aggr_smem_size": ("u32", lambda g: np.array(g.total_shared)),
}

# Registers of the driver, the profiler and the system's part of shared memory.
_UNSUPPORTED = re.compile(
    r"%(envreg([12]?\d|3[01])|pm[0-7](_64)?|current_graph_exec"
    r"|reserved_smem_offset_(begin|end|cap|0|1))"
)

# Registers that count time; the emulator's time is the number of issued instructions.
CLOCKS: Mapping[str, str] = {
    "%clock": "u32",
    "%clock_hi": "u32",
    "%clock64": "u64",
    "%globaltimer": "u64",
    "%globaltimer_lo": "u32",
    "%globaltimer_hi": "u32",
}


def is_special_register(name: str) -> bool:
    return name in _STATIC or name in CLOCKS


def is_special_vector(name: str) -> bool:
    """Whether a name such as `%tid` is a vector of four special registers."""
    return name.removeprefix("%") in _VECTORS and name.startswith("%")


def is_unsupported_register(name: str) -> bool:
    """Whether the emulator does not support a special register of the PTX ISA."""
    return _UNSUPPORTED.fullmatch(name) is not None


def special_register_type(name: str) -> ScalarType:
    return TYPES[CLOCKS[name] if name in CLOCKS else _STATIC[name][0]]


def clock_value(name: str, issued: int) -> int:
    """The value of a register of `CLOCKS` after `issued` instructions."""
    shifted = issued >> 32 if name.endswith("_hi") else issued
    return shifted & ((1 << special_register_type(name).bits) - 1)


@dataclass(frozen=True, slots=True)
class Slot:
    """A view of a register as another type, perhaps of its low bits only."""

    register: str
    type: ScalarType


Rectangle = tuple[int, int, int, int]


class RegisterFile:
    """Storage for the registers that a program uses, and their typed views.

    `rectangle((b0, b1, t0, t1))` returns all views restricted to blocks `b0:b1` and thread columns
    `t0:t1`.
    """

    _CACHED_RECTANGLES = 256

    def __init__(
        self,
        slots: Sequence[Slot],
        registers: Mapping[str, ScalarType],
        geometry: Geometry,
    ) -> None:
        self.slots = slots
        self.registers = registers
        self.geometry = geometry
        self.storage: dict[str, Array] = {}
        self.views: list[Array] = []
        self.rectangles: dict[Rectangle, list[Array]] = {}

    def rectangle(self, key: Rectangle) -> list[Array]:
        if len(self.views) != len(self.slots):
            # Basic blocks compile on first use, so slots can appear while a program runs.
            self.views += [self._view(slot) for slot in self.slots[len(self.views) :]]
            self.rectangles.clear()
        found = self.rectangles.get(key)
        if found is None:
            if len(self.rectangles) >= self._CACHED_RECTANGLES:
                self.rectangles.clear()
            b0, b1, t0, t1 = key
            found = [view[b0:b1, t0:t1] for view in self.views]
            self.rectangles[key] = found
        return found

    def _view(self, slot: Slot) -> Array:
        storage = self.storage.get(slot.register)
        if storage is None:
            storage = self._allocate(slot.register)
            self.storage[slot.register] = storage
        return _typed_view(storage, slot.type)

    def _allocate(self, name: str) -> Array:
        shape = (len(self.geometry.blocks), self.geometry.columns)
        if name in _STATIC:
            type_name, compute = _STATIC[name]
            dtype = TYPES[type_name].dtype
            value = np.asarray(compute(self.geometry)).astype(dtype)
            return np.ascontiguousarray(np.broadcast_to(value, shape))
        type_ = self.registers[name]
        if type_.kind == "predicate":
            return np.ones(shape, np.bool_)
        width = min(type_.bytes, 8)
        elements = (type_.bytes // width,) if type_.bytes > 8 else ()
        storage = np.empty((*shape, *elements), f"u{width}")
        storage.view(np.uint8)[...] = UNINITIALIZED
        return storage


def _typed_view(storage: Array, type_: ScalarType) -> Array:
    itemsize = type_.dtype.itemsize
    if storage.dtype == np.bool_:
        return storage
    if storage.ndim == 3:
        # A 128-bit register is two 64-bit elements already.
        return storage if type_.bits == 128 else storage[..., 0].view(type_.dtype)
    if itemsize == storage.itemsize and type_.elements == 1:
        return storage.view(type_.dtype)
    elements = storage.view(type_.dtype).reshape(*storage.shape, storage.itemsize // itemsize)
    return elements[..., 0] if type_.elements == 1 else elements[..., : type_.elements]
