"""The variables of the environment by which launches of scripts are served."""

import os
from collections.abc import Mapping

LEVEL, GPU, RACES = "TILEIR_LEVEL", "TILEIR_GPU", "TILEIR_RACES"
"""A level to run at, a target, and whether races are looked for."""

WITH = "TILEIR_WITH"
"""The extensions that launches are compiled with, separated as in `PATH`."""

INTERPRET = "TILEIR_INTERPRET"
"""Whether Python serves launches from its start on, once the hook is installed."""


def named_extensions(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The names of the extensions that launches are compiled with."""
    return tuple(name for name in environment.get(WITH, "").split(os.pathsep) if name)
