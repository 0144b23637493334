"""Promises of `nv_tileas` ops to rewrites.

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
    """An op with side effects on order: a pure rewrite never moves, repeats or erases it.

    It has the effects of a read and a write, so it is not dead even without users.
    """

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())


class TileStructureOpInterface(Operation, ABC):
    """An op that only shapes tiles: rewrites may move, repeat and erase it."""


class TypeOnlyOpInterface(Operation, ABC):
    """An op that reads the types of its operands, never the elements of what they name.

    No result aliases an operand, so nothing is read through them either.
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
        """The effects on the stage of the threads that end the body."""


class AllocationOpInterface(Operation, ABC):
    """An op that makes memory of its own: a buffer, or the stages of a pipeline."""


Index = SSAValue | int
"""An offset, size, stride or coordinate: a value of an integer type, or a constant."""


@dataclass(frozen=True)
class PartOfTile:
    """Which part of a tile, a view or a buffer an op is about."""

    operand: str
    """The name of the operand that is the whole."""
    coordinates: Sequence[Index] = ()
    """One for each dimension; none where the op is about the whole."""


class TilePartOpInterface(Operation, ABC):
    """An op on a part of a tile; a slice of a loop may take its share of the part."""

    @property
    @abstractmethod
    def accessed_part(self) -> PartOfTile:
        """The part, and the operand that it is a part of."""


class ViewPartOpInterface(TilePartOpInterface, ABC):
    """An op on the tile of its view at its coordinates."""

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
        """Each tile, with the tile or buffer that it becomes; None for the contents of a stage."""


class TileMoveOpInterface(ThreadMovesOpInterface, ABC):
    """An op whose result is its tile in other registers, or in another memory."""

    if TYPE_CHECKING:
        source: SSAValue

    @property
    def filled(self) -> SSAValue | None:
        """The buffer that it fills, which is then the result; None if the op allocates its own."""
        return None

    @property
    def moved_tiles(self) -> Sequence[tuple[SSAValue, SSAValue | None]]:
        return ((self.source, self.filled or self.results[0]),)


class SynchronizationOpInterface(NoScratchOpInterface, ABC):
    """An op that orders others, and does nothing else."""


class ThreadCopyOpInterface(NoScratchOpInterface, ABC):
    """An op by which each thread starts to copy elements, to a buffer if one is given."""

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
    """Whether it issues MMAs that are waited for later."""

    if TYPE_CHECKING:
        a: SSAValue
        b: SSAValue
        c: SSAValue


class BulkLoadOpInterface(Operation, ABC):
    """An op by which one thread has hardware fill a buffer, and a barrier count its bytes."""

    @property
    @abstractmethod
    def filled(self) -> SSAValue | None:
        """The buffer; None where hardware fills one of the op's own."""
