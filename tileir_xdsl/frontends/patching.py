"""Attributes that are replaced for a while."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

_ABSENT = object()


def patched(owner: Any, attributes: Mapping[str, object]) -> Callable[[], None]:
    """Replaces the attributes that a module or a class has; returns a function that
    restores them.
    """
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
