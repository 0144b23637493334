"""Where in the source of a program its ops come from, whichever dialect they are of."""

from abc import ABC, abstractmethod

from xdsl.ir import ParametrizedAttribute

LINE_INFO_ATTRIBUTE = "nv_tileaa.lineinfo"
"""Module attribute, a unit: the PTX tells where in the source its instructions come from."""


class SourceScope(ParametrizedAttribute, ABC):
    """The metadata of a fused location that tells which function of the source it is in."""

    @property
    @abstractmethod
    def function_name(self) -> str:
        """The name of that function in the source."""
