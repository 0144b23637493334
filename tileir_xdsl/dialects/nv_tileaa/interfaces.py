"""Interfaces of attributes and ops of other dialects that take part in `nv_tileaa` programs."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

from xdsl.ir import Attribute, Operation, Region
from xdsl.irdl import VarOperand

from tileir_xdsl.targets.atoms import CopyAtom


class CopyAtomAttrInterface(Attribute, ABC):
    """An attribute that says how a tile is moved between two memories."""

    @property
    @abstractmethod
    def copy_atom(self) -> CopyAtom:
        """The atom's row in the target tables."""


class ReduceAtomAttrInterface(Attribute, ABC):
    """An attribute that says how the threads of a tile block combine their elements."""

    @property
    @abstractmethod
    def lanes(self) -> int:
        """How many lanes of a warp one step of the reduction combines."""


class OpaqueOpInterface(Operation, ABC):
    """An op with unknown behaviour, since passes do not know its code."""


class AgentLikeOpInterface(Operation, ABC):
    """An op whose regions run concurrently; a group of warps, an agent, runs each.

    Each region has the `inputs` as block arguments.
    """

    if TYPE_CHECKING:
        # xDSL refuses to define an op with a field that is only annotated.
        inputs: VarOperand

    @property
    @abstractmethod
    def agent_bodies(self) -> Sequence[Region]:
        """The region of each agent."""

    @property
    @abstractmethod
    def agents_per_group(self) -> int:
        """How many consecutive agents form a group."""

    @property
    @abstractmethod
    def agent_registers(self) -> Sequence[int] | None:
        """For each agent, the most registers that a thread may use; None if undecided."""

    @property
    @abstractmethod
    def is_isolated(self) -> bool:
        """Whether agents use no values from outside except their arguments."""

    @property
    def agent_warps(self) -> Sequence[int] | None:
        """The number of warps that run each agent; None if undecided."""
        return None

    @property
    def first_warps(self) -> Sequence[int] | None:
        """The first warp of each agent; None if undecided."""
        return None
