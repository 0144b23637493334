"""The plan of slicing, as plain data, which is complete before any change."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from xdsl.dialects import scf
from xdsl.ir import Operation

from .partition import Range


class Taken(Enum):
    """The origin of a tiled operand of a slice."""

    CARRIED = "carried by the loop"
    INSIDE = "made in the slice"
    OUTSIDE = "the same for all slices"


class Start(Enum):
    """The initial value of a carried value in slices after the first."""

    PREVIOUS_SLICE = "the result of the slice before"
    INITIAL_VALUE = "the initial value"


@dataclass(frozen=True)
class DividedDimension:
    """A dimension of a tiled operand that is divided among slices.

    Iterations access it at `scale * induction variable + offset`, without the terms of outer loops.
    """

    dimension: int
    scale: int
    offset: int

    def interval(self, part: Range) -> tuple[int, int]:
        """The least and the largest coordinate that a non-empty slice accesses."""
        last = part.lower + (part.trips - 1) * part.step
        ends = [self.scale * end + self.offset for end in (part.lower, last)]
        return min(ends), max(ends)


@dataclass(frozen=True)
class TiledOperand:
    """A view, a buffer or a tile of which an op in the body reads or replaces a part."""

    operation: Operation
    name: str
    """The name of the operand in the op's definition."""
    taken: Taken
    divided: tuple[DividedDimension, ...]


@dataclass(frozen=True)
class LoopPlan:
    """The slices of one loop."""

    count: int
    ranges: tuple[Range, ...] | None
    """The range of each slice; None if bounds are computed at run time."""
    starts: tuple[Start, ...]
    """The start of each carried value."""
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
    """An op in a pipeline region that each slice repeats for its rows."""

    operation: Operation
    rows: tuple[int, ...]
    """The operands of which a slice uses its rows; it uses the other operands as a whole."""


@dataclass(frozen=True)
class StagePlan:
    """The slices of rows for the region of one pipeline stage."""

    count: int
    divided: tuple[DividedOperation, ...]
    """The divided ops, in program order. Other ops are executed once for the whole tile."""


@dataclass(frozen=True)
class SlicingPlan:
    """The plans of all sliced ops, in program order."""

    loops: Mapping[scf.ForOp, LoopPlan]
    stages: Mapping[Operation, StagePlan]
    operations: frozenset[Operation]
    """The ops in the bodies of sliced ops, which the rewrite expects."""
