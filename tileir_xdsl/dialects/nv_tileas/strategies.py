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

    INSTRUCTION = "instruction"
    """The instruction that PTX has for it."""
    RECIPROCAL = "reciprocal"
    """An integer times the scaled reciprocal of a known divisor."""
    SHIFT = "shift"
    """Shifts and masks, as a known divisor is a power of two."""


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
