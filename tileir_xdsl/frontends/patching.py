"""Replaces attributes temporarily."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

_ABSENT = object()


def patched(owner: Any, attributes: Mapping[str, object]) -> Callable[[], None]:
    """Replaces existing attributes of a module or class; returns a function that restores them."""
    # An inherited attribute is removed again afterwards.
    before = {name: vars(owner).get(name, _ABSENT) for name in attributes if hasattr(owner, name)}
    for name in before:
        setattr(owner, name, attributes[name])

    def undo() -> None:
        for name, value in before.items():
            if value is _ABSENT:
                delattr(owner, name)
            else:
                setattr(owner, name, value)

    return undo
