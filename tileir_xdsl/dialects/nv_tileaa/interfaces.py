"""Interfaces of attributes and ops of other dialects that take part in `nv_tileaa` programs."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from xdsl.ir import Attribute, Operation, Region

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


class AgentLikeOpInterface(Operation, ABC):
    """An op whose regions run at the same time, each by a group of warps: an agent."""

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
