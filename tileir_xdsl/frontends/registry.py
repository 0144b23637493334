"""Which packages are served when scripts import them; imported before the modules that it names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module

from tileir_xdsl.extension_parts import EXTENSION_FRONTENDS
from tileir_xdsl.frontends.interface import Handler

SERVED: Mapping[str, str] = {
    "cuda.tile": "tileir_xdsl.cutile.frontend",
    "cuda.tile.jax": "tileir_xdsl.cutile.jax_calls",
    "torch": "tileir_xdsl.frontends.on_host.torch",
}
"""The module whose `install` serves a package, by the package that scripts import."""

REFUSED: Mapping[str, str] = {
    "cupy": "works on a GPU only: without one, kernels take arrays of numpy, torch and jax",
}
"""Packages whose import is refused, with the reason."""


def served_packages() -> tuple[str, ...]:
    """The packages that are served when scripts import them, including those of extensions."""
    return tuple({**SERVED, **EXTENSION_FRONTENDS})


def install(package: str, handler: Handler) -> Callable[[], None]:
    """Serves an imported package; returns a function that undoes this.

    Raises ImportError if the package is not installed.
    """
    if (known := EXTENSION_FRONTENDS.get(package)) is not None:
        return known.served.install(handler)
    undo: Callable[[], None] = import_module(SERVED[package]).install(handler)
    return undo
