"""Interfaces by which `nv_tileas` ops tell rewrites and analyses their properties.

Source: the TileAS notes on folds and memory consistency.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from xdsl.ir import Operation, Region, SSAValue
from xdsl.irdl import VarOperand, traits_def
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect

from tileir_xdsl.dialects.memory_effects import (
    NO_EFFECTS,
    BufferEffect,
    Effects,
    NoScratchOpInterface,
)


class MemoryConsistencyOpInterface(Operation, ABC):
    """An op that orders memory accesses: a rewrite never moves, duplicates or erases it.

    The op has the effects of a read and a write, so it is not dead even without users.
    """

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())


class TileStructureOpInterface(Operation, ABC):
    """An op that only restructures tiles: rewrites may move, duplicate and erase it."""


class TypeOnlyOpInterface(Operation, ABC):
    """An op that depends on the types of its operands, and never reads their elements or memory.

    No result aliases an operand, so users of the results do not read that memory either.
    """


class ProducerRegionOpInterface(Operation, ABC):
    """An op whose first region produces the contents of one stage of a pipeline."""

    @property
    def producer_region(self) -> Region:
        """The producer's body."""
        return self.regions[0]

    @property
    @abstractmethod
    def yield_effects(self) -> Effects:
        """The effects of the region's terminator on the stage."""


class AllocationOpInterface(Operation, ABC):
    """An op that allocates a buffer, or the stages of a pipeline."""


Index = SSAValue | int
"""An offset, size, stride or coordinate: a value of an integer type, or a constant."""


@dataclass(frozen=True)
class PartOfTile:
    """The part of a tile, a view or a buffer that an op accesses."""

    operand: str
    """The name of the operand that contains the part."""
    coordinates: Sequence[Index] = ()
    """The position of the part in each dimension; empty if the op accesses the whole operand."""


class TilePartOpInterface(Operation, ABC):
    """An op on a part of a tile; loop slicing may divide that part further."""

    @property
    @abstractmethod
    def accessed_part(self) -> PartOfTile:
        """The accessed part, and the operand that contains it."""


class ViewPartOpInterface(TilePartOpInterface, ABC):
    """An op on one tile of `view`, at the coordinates `coords`."""

    if TYPE_CHECKING:
        # xDSL refuses to define an op with a field that is only annotated.
        coords: VarOperand

    @property
    def accessed_part(self) -> PartOfTile:
        return PartOfTile("view", self.coords)


class ThreadMovesOpInterface(Operation, ABC):
    """An op by which threads move tiles between registers and buffers, or between buffers."""

    @property
    @abstractmethod
    def moved_tiles(self) -> Sequence[tuple[SSAValue, SSAValue | None]]:
        """Pairs of a source tile and its destination tile or buffer; None stands for a pipeline
        stage.
        """


class TileMoveOpInterface(ThreadMovesOpInterface, ABC):
    """An op that moves a tile to other registers or to another memory."""

    if TYPE_CHECKING:
        source: SSAValue

    @property
    def filled(self) -> SSAValue | None:
        """The operand that is the destination buffer and the result; None if the op allocates a
        buffer.
        """
        return None

    @property
    def moved_tiles(self) -> Sequence[tuple[SSAValue, SSAValue | None]]:
        return ((self.source, self.filled or self.results[0]),)


class SynchronizationOpInterface(NoScratchOpInterface, ABC):
    """An op that only orders other ops."""


class ThreadCopyOpInterface(NoScratchOpInterface, ABC):
    """An op by which each thread starts copies of elements, to `destination` if given."""

    if TYPE_CHECKING:
        destination: SSAValue | None

    @property
    def effects(self) -> Effects:
        if self.destination is None:
            return NO_EFFECTS
        return Effects((BufferEffect(self.destination, writes=True, is_asynchronous=True),))


class StageTokenOpInterface(Operation, ABC):
    """An op that takes the token of a pipeline and returns it as its first result."""

    if TYPE_CHECKING:
        token: SSAValue


class ContractionOpInterface(Operation, ABC):
    """An op that adds a dot of A and B to C."""

    IS_ASYNCHRONOUS: ClassVar[bool] = False
    """Whether the op issues MMAs for which a later op waits."""

    if TYPE_CHECKING:
        a: SSAValue
        b: SSAValue
        c: SSAValue


class BulkLoadOpInterface(Operation, ABC):
    """A bulk copy that one thread starts: hardware fills a buffer, and a barrier counts its
    bytes.
    """

    @property
    @abstractmethod
    def filled(self) -> SSAValue | None:
        """The buffer that hardware fills; None if the op creates it."""
