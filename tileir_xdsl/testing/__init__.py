"""Helpers for tests of passes and kernels, also outside this package: see docs/testing.md.

`pytest_plugins = ["tileir_xdsl.testing.plugin"]` in a `conftest.py` provides the fixtures, and
`tileir_xdsl.testing.lit` configures lit. Names are imported on first use.
"""

from typing import TYPE_CHECKING

from tileir_xdsl.on_use import names_of

if TYPE_CHECKING:
    from tileir_xdsl.testing.generating import RandomProgram, random_program
    from tileir_xdsl.testing.lit import configure_lit
    from tileir_xdsl.testing.meaning import assert_same_meaning
    from tileir_xdsl.testing.pass_checks import check_pass, find_candidates, subjects
    from tileir_xdsl.testing.programs.reduction import reduce_module
    from tileir_xdsl.testing.reproducers.shrinking import shrink
    from tileir_xdsl.testing.tools import check, context, parse, roundtrip, run_passes, to_text
    from tileir_xdsl.testing.zoo import zoo_module, zoo_names, zoo_text

_MODULES = {
    "RandomProgram": "generating",
    "assert_same_meaning": "meaning",
    "check": "tools",
    "check_pass": "pass_checks",
    "configure_lit": "lit",
    "context": "tools",
    "find_candidates": "pass_checks",
    "parse": "tools",
    "random_program": "generating",
    "reduce_module": "programs.reduction",
    "roundtrip": "tools",
    "run_passes": "tools",
    "shrink": "reproducers.shrinking",
    "subjects": "pass_checks",
    "to_text": "tools",
    "zoo_module": "zoo",
    "zoo_names": "zoo",
    "zoo_text": "zoo",
}
"""The public names, and the modules that define them."""

__getattr__ = names_of(__name__, _MODULES)


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})


__all__ = [
    "RandomProgram",
    "assert_same_meaning",
    "check",
    "check_pass",
    "configure_lit",
    "context",
    "find_candidates",
    "parse",
    "random_program",
    "reduce_module",
    "roundtrip",
    "run_passes",
    "shrink",
    "subjects",
    "to_text",
    "zoo_module",
    "zoo_names",
    "zoo_text",
]
