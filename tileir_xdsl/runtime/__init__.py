"""Kernels from Python: reading, lowering, launching on arrays; assembling PTX.

    from tileir_xdsl.runtime import run
    run("vector_add.tileirbc", (8,), [a, b, c])

The names below are imported on first use.
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tileir_xdsl.runtime.errors import InputError
    from tileir_xdsl.runtime.launching import find_races, load, run

__all__ = ["InputError", "find_races", "load", "run"]

_MODULES = {"InputError": "errors"}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    module = importlib.import_module(f"{__name__}.{_MODULES.get(name, 'launching')}")
    return getattr(module, name)
