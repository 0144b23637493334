"""Serves the launches of scripts: each package is served from its import on."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType

from tileir_xdsl.frontends.interface import Handler
from tileir_xdsl.frontends.registry import REFUSED, install, served_packages


@contextmanager
def serving(handler: Handler) -> Generator[None]:
    """Calls a handler for all launches, until the end of the block."""
    undo = serve(handler)
    try:
        yield
    finally:
        undo()


def serve(handler: Handler) -> Callable[[], None]:
    """Calls a handler for all launches from now on; returns a function that ends this.

    A package that is not imported yet is served after its import, so a script without kernels does
    not import it.
    """
    undos: list[Callable[[], None]] = []

    def imported(package: str) -> None:
        undos.append(install(package, handler))

    waiting = set[str]()
    for package in served_packages():
        if package in sys.modules:
            imported(package)
        else:
            waiting.add(package)
    finder = _Finder(waiting, imported)
    sys.meta_path.insert(0, finder)

    def undo() -> None:
        sys.meta_path.remove(finder)
        for each in reversed(undos):
            each()

    return undo


class _Finder(MetaPathFinder):
    """Finds a package by the other finders, and serves it after its import."""

    def __init__(self, waiting: set[str], install: Callable[[str], None]):
        self._waiting, self._install = waiting, install

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module specification of a served package; None for others. Raises ImportError."""
        if fullname in REFUSED:
            raise ImportError(f"{fullname} {REFUSED[fullname]}", name=fullname)
        if fullname not in self._waiting:
            return None
        # The search for it comes here again, and then goes on to the other finders.
        self._waiting.remove(fullname)
        spec = find_spec(fullname)
        if spec is None or spec.loader is None:
            return None
        spec.loader = _Installing(spec.loader, lambda: self._install(fullname))
        return spec


class _Installing(Loader):
    """Loads a module with another loader, and then calls a function."""

    def __init__(self, loader: Loader, after: Callable[[], None]):
        self._loader, self._after = loader, after

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Creates the module with the other loader."""
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Executes the module with its own loader."""
        assert module.__spec__ is not None
        module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        self._after()
