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
    """An op that may do anything where no pass sees it."""


class AgentLikeOpInterface(Operation, ABC):
    """An op whose regions run at the same time, each by a group of warps: an agent.

    Each region has the `inputs` as block arguments.
    """

    if TYPE_CHECKING:
        # xDSL refuses to define an op with a field that is only annotated.
        inputs: VarOperand

    @property
    @abstractmethod
    def agent_bodies(self) -> Sequence[Region]:
        """One region for each agent."""

    @property
    @abstractmethod
    def agents_per_group(self) -> int:
        """How many agents, one after the other in their order, form a group."""

    @property
    @abstractmethod
    def agent_registers(self) -> Sequence[int] | None:
        """The most registers that a thread of each agent may use, if that is decided."""

    @property
    @abstractmethod
    def is_isolated(self) -> bool:
        """Whether agents use nothing from outside but their arguments."""

    @property
    def agent_warps(self) -> Sequence[int] | None:
        """The warps that run each agent, if that is decided."""
        return None

    @property
    def first_warps(self) -> Sequence[int] | None:
        """The first warp of each agent, if that is decided."""
        return None
