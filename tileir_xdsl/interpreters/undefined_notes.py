"""Accesses of a launch that may leave values undefined, noted where noting costs no time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.ir import Operation

from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.interpreters.views import TileView


@dataclass(frozen=True)
class OutsideTile:
    """The indices of a tile outside of its view, and the extents of the view's index space."""

    indices: tuple[int, ...]
    space: tuple[int, ...]

    def __str__(self) -> str:
        return (
            f"tile {list(self.indices)} is outside of the index space of {list(self.space)} tiles"
        )


@dataclass
class UndefinedNotes:
    """Ops that may have left elements undetermined, and ops that named tiles outside of views."""

    loads: set[Operation] = field(default_factory=set[Operation])
    outside: dict[Operation, OutsideTile] = field(default_factory=dict[Operation, OutsideTile])
    """The first tile outside of its view that each op named."""

    def note_tile(
        self, op: Operation, view: TileView, indices: Sequence[Array], is_load: bool
    ) -> None:
        """Notes an access of the tile of a view at the unsigned `indices`."""
        if is_load and view.padding is None and not view.is_inside(indices):
            self.loads.add(op)
        if op not in self.outside and (tile := outside_tile(view, indices)) is not None:
            self.outside[op] = tile

    def note_mask(self, op: Operation, mask: Array | None) -> None:
        """Notes an op whose result is undefined where the mask is false."""
        if mask is not None and op.results[0].first_use is not None and not mask.all():
            self.loads.add(op)


def outside_tile(view: TileView, indices: Sequence[Array]) -> OutsideTile | None:
    """The tile at unsigned `indices` if it is outside of the index space of its view, else None.

    The positions along a sparse dimension are single elements, not a tile.
    """
    space = view.index_space()
    axes = [axis for axis in range(len(space)) if axis != view.sparse_dim]
    numbers = tuple(int(indices[axis]) for axis in axes)
    extents = tuple(space[axis] for axis in axes)
    if all(n < extent for n, extent in zip(numbers, extents, strict=True)):
        return None
    return OutsideTile(numbers, extents)
