"""Environment variables that control how the launches of scripts are served."""

import os
from collections.abc import Mapping

LEVEL, GPU, RACES = "TILEIR_LEVEL", "TILEIR_GPU", "TILEIR_RACES"
"""The level at which launches run, the target, and whether races are detected."""

WITH = "TILEIR_WITH"
"""The extensions that launches are compiled with, separated as in `PATH`."""

INTERPRET = "TILEIR_INTERPRET"
"""Whether Python serves launches from its start on, if the hook is installed."""


def named_extensions(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The names of the extensions that launches are compiled with."""
    return tuple(name for name in environment.get(WITH, "").split(os.pathsep) if name)
