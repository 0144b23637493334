"""Chooses the tiles of a kernel to slice, the dimension, and the number of slices."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue

from tileir_xdsl.analysis.threads.register_pressure import RegisterPressure
from tileir_xdsl.analysis.values.tile_division import (
    Site,
    TileDimensions,
    extents,
    is_made_anew,
)
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.targets import Target
from tileir_xdsl.targets.agents import THREADS_PER_WARP
from tileir_xdsl.walking import ops_in

from .budget import Budget, expected_pressure, expected_registers
from .phases import NotSliceable, Phases, plan_phases

# Bounds the time; no reference program changes with 3 or 12.
MOST_TILES = 6
"""The most shapes of tiles for which slicings are tried, the largest first."""
MOST_SLICES = 4096
LEAST_ROWS, LEAST_COLUMNS = 64, 32
"""The preferred fewest rows and columns of a slice of a dot."""


@dataclass(frozen=True)
class Slicing:
    """One way to slice the tiles of a kernel.

    Attributes:
        tile: the largest tile that is sliced.
        dim: its dimension that is divided.
        count: the slices, a power of two.
        phases: the loops over slices.
        registers: what the tiles in use then take at least.
    """

    tile: SSAValue
    dim: int
    count: int
    phases: Phases
    registers: int

    @property
    def extent(self) -> int:
        return extents(self.tile)[self.dim]


@dataclass(frozen=True)
class Rejected:
    """A dimension that cannot be sliced, and the reason."""

    tile: SSAValue
    dim: int
    reason: str


def slicings(
    function: nv_tileaa.FuncOp, target: Target, limits: Budget, forced: int | None = None
) -> Iterator[Slicing | Rejected]:
    """The candidate slicings of a kernel, from its largest tiles, rows first.

    With `forced`, into that number of slices, otherwise into the fewest with which tiles reach the
    goal.
    """
    dimensions = TileDimensions.of(function, divides_collectives=True)
    seen: set[frozenset[tuple[Site, int]]] = set()
    for tile in _largest_tiles(function, target):
        for dim, extent in enumerate(extents(tile)):
            if extent == 1:
                continue
            divided = dimensions.divided_with([(tile, dim)])
            if divided is None:
                yield Rejected(tile, dim, "an op needs it as a whole")
                continue
            key = frozenset(divided.items())
            if key in seen:
                continue
            seen.add(key)
            try:
                phases = plan_phases(divided)
            except NotSliceable as error:
                yield Rejected(tile, dim, str(error))
                continue
            yield _sized(function, target, limits, forced, Slicing(tile, dim, 1, phases, 0))


def best(candidates: Sequence[Slicing | Rejected], limits: Budget) -> Slicing | None:
    """The slicing that fits the registers with the fewest loops; among equals, rows before
    columns.
    """
    possible = [
        slicing for slicing in candidates if isinstance(slicing, Slicing) and slicing.count > 1
    ]

    def order(slicing: Slicing) -> tuple[bool, bool, int, int]:
        over = slicing.registers if slicing.registers > limits.held else 0
        # Every loop after the first loads again what it needs.
        return over > 0, _cuts_dots_short(slicing), len(slicing.phases.loops), over

    return min(possible, key=order, default=None)


def _largest_tiles(function: nv_tileaa.FuncOp, target: Target) -> list[SSAValue]:
    """The tiles that need the most registers, in descending order."""
    registers = expected_registers(target)
    tiles: dict[SSAValue, int] = {}
    for op in ops_in(function):
        arguments = [a for region in op.regions for block in region.blocks for a in block.args]
        for value in (*op.results, *arguments):
            # Splats and ranges are computed in each slice, and hold nothing between.
            if isinstance(value.type, TensorType) and not is_made_anew(value):
                tiles[value] = registers(value)
    ordered = sorted(tiles, key=lambda value: -tiles[value])
    return ordered[: MOST_TILES * 4]


def _sized(
    function: nv_tileaa.FuncOp,
    target: Target,
    limits: Budget,
    forced: int | None,
    slicing: Slicing,
) -> Slicing | Rejected:
    """Determines the number of slices of a slicing."""
    divided = slicing.phases.divided
    least = min(extents(site)[dim] for site, dim in divided.items())
    assert function.kernel_spec is not None
    threads = function.kernel_spec.num_warps.data * THREADS_PER_WARP
    # A slice keeps an element for each thread, if the tile has that many.
    smallest = max(1, min(threads * slicing.extent // prod(extents(slicing.tile)), least))
    most = min(least // smallest, MOST_SLICES)
    if forced is not None:
        if least % forced:
            return Rejected(slicing.tile, slicing.dim, f"it has no {forced} equal slices")
        pressure = expected_pressure(function, target, divided, forced)
        return Slicing(slicing.tile, slicing.dim, forced, slicing.phases, pressure.registers)
    count, pressure = 1, RegisterPressure(function, 0)
    while count * 2 <= most and least % (count * 2) == 0:
        count *= 2
        pressure = expected_pressure(function, target, divided, count)
        if pressure.registers <= limits.goal:
            break
    if count == 1:
        return Rejected(slicing.tile, slicing.dim, "its slices would be too small")
    return Slicing(slicing.tile, slicing.dim, count, slicing.phases, pressure.registers)


def _cuts_dots_short(slicing: Slicing) -> bool:
    """Whether slices of a dot have fewer rows or columns than preferred."""
    for site, dim in slicing.phases.divided.items():
        if isinstance(site, SSAValue) and isinstance(site.owner, nv_tileaa.DotOp):
            shape = extents(site)
            least = {len(shape) - 2: LEAST_ROWS, len(shape) - 1: LEAST_COLUMNS}.get(dim, 1)
            if shape[dim] // slicing.count < least:
                return True
    return False
