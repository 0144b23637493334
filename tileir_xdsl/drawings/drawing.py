"""A drawing: SVG, and a description in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Drawing:
    """A picture of a part of a program."""

    kind: str
    """`layout`, `shared_memory`, `tensor_memory`, `schedule` or `resources`."""
    title: str
    ids: tuple[str, ...]
    """The caller's names of the drawn ops or values."""
    svg: str
    text: str
    trace: Mapping[str, Any] | None = None
    """The Perfetto trace of a schedule; None for other kinds."""

    def about(self, ids: tuple[str, ...]) -> Drawing:
        """A copy of the drawing with other `ids`."""
        return replace(self, ids=ids)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        """The forms of the drawing that Jupyter shows."""
        return {"image/svg+xml": self.svg, "text/plain": self.text}
