"""What `nv_tileas` ops promise to rewrites.

Source: the TileAS notes on folds and memory consistency.
"""

from abc import ABC, abstractmethod

from xdsl.ir import Operation, Region
from xdsl.irdl import traits_def
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect

from tileir_xdsl.dialects.memory_effects import Effects


class MemoryConsistencyOpInterface(Operation, ABC):
    """An op whose order matters: a pure rewrite never moves it, repeats it, or erases it.

    It has the effects of a read and a write, so that even without users it is not dead.
    """

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())


class TileStructureOpInterface(Operation, ABC):
    """An op that only shapes tiles: rewrites may move, repeat and erase it."""


class TypeOnlyOpInterface(Operation, ABC):
    """An op that reads the types of its operands, never the elements of what they name.

    None of its results is another name of an operand, so that nothing is read through them either.
    """


class ProducerRegionOpInterface(Operation, ABC):
    """An op whose first region produces what one stage of a pipeline holds."""

    @property
    def producer_region(self) -> Region:
        """The producer's body."""
        return self.regions[0]

    @property
    @abstractmethod
    def yield_effects(self) -> Effects:
        """What the threads that end the body do to the stage."""


class AllocationOpInterface(Operation, ABC):
    """An op that makes memory of its own: a buffer, or the stages of a pipeline."""
