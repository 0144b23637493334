"""How an op is lowered, where there are several strategies, as an attribute on the op.

    %q = arith.divsi %a, %b {nv_tileas.strategy = #nv_tileas.strategy<reciprocal>} : i32

An op that one thread issues for all names that thread:

    %s = nv_tileas.async.tiled_tma_store %map, %b[%i, %j]
        {nv_tileas.issuer = #nv_tileas.issuer<elected_lane_of_first_warp>, ..}

`tileas-select-lowering` writes them, and `convert-tileas-to-llvm` reads them.
"""

from typing import NoReturn, TypeVar

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Attribute, Data, Operation
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.str_enum import StrEnum

from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects.enum_attribute import EnumAttribute

from .attributes import AtomPlan, AtomPlanAttr

STRATEGY = "nv_tileas.strategy"
"""How an op is computed."""

EXCHANGES = "nv_tileas.exchanges"
"""How an op moves tiles between the layouts that it needs: an `atom_plan` for each of them."""

REGIONS = "nv_tileas.regions"
"""The agents that execute the regions of an op: a strategy for each of them."""

ACCESSES = "nv_tileas.accesses"
"""How an op moves tiles between registers and buffers: an access for each, loads before stores."""

ISSUER = "nv_tileas.issuer"
"""Which thread executes what one thread executes for all."""


class Strategy(StrEnum):
    """The strategies of all ops."""

    ALL_THREADS = "all_threads"
    """A region that all threads execute, one of which issues each bulk copy and MMA."""
    APPROXIMATION = "approximation"
    """The approximation of an elementary function that the hardware has in f32."""
    GROUPED = "grouped"
    """Quotients of floats by the steps of the instruction, with one test for a group of them."""
    HALVES = "halves"
    """The instruction that PTX has for two f32 at once, on one of each half of the registers."""
    INSTRUCTION = "instruction"
    """The instruction that PTX has for it."""
    INVERSE = "inverse"
    """A float times the approximate inverse of an ordinary divisor."""
    LOOP = "loop"
    """A power by squaring, in a loop over the bits of its exponent."""
    ONE_THREAD = "one_thread"
    """A region that one thread executes as a whole."""
    PAIRS = "pairs"
    """The same on neighbours."""
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
    TESTED_APPROXIMATION = "tested_approximation"
    """Powers of two by the approximation that flushes, with one test for subnormal ones."""
    TESTED_INVERSE = "tested_inverse"
    """Quotients of f32 by the inverse of a divisor that they share, with one test for a group."""
    WIDE_INVERSE = "wide_inverse"
    """An f32 times the inverse of its divisor in f64, rounded once."""


class StrategyAttr(EnumAttribute[Strategy], name="nv_tileas.strategy"):
    """`#nv_tileas.strategy<reciprocal>`."""


class ExtensionStrategy(str):
    """The name of a strategy of an extension; as a member of an enumeration, it is its value."""

    @property
    def value(self) -> str:
        """The name."""
        return str(self)


@irdl_attr_definition
class ExtensionStrategyAttr(Data[ExtensionStrategy]):
    """`#nv_tileas.extension_strategy<"mine">`."""

    name = "nv_tileas.extension_strategy"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> ExtensionStrategy:
        with parser.in_angle_brackets():
            return ExtensionStrategy(parser.parse_str_literal())

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string_literal(self.data)


class Issuer(StrEnum):
    """The thread that executes an op on behalf of all threads of its region."""

    ELECTED_LANE = "elected_lane"
    """The lane that `elect.sync` names, in a region of one warp."""
    ELECTED_LANE_OF_FIRST_WARP = "elected_lane_of_first_warp"
    """The same, of the first of several warps."""
    ELECTED_LANE_OF_EACH_WARPGROUP = "elected_lane_of_each_warpgroup"
    """The same, of the first warp of each warpgroup: each issues the MMAs of its own rows."""
    FIRST_THREAD = "first_thread"
    """The thread of index 0."""
    ONLY_THREAD = "only_thread"
    """The only thread: it alone executes the region around the op."""


class AccessStrategy(StrEnum):
    """By which instructions a tile is moved between registers and a buffer in shared memory."""

    VECTORS = "vectors"
    """Vectors of each thread."""
    MATRICES = "matrices"
    """`ldmatrix` or `stmatrix`."""
    TRANSPOSED_MATRICES = "transposed_matrices"
    """The same with `.trans`."""


class AccessAttr(EnumAttribute[AccessStrategy], name="nv_tileas.access"):
    """`#nv_tileas.access<matrices>`."""


class IssuerAttr(EnumAttribute[Issuer], name="nv_tileas.issuer"):
    """`#nv_tileas.issuer<elected_lane>`."""


def decided_strategy(op: Operation) -> Strategy:
    """How an op is computed.

    Raises:
        PassFailedException: that is not decided.
    """
    if (named := extension_strategy_of(op)) is not None:
        fail(op, f"'{op.name}' op is lowered by '{named}', which no extension here has")
    found = strategy_of(op)
    return refuse_undecided(op, "strategy") if found is None else found


def extension_strategy_of(op: Operation) -> ExtensionStrategy | None:
    """The strategy of an extension by which an op is computed, if it has one."""
    found = op.attributes.get(STRATEGY)
    return found.data if isinstance(found, ExtensionStrategyAttr) else None


def refuse_undecided(op: Operation, lacking: str) -> NoReturn:
    """Raises `PassFailedException` for an op without what `tileas-select-lowering` decides."""
    fail(op, f"'{op.name}' op has no {lacking}: expected tileas-select-lowering to run before")


def strategy_of(op: Operation) -> Strategy | None:
    """How an op is computed; None where that is not decided, or by an extension.

    Raises:
        PassFailedException: the attribute is not a strategy.
    """
    if extension_strategy_of(op) is not None:
        return None
    found = _attribute(op, STRATEGY, StrategyAttr, "a strategy")
    return None if found is None else found.data


def region_strategies_of(op: Operation) -> tuple[Strategy, ...] | None:
    """The strategies that execute the regions of an op; None where they are not decided.

    Raises:
        PassFailedException: the attribute is not an array of strategies.
    """
    found = _attributes(op, REGIONS, StrategyAttr, "strategies")
    return None if found is None else tuple(each.data for each in found)


def accesses_of(op: Operation) -> tuple[AccessStrategy, ...] | None:
    """How an op accesses buffers in shared memory; None where that is not decided.

    Raises:
        PassFailedException: the attribute is not an array of accesses.
    """
    found = _attributes(op, ACCESSES, AccessAttr, "accesses")
    return None if found is None else tuple(each.data for each in found)


def issuer_of(op: Operation) -> Issuer | None:
    """The thread that executes the single-threaded part of an op; None if that is not decided.

    Raises:
        PassFailedException: the attribute is not an issuer.
    """
    found = _attribute(op, ISSUER, IssuerAttr, "an issuer")
    return None if found is None else found.data


def is_of_each_warpgroup(op: Operation) -> bool:
    """Whether each warpgroup issues an op for its own rows."""
    return issuer_of(op) is Issuer.ELECTED_LANE_OF_EACH_WARPGROUP


def exchanges_of(op: Operation) -> tuple[AtomPlan, ...] | None:
    """How an op moves tiles between layouts; None where that is not decided.

    Raises:
        PassFailedException: the attribute is not an array of `atom_plan`s.
    """
    found = _attributes(op, EXCHANGES, AtomPlanAttr, "atom plans")
    return None if found is None else tuple(plan.data for plan in found)


AttributeT = TypeVar("AttributeT", bound=Attribute)


def _attribute(
    op: Operation, name: str, type: type[AttributeT], expected: str
) -> AttributeT | None:
    """An attribute of an op that has to be of a type, if it is present."""
    found = op.attributes.get(name)
    if found is not None and not isinstance(found, type):
        fail(op, f"'{op.name}' op expects {name} to be {expected}, got {found}")
    return found


def _attributes(
    op: Operation, name: str, type: type[AttributeT], expected: str
) -> tuple[AttributeT, ...] | None:
    """An array of attributes of a type, if it is present."""
    found = op.attributes.get(name)
    if found is None:
        return None
    listed: tuple[Attribute, ...] = found.data if isinstance(found, ArrayAttr) else (found,)
    attributes = tuple(each for each in listed if isinstance(each, type))
    if len(attributes) < len(listed):
        fail(op, f"'{op.name}' op expects {name} to be an array of {expected}, got {found}")
    return attributes
