"""The plan of slicing: plain data, complete before anything is changed."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from xdsl.dialects import scf
from xdsl.ir import Operation

from .partition import Range


class Taken(Enum):
    """Where a slice has a tiled operand from."""

    CARRIED = "carried by the loop"
    INSIDE = "made in the slice"
    OUTSIDE = "the same for all slices"


class Start(Enum):
    """The start of a carried value in a slice after the first."""

    PREVIOUS_SLICE = "the result of the slice before"
    INITIAL_VALUE = "the initial value"


@dataclass(frozen=True)
class DividedDimension:
    """A dimension that the slices share out.

    In it a tiled operand is accessed at `scale * induction variable + offset`, where offsets that
    come from loops around are left out.
    """

    dimension: int
    scale: int
    offset: int

    def interval(self, part: Range) -> tuple[int, int]:
        """The least and the largest coordinate of one slice, which is not empty."""
        last = part.lower + (part.trips - 1) * part.step
        ends = [self.scale * end + self.offset for end in (part.lower, last)]
        return min(ends), max(ends)


@dataclass(frozen=True)
class TiledOperand:
    """A view, a buffer or a tile that an op in the body takes or replaces a part of."""

    operation: Operation
    name: str
    """The operand, as the op's definition calls it."""
    taken: Taken
    divided: tuple[DividedDimension, ...]


@dataclass(frozen=True)
class LoopPlan:
    """How one loop becomes slices."""

    count: int
    ranges: tuple[Range, ...] | None
    """The range of each slice; None where bounds are computed before the loop."""
    starts: tuple[Start, ...]
    """For each carried value."""
    operands: tuple[TiledOperand, ...]

    @property
    def has_single_iterations(self) -> bool:
        """Whether each slice is known to be one iteration, which needs no loop."""
        return (
            self.count > 1
            and self.ranges is not None
            and all(part.trips == 1 for part in self.ranges)
        )


@dataclass(frozen=True)
class DividedOperation:
    """An op in a pipeline region of which each slice has one."""

    operation: Operation
    rows: tuple[int, ...]
    """The operands of which a slice takes its rows; the others it takes as a whole."""


@dataclass(frozen=True)
class StagePlan:
    """How the region for one stage of a pipeline becomes slices of rows."""

    count: int
    divided: tuple[DividedOperation, ...]
    """In the order of the program. Other ops are executed for the whole tile."""


@dataclass(frozen=True)
class SlicingPlan:
    """The plans of all ops that are sliced, in the order of the program."""

    loops: Mapping[scf.ForOp, LoopPlan]
    stages: Mapping[Operation, StagePlan]
    operations: frozenset[Operation]
    """The ops in their bodies: what the rewrite expects to meet."""
