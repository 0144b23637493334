"""Attributes that say by which of several strategies an op is lowered.

    %q = arith.divsi %a, %b {nv_tileas.strategy = #nv_tileas.strategy<reciprocal>} : i32

An attribute of an op that one thread executes on behalf of all selects that thread:

    %s = nv_tileas.async.tiled_tma_store %map, %b[%i, %j]
        {nv_tileas.issuer = #nv_tileas.issuer<elected_lane_of_first_warp>, ..}

`tileas-select-lowering` writes the attributes, and `convert-tileas-to-llvm` reads them.
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
"""The strategy by which an op is computed."""

EXCHANGES = "nv_tileas.exchanges"
"""How an op moves tiles between layouts: an `atom_plan` for each conversion."""

REGIONS = "nv_tileas.regions"
"""How agents execute the regions of an op: a strategy for each region."""

ACCESSES = "nv_tileas.accesses"
"""How an op moves tiles between registers and buffers: an access for each tile, loads first."""

ISSUER = "nv_tileas.issuer"
"""Which thread executes the single-threaded part of an op."""


class Strategy(StrEnum):
    """The strategies of all ops."""

    ALL_THREADS = "all_threads"
    """A region that all threads execute, one of which issues each bulk copy and MMA."""
    APPROXIMATION = "approximation"
    """An elementary function by the hardware's f32 approximation."""
    GROUPED = "grouped"
    """Float quotients by the steps of PTX's division, with one range test for a group of quotients.
    """
    HALVES = "halves"
    """PTX's instruction on two f32, one from each half of the registers."""
    INSTRUCTION = "instruction"
    """The PTX instruction of the op."""
    INVERSE = "inverse"
    """A float times the approximate inverse of its divisor, without scaling."""
    LOOP = "loop"
    """A power by squaring, in a loop over the bits of its exponent."""
    ONE_THREAD = "one_thread"
    """A region that one thread executes as a whole."""
    PAIRS = "pairs"
    """PTX's instruction on two f32 in adjacent registers."""
    POLYNOMIAL = "polynomial"
    """An elementary function by reduction of its argument and a polynomial."""
    PRODUCTS = "products"
    """A power with a small constant exponent, by multiplications."""
    RECIPROCAL = "reciprocal"
    """An integer quotient by the scaled reciprocal of a constant divisor."""
    SCALED_INVERSE = "scaled_inverse"
    """A float times the approximate inverse of its divisor, after scaling both into a safe range.
    """
    SHIFT = "shift"
    """Shifts and masks for a constant divisor that is a power of two."""
    TESTED_APPROXIMATION = "tested_approximation"
    """`exp2` by the approximation that flushes subnormals, with one test for subnormal results."""
    TESTED_INVERSE = "tested_inverse"
    """f32 quotients by the inverse of their common divisor, with one range test for a group."""
    WIDE_INVERSE = "wide_inverse"
    """An f32 times the inverse of its divisor in f64, rounded once."""


class StrategyAttr(EnumAttribute[Strategy], name="nv_tileas.strategy"):
    """`#nv_tileas.strategy<reciprocal>`."""


class ExtensionStrategy(str):
    """The name of a strategy of an extension; `value` is the name, as in an enumeration."""

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
    """The lane that `elect.sync` selects, in a region of one warp."""
    ELECTED_LANE_OF_FIRST_WARP = "elected_lane_of_first_warp"
    """The lane that `elect.sync` selects in the first of several warps."""
    ELECTED_LANE_OF_EACH_WARPGROUP = "elected_lane_of_each_warpgroup"
    """The lane that `elect.sync` selects in the first warp of each warpgroup: each issues the MMAs
    of its own rows.
    """
    FIRST_THREAD = "first_thread"
    """The thread of index 0."""
    ONLY_THREAD = "only_thread"
    """The only thread that executes the region around the op."""


class AccessStrategy(StrEnum):
    """The instructions that move a tile between registers and a buffer in shared memory."""

    VECTORS = "vectors"
    """Vector loads or stores of each thread."""
    MATRICES = "matrices"
    """`ldmatrix` or `stmatrix`."""
    TRANSPOSED_MATRICES = "transposed_matrices"
    """`ldmatrix` or `stmatrix` with `.trans`."""


class AccessAttr(EnumAttribute[AccessStrategy], name="nv_tileas.access"):
    """`#nv_tileas.access<matrices>`."""


class IssuerAttr(EnumAttribute[Issuer], name="nv_tileas.issuer"):
    """`#nv_tileas.issuer<elected_lane>`."""


def decided_strategy(op: Operation) -> Strategy:
    """The strategy by which an op is computed.

    Raises:
        PassFailedException: that is not decided.
    """
    if (named := extension_strategy_of(op)) is not None:
        fail(
            op,
            f"'{op.name}' op is lowered by strategy '{named}', which no loaded extension provides",
        )
    found = strategy_of(op)
    return refuse_undecided(op, "strategy") if found is None else found


def extension_strategy_of(op: Operation) -> ExtensionStrategy | None:
    """The strategy of an extension by which an op is computed, if any."""
    found = op.attributes.get(STRATEGY)
    return found.data if isinstance(found, ExtensionStrategyAttr) else None


def refuse_undecided(op: Operation, lacking: str) -> NoReturn:
    """Raises `PassFailedException` for an op without an attribute of `tileas-select-lowering`."""
    fail(op, f"'{op.name}' op has no {lacking}: expected tileas-select-lowering to run before")


def strategy_of(op: Operation) -> Strategy | None:
    """The strategy by which an op is computed; None if undecided, or by an extension.

    Raises:
        PassFailedException: the attribute is not a strategy.
    """
    if extension_strategy_of(op) is not None:
        return None
    found = _attribute(op, STRATEGY, StrategyAttr, "a strategy")
    return None if found is None else found.data


def region_strategies_of(op: Operation) -> tuple[Strategy, ...] | None:
    """The strategies that execute the regions of an op; None if undecided.

    Raises:
        PassFailedException: the attribute is not an array of strategies.
    """
    found = _attributes(op, REGIONS, StrategyAttr, "strategies")
    return None if found is None else tuple(each.data for each in found)


def accesses_of(op: Operation) -> tuple[AccessStrategy, ...] | None:
    """How an op accesses buffers in shared memory; None if undecided.

    Raises:
        PassFailedException: the attribute is not an array of accesses.
    """
    found = _attributes(op, ACCESSES, AccessAttr, "accesses")
    return None if found is None else tuple(each.data for each in found)


def issuer_of(op: Operation) -> Issuer | None:
    """The thread that executes the single-threaded part of an op; None if undecided.

    Raises:
        PassFailedException: the attribute is not an issuer.
    """
    found = _attribute(op, ISSUER, IssuerAttr, "an issuer")
    return None if found is None else found.data


def is_of_each_warpgroup(op: Operation) -> bool:
    """Whether each warpgroup issues an op for its own rows."""
    return issuer_of(op) is Issuer.ELECTED_LANE_OF_EACH_WARPGROUP


def exchanges_of(op: Operation) -> tuple[AtomPlan, ...] | None:
    """How an op moves tiles between layouts; None if undecided.

    Raises:
        PassFailedException: the attribute is not an array of `atom_plan`s.
    """
    found = _attributes(op, EXCHANGES, AtomPlanAttr, "atom plans")
    return None if found is None else tuple(plan.data for plan in found)


AttributeT = TypeVar("AttributeT", bound=Attribute)


def _attribute(
    op: Operation, name: str, type: type[AttributeT], expected: str
) -> AttributeT | None:
    """The named attribute of an op, which must be of the given type; None if absent."""
    found = op.attributes.get(name)
    if found is not None and not isinstance(found, type):
        fail(op, f"'{op.name}' op expects {name} to be {expected}, got {found}")
    return found


def _attributes(
    op: Operation, name: str, type: type[AttributeT], expected: str
) -> tuple[AttributeT, ...] | None:
    """The elements of the named array attribute, which must be of the given type; None if
    absent.
    """
    found = op.attributes.get(name)
    if found is None:
        return None
    listed: tuple[Attribute, ...] = found.data if isinstance(found, ArrayAttr) else (found,)
    attributes = tuple(each for each in listed if isinstance(each, type))
    if len(attributes) < len(listed):
        fail(op, f"'{op.name}' op expects {name} to be an array of {expected}, got {found}")
    return attributes
