"""Registers classes for drawing in notebooks by name, so that none of them imports the drawings."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

SHOWN = (
    ("tileir_xdsl.drawings.timeline", "Timeline"),
    ("tileir_xdsl.explain.report", "Report"),
    ("tileir_xdsl.layout.linear", "LinearLayout"),
    ("tileir_xdsl.layout.shared", "SharedLayout"),
    ("tileir_xdsl.report.schema", "Decision"),
    ("tileir_xdsl.report.schema", "Phase"),
)
"""The classes whose values notebooks draw automatically, by module and name."""


def running_shell() -> Any:
    """The shell of the notebook that this process runs; None outside of notebooks."""
    ipython = sys.modules.get("IPython")
    return None if ipython is None else ipython.get_ipython()


def register(formatter: Any, bundle_of: Callable[[object], dict[str, str]]) -> None:
    """Makes a formatter of mime bundles draw the values of the classes in `SHOWN`."""
    for module, name in SHOWN:
        formatter.for_type_by_name(module, name, bundle_of)


def register_in_notebook(bundle_of: Callable[[object], dict[str, str]]) -> None:
    """Makes the running notebook draw values of the classes in `SHOWN`; does nothing outside of
    notebooks.
    """
    shell = running_shell()
    if shell is not None:
        register(shell.display_formatter.mimebundle_formatter, bundle_of)
