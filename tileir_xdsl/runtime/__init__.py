"""Kernels from Python: reading, lowering, launching on arrays; assembling PTX.

    from tileir_xdsl.runtime import run
    run("vector_add.tileirbc", (8,), [a, b, c])

Names of this package are imported on first use.
"""

from typing import TYPE_CHECKING

from tileir_xdsl.on_use import names_of

if TYPE_CHECKING:
    from tileir_xdsl.runtime.errors import InputError
    from tileir_xdsl.runtime.launching import find_races, load, run

__all__ = ["InputError", "find_races", "load", "run"]

__getattr__ = names_of(
    __name__,
    {"InputError": "errors", **dict.fromkeys(("find_races", "load", "run"), "launching")},
)
