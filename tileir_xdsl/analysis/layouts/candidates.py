"""Candidates: the ways in which one op can hold its tile, with the cost of each.

A candidate is an atom (or a strategy of a dot) together with the layout of the tile. The key of a
candidate is the memory of the tile, its operand of a dot, and the alignment of the accessed
memory. The family of a candidate is the kind of its layout. Candidates that an op cannot use are
kept as well, with the reason. `global_uses` and `tile_uses` have a class for each kind of op.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import TypeAlias

from tileir_xdsl.analysis.access.copy_costs import FREE, CopyCost, conversion_cost
from tileir_xdsl.analysis.layouts.dot_layouts import Axis
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.layout.shared import SharedLayout
from tileir_xdsl.targets.atoms import Memory

TileLayout: TypeAlias = LinearLayout | SharedLayout
"""Where a tile is: in registers, or in shared memory."""


NO_COMMON_MEMORY = " can not find common memKind among pipeline alias group\n"
"""The text of a diagnostic, with its leading blank and final line feed."""


class Family(Enum):
    """The kinds of layouts; the tiles of a group have the same family, or are all in one memory."""

    SHARED = "shared"
    """In shared memory."""
    BLOCKED = "blocked"
    """Vectors dealt to lanes, warps and registers."""
    DOT_OPERAND = "dot-operand"
    """The operand fragments of a dot."""
    LINEAR = "linear"
    """Any other linear map, such as a layout written on the op by hand."""


@dataclass(frozen=True)
class Candidate:
    """A candidate for a tile."""

    name: str
    """The name for `force`: the name of the atom, or of the strategy of a dot."""
    layout: TileLayout
    family: Family
    cost: CopyCost
    atom: str | None = None
    """The copy atom, for ops that have one."""
    axis: Axis | None = None
    """The operand of a dot that the tile is."""
    alignment: int = 1
    """Bytes to which the accessed memory is aligned."""
    shared_layout: SharedLayout | None = None
    """The layout of the buffer that a copy reads, writes or goes through."""

    @property
    def memory(self) -> Memory:
        """Where the tile is."""
        return Memory.SHARED if isinstance(self.layout, SharedLayout) else Memory.REGISTER

    @property
    def bucket(self) -> str:
        """`A register`, `A memory`, `B register` or `B memory`; a tile of no dot counts as A."""
        operand = "B" if self.axis in (Axis.B, Axis.SFB) else "A"
        return f"{operand} {'register' if self.memory is Memory.REGISTER else 'memory'}"


@dataclass(frozen=True)
class Pruned:
    """A candidate that an op cannot use, or uses only if the user forces it, and why."""

    name: str
    reason: str
    cost: CopyCost | None = None
    """The cost of the candidate, if the hardware and not the tile excludes it."""


class TileUse(ABC):
    """The layout requirements of one op on a tile."""

    @cached_property
    def own(self) -> tuple[Candidate, ...]:
        """The candidates that the op proposes itself; none if any layout will do."""
        return ()

    @cached_property
    def only_forced(self) -> tuple[Candidate, ...]:
        """Further candidates, which are taken only where the user asks for them."""
        return ()

    @cached_property
    def pruned(self) -> tuple[Pruned, ...]:
        """Candidates that are never chosen, whatever the layout."""
        return ()

    @abstractmethod
    def in_layout(self, layout: TileLayout) -> Candidate | str:
        """The best candidate if the tile is in this layout, or why there is none."""

    def from_memory_cost(self, candidate: Candidate) -> CopyCost:
        """The cost of a candidate if the op reads the tile from shared memory."""
        return candidate.cost


@dataclass(frozen=True)
class Conversions:
    """The operands and results of an op that are converted if the op uses a layout of its own."""

    into: tuple[int, ...]
    """Bits of an element of every operand."""
    out_of: tuple[int, ...]
    """Bits of an element of every result."""

    def cost(self, group: TileLayout, own: TileLayout) -> CopyCost:
        """The cost of the conversions, given the layouts of the group and of the op.

        Raises:
            LayoutError: there is no way to change layouts.
        """
        total = FREE
        for bits in self.into:
            total += conversion_cost(group, own, bits)
        for bits in self.out_of:
            total += conversion_cost(own, group, bits)
        return total
