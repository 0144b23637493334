"""Values that are read only where an op uses them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any


class Pending(ABC):
    """A value that is read only where an op uses it."""

    @abstractmethod
    def wait(self) -> Any:
        """The value."""


def wait_for(values: Sequence[Any]) -> tuple[Any, ...]:
    """`values`, with every `Pending` replaced by its value."""
    return tuple(v.wait() if isinstance(v, Pending) else v for v in values)
