"""Runs launches of a process on arrays of the host, as environment variables say."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass
from pathlib import Path

from tileir_xdsl.frontends.environment import GPU, LEVEL, RACES, named_extensions
from tileir_xdsl.frontends.interface import Launch, Search, Source
from tileir_xdsl.frontends.serving import serve
from tileir_xdsl.on_use import value_at

ON_CHANGE = "TILEIR_ON_CHANGE"
"""The variable that says what happens to a kernel whose globals have changed."""

_SITE = str(Path(__file__).with_name("site"))
"""A folder with a `sitecustomize` module, which Python imports when it starts."""


@dataclass(frozen=True)
class Interpreter:
    """Runs every launch at a level, for a target."""

    level: str | None = None
    gpu: str | None = None
    races: bool = False
    on_change: str = "raise"

    def made(self, source: Source) -> None:
        """Does nothing."""

    def searched(self, search: Search) -> None:
        """Does nothing: the search continues."""

    def launched(self, launch: Launch) -> object:
        """Runs a launch. Raises CompileError."""
        return launch.frontend.execute(
            launch, gpu=self.gpu, level=self.level, races=self.races, on_change=self.on_change
        )


def interpret(environment: Mapping[str, str]) -> Callable[[], None]:
    """Serves all launches of this process from now on; returns a function that ends this.

    Raises InputError for an unknown or invalid extension.
    """
    if named := named_extensions(environment):
        # A process without extensions begins without the compiler.
        value_at("tileir_xdsl.runtime.reader:know_extensions")(named)
    races = environment.get(RACES, "0") not in ("", "0")
    level, gpu = (environment.get(name) or None for name in (LEVEL, GPU))
    return serve(Interpreter(level, gpu, races, environment.get(ON_CHANGE) or "raise"))


def with_children(environment: MutableMapping[str, str]) -> None:
    """Makes Python processes that start from now on serve launches, too."""
    paths = [path for path in environment.get("PYTHONPATH", "").split(os.pathsep) if path]
    if _SITE not in paths:
        environment["PYTHONPATH"] = os.pathsep.join([_SITE, *paths])
