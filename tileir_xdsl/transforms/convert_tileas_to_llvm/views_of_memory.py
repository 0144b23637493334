"""Memory objects and views of them, in the program of one thread."""

from dataclasses import dataclass

from xdsl.ir import SSAValue

from .builder import Index


@dataclass(frozen=True)
class MemRef:
    """A strided memory object: its address, and sizes and strides in elements, known or i64."""

    base: SSAValue
    sizes: tuple[Index, ...]
    strides: tuple[Index, ...]


@dataclass(frozen=True)
class TiledView:
    """A memory object cut into tiles.

    For each dimension of a tile: its extent, how far apart neighbouring tiles start, and the
    dimension of the memory object that it runs along.
    """

    memref: MemRef
    extents: tuple[int, ...]
    steps: tuple[int, ...]
    dims: tuple[int, ...]
