"""Values that are imported on first use; tables and packages hold their places as text.

A place is `package.module:NAME`. An import in a function says the same of a single use.
"""

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def value_at(place: str) -> Any:
    """The value at a place; imports its module if that has not been done."""
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)


def names_of(package: str, modules: Mapping[str, str]) -> Callable[[str], object]:
    """A package's `__getattr__` for names that its modules define, each given by its module."""

    def attribute(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        value = value_at(f"{package}.{modules[name]}:{name}")
        # Python looks here first the next time.
        setattr(sys.modules[package], name, value)
        return value

    return attribute
