"""Versions of the bytecode format."""

from __future__ import annotations

from dataclasses import dataclass

from tileir_xdsl.bytecode.errors import BytecodeError


@dataclass(frozen=True, order=True)
class Version:
    """A version of Tile IR bytecode; `str` of it is `13.3`."""

    major: int
    minor: int

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"

    @staticmethod
    def parse(text: str) -> Version:
        """The supported version for text such as `13.3`; raises `BytecodeError` for other text."""
        for version in VERSIONS:
            if str(version) == text:
                return version
        raise BytecodeError(f"unsupported Tile version {text}, {SUPPORTED}")


V13_1, V13_2, V13_3, V13_4, V13_5 = (Version(13, minor) for minor in range(1, 6))
VERSIONS = (V13_1, V13_2, V13_3, V13_4, V13_5)
"""Every version that is read and written, oldest first."""

SUPPORTED = f"the supported versions are [{VERSIONS[0]} - {VERSIONS[-1]}]"
