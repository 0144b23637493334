"""The source locations of ops, for all dialects."""

from abc import ABC, abstractmethod

from xdsl.ir import ParametrizedAttribute

LINE_INFO_ATTRIBUTE = "nv_tileaa.lineinfo"
"""Unit attribute of a module whose PTX must have line information."""


class SourceScope(ParametrizedAttribute, ABC):
    """The metadata of a fused location that names the source function around the location."""

    @property
    @abstractmethod
    def function_name(self) -> str:
        """The name of the function in the source."""
