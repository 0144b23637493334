"""Memory objects and their views, in the program of one thread."""

from dataclasses import dataclass

from xdsl.ir import SSAValue

from .builder import Index


@dataclass(frozen=True)
class MemRef:
    """A strided memory object: its address, and sizes and strides in elements, static or i64."""

    base: SSAValue
    sizes: tuple[Index, ...]
    strides: tuple[Index, ...]


@dataclass(frozen=True)
class TiledView:
    """A memory object partitioned into tiles.

    Each dimension of a tile has an extent and a distance between neighbouring tiles. A dimension of
    a tile may walk several dimensions of the object as one, in row-major order.
    """

    memref: MemRef
    extents: tuple[int, ...]
    steps: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...]

    @property
    def is_plain(self) -> bool:
        """Whether each dimension of a tile runs along one dimension of the memory object."""
        return all(len(group) == 1 for group in self.groups)

    @property
    def dims(self) -> tuple[int, ...]:
        """For a plain view, the dimension of the memory object along which each dimension of a tile
        runs.
        """
        return tuple(dim for (dim,) in self.groups)
