"""The pass on one module, and what the search says of the result."""

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from tests.conversion_search.search import (
    MOST_CONVERSIONS,
    fewest_conversions,
    register_conversions,
)
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS

PASS = "tileas-remove-layout-conversions"
NARROW_TYPES = ("f4E2M1FN", "f8E8M0FNU")
"""Element types that the default target lacks."""


@dataclass(frozen=True)
class Outcome:
    """Conversions between layouts of registers: before the pass, after it, and at the least."""

    before: int
    after: int
    fewest: int | None
    """None where so many are left that not all choices can be tried."""


def assigned_kernel(name: str) -> ModuleOp:
    """A kernel of the zoo with the layouts that its accesses, products and reductions want."""
    text = KERNELS[name].text_path.read_text()
    target = "sm_100a" if any(type in text for type in NARROW_TYPES) else "sm_90a"
    first = f'convert-cuda-tile-to-tileaa{{compute-capability="{target}"}}'
    others = "convert-tileaa-to-tileas,canonicalize,tileas-assign-load-store-layouts"
    return tools.run_passes(tools.parse(text), f"{first},{others}")


def outcome_of(module: ModuleOp) -> Outcome:
    """Runs the pass on a module and searches the result.

    Raises:
        SearchTooLong: there are too many choices to try all of them.
    """
    before = register_conversions(module)
    tools.run_passes(module, PASS)
    after = register_conversions(module)
    fewest = fewest_conversions(module) if after <= MOST_CONVERSIONS else None
    return Outcome(before, after, fewest)
