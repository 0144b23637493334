"""How an op is lowered, where there are several strategies, as an attribute on the op.

    %q = arith.divsi %a, %b {nv_tileas.strategy = #nv_tileas.strategy<reciprocal>} : i32

`tileas-select-lowering` writes it, and `convert-tileas-to-llvm` reads it.
"""

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Attribute, Operation
from xdsl.irdl import irdl_attr_definition
from xdsl.utils.str_enum import StrEnum

from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects.enum_attribute import EnumAttribute

from .attributes import AtomPlan, AtomPlanAttr

STRATEGY = "nv_tileas.strategy"
"""How an op is computed."""

EXCHANGES = "nv_tileas.exchanges"
"""How an op moves tiles between the layouts that it needs: an `atom_plan` for each of them."""


class Strategy(StrEnum):
    """The strategies of all ops."""

    ALL_THREADS = "all_threads"
    """A loop that all threads execute, one of which issues each MMA."""
    APPROXIMATION = "approximation"
    """The approximation of an elementary function that the hardware has in f32."""
    GROUPED = "grouped"
    """Quotients of floats by the steps of the instruction, with one test for a group of them."""
    INSTRUCTION = "instruction"
    """The instruction that PTX has for it."""
    INVERSE = "inverse"
    """A float times the approximate inverse of an ordinary divisor."""
    LOOP = "loop"
    """A power by squaring, in a loop over the bits of its exponent."""
    ONE_THREAD = "one_thread"
    """A loop that one elected thread executes as a whole."""
    POLYNOMIAL = "polynomial"
    """An elementary function by reduction of its argument and a polynomial."""
    PRODUCTS = "products"
    """A power with a small known exponent as products."""
    RECIPROCAL = "reciprocal"
    """An integer times the scaled reciprocal of a known divisor."""
    SCALED_INVERSE = "scaled_inverse"
    """A float times the approximate inverse of a divisor, both scaled to where that is ordinary."""
    SHIFT = "shift"
    """Shifts and masks, as a known divisor is a power of two."""
    WIDE_INVERSE = "wide_inverse"
    """An f32 times the inverse of its divisor in f64, rounded once."""


@irdl_attr_definition
class StrategyAttr(EnumAttribute[Strategy]):
    """`#nv_tileas.strategy<reciprocal>`."""

    name = "nv_tileas.strategy"
    ENUM = Strategy


def strategy_of(op: Operation) -> Strategy | None:
    """How an op is computed; None where that is not decided.

    Raises:
        PassFailedException: the attribute is no strategy.
    """
    found = op.attributes.get(STRATEGY)
    if found is None:
        return None
    if not isinstance(found, StrategyAttr):
        fail(op, f"'{op.name}' op expects {STRATEGY} to be a strategy, got {found}")
    return found.data


def exchanges_of(op: Operation) -> tuple[AtomPlan, ...] | None:
    """How an op moves tiles between layouts; None where that is not decided.

    Raises:
        PassFailedException: the attribute is no array of `atom_plan`s.
    """
    found = op.attributes.get(EXCHANGES)
    if found is None:
        return None
    plans: tuple[Attribute, ...] = found.data if isinstance(found, ArrayAttr) else (found,)
    if not all(isinstance(plan, AtomPlanAttr) for plan in plans):
        fail(op, f"'{op.name}' op expects {EXCHANGES} to be an array of atom plans, got {found}")
    return tuple(plan.data for plan in plans if isinstance(plan, AtomPlanAttr))
