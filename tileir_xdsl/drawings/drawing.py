"""A drawing: SVG, and what it shows in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Drawing:
    """A picture of something in a program."""

    kind: str
    """`layout`, `shared_memory`, `tensor_memory`, `schedule` or `resources`."""
    title: str
    ids: tuple[str, ...]
    """The ops or values that it is about, as the caller names them."""
    svg: str
    text: str
    trace: Mapping[str, Any] | None = None
    """A schedule as a Perfetto trace; None for a picture of another kind."""

    def about(self, ids: tuple[str, ...]) -> Drawing:
        """The same, of certain ops."""
        return replace(self, ids=ids)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        """The forms of the drawing that Jupyter shows."""
        return {"image/svg+xml": self.svg, "text/plain": self.text}
