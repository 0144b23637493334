"""Tests of passes, ops and kernels, ours and those of others: see docs/testing.md.

    from tileir_xdsl.testing import assert_same_meaning, check, parse

The names below are imported on first use; `check` needs the package filecheck.
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tileir_xdsl.testing.meaning import assert_same_meaning
    from tileir_xdsl.testing.tools import check, context, parse, roundtrip, run_passes, to_text

__all__ = [
    "assert_same_meaning",
    "check",
    "context",
    "parse",
    "roundtrip",
    "run_passes",
    "to_text",
]

_MODULES = {"assert_same_meaning": "meaning"}
"""The module of each name; that of others is `tools`."""


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    module = importlib.import_module(f"{__name__}.{_MODULES.get(name, 'tools')}")
    return getattr(module, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
