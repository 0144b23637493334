"""Which packages of kernels have a front end: above the front ends, which it names."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import cast

from tileir_xdsl.frontends.interface import Frontend

FRONTENDS: Mapping[str, str] = {"cuda.tile": "tileir_xdsl.cutile.frontend"}
"""By the package that scripts import, the module that has the `FRONTEND` of it."""


def frontend(package: str) -> Frontend:
    """The front end of a package. Raises ImportError where the package is not installed."""
    return cast(Frontend, import_module(FRONTENDS[package]).FRONTEND)
