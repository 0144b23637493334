"""Values that are imported on first use; tables and packages name them as text.

A value is named `package.module:NAME`. For a single use, import in a function instead.
"""

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def value_at(place: str) -> Any:
    """The value named `package.module:NAME`; imports its module if needed."""
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)


def names_of(package: str, modules: Mapping[str, str]) -> Callable[[str], object]:
    """A package's `__getattr__` for names defined in its modules, which `modules` maps names to."""

    def attribute(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        value = value_at(f"{package}.{modules[name]}:{name}")
        # Python looks here first the next time.
        setattr(sys.modules[package], name, value)
        return value

    return attribute
