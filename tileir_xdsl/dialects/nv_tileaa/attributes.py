"""Attributes of `nv_tileaa`: memory order, arithmetic modes, assume predicates, kernel data.

Values and spellings follow the Tile IR specification; memory scopes are named as in the PTX
memory model (`gpu` is Tile IR's `device`).
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, IntAttr, NoneAttr
from xdsl.ir import ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from tileir_xdsl.dialects.enum_attribute import EnumAttribute


class MemSemantic(StrEnum):
    WEAK = "weak"
    RELAXED = "relaxed"
    ACQUIRE = "acquire"
    RELEASE = "release"
    ACQ_REL = "acq_rel"


class MemScope(StrEnum):
    TILE_BLOCK = "tl_blk"
    CLUSTER = "cluster"
    GPU = "gpu"
    SYSTEM = "sys"


class RoundingMode(StrEnum):
    NEAREST_EVEN = "nearest_even"
    ZERO = "zero"
    NEGATIVE_INF = "negative_inf"
    POSITIVE_INF = "positive_inf"
    APPROX = "approx"
    FULL = "full"
    NEAREST_INT_TO_ZERO = "nearest_int_to_zero"
    NEAREST_AWAY = "nearest_away"


class PaddingValue(StrEnum):
    ZERO = "zero"
    NEG_ZERO = "neg_zero"
    NAN = "nan"
    POS_INF = "pos_inf"
    NEG_INF = "neg_inf"


class Signedness(StrEnum):
    UNSIGNED = "unsigned"
    SIGNED = "signed"


class RMWMode(StrEnum):
    """What an atomic op, or a reduction over multicast memory, does to an element."""

    AND = "and"
    OR = "or"
    XOR = "xor"
    ADD = "add"
    ADDF = "addf"
    MAX = "max"
    MIN = "min"
    UMAX = "umax"
    UMIN = "umin"
    XCHG = "xchg"


class CacheModifier(StrEnum):
    """Cache operators of loads and stores (PTX ISA, "Cache Operators")."""

    CA = "ca"
    CG = "cg"
    CS = "cs"
    LU = "lu"
    CV = "cv"


class EvictionPolicy(StrEnum):
    """Eviction priority in the caches (PTX ISA, "Cache Eviction Priority Hints")."""

    NORMAL = "normal"
    FIRST = "first"
    LAST = "last"


class PointerKind(StrEnum):
    """What an address names: memory, or memory of several devices at once."""

    NONE = "none"
    UNICAST = "unicast"
    MULTICAST = "multicast"


class Visibility(StrEnum):
    """Visibility of a symbol outside of its module, as in MLIR's `sym_visibility`."""

    PUBLIC = "public"
    PRIVATE = "private"


@irdl_attr_definition
class MemSemanticAttr(EnumAttribute[MemSemantic]):
    name = "nv_tileaa.mem_semantic"
    ENUM = MemSemantic


@irdl_attr_definition
class MemScopeAttr(EnumAttribute[MemScope]):
    name = "nv_tileaa.mem_scope"
    ENUM = MemScope


@irdl_attr_definition
class RoundingModeAttr(EnumAttribute[RoundingMode]):
    name = "nv_tileaa.rounding_mode"
    ENUM = RoundingMode


@irdl_attr_definition
class PaddingValueAttr(EnumAttribute[PaddingValue]):
    name = "nv_tileaa.padding_value"
    ENUM = PaddingValue


@irdl_attr_definition
class SignednessAttr(EnumAttribute[Signedness]):
    name = "nv_tileaa.signedness"
    ENUM = Signedness


@irdl_attr_definition
class RMWModeAttr(EnumAttribute[RMWMode]):
    name = "nv_tileaa.rmw_mode"
    ENUM = RMWMode


@irdl_attr_definition
class CacheModifierAttr(EnumAttribute[CacheModifier]):
    name = "nv_tileaa.cache_modifier"
    ENUM = CacheModifier


@irdl_attr_definition
class EvictionPolicyAttr(EnumAttribute[EvictionPolicy]):
    name = "nv_tileaa.eviction_policy"
    ENUM = EvictionPolicy


@irdl_attr_definition
class PointerKindAttr(EnumAttribute[PointerKind]):
    name = "nv_tileaa.pointer_kind"
    ENUM = PointerKind


def _optional_int(value: int | None) -> IntAttr | NoneAttr:
    return NoneAttr() if value is None else IntAttr(value)


@irdl_attr_definition
class DivByAttr(ParametrizedAttribute):
    """`#nv_tileaa.div_by<16[, every 4 along 0]>`: divisibility of an integer or of an address."""

    name = "nv_tileaa.div_by"

    divisor: IntAttr
    every: IntAttr | NoneAttr
    along: IntAttr | NoneAttr

    def __init__(self, divisor: int, every: int | None = None, along: int | None = None):
        super().__init__(IntAttr(divisor), _optional_int(every), _optional_int(along))

    @classmethod
    def parse_parameters(cls, parser: AttrParser):
        with parser.in_angle_brackets():
            divisor = parser.parse_integer(allow_boolean=False, allow_negative=False)
            every = along = None
            if parser.parse_optional_punctuation(","):
                parser.parse_keyword("every")
                every = parser.parse_integer(allow_boolean=False, allow_negative=False)
                parser.parse_keyword("along")
                along = parser.parse_integer(allow_boolean=False, allow_negative=False)
        return IntAttr(divisor), _optional_int(every), _optional_int(along)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_int(self.divisor.data)
            if isinstance(self.every, IntAttr) and isinstance(self.along, IntAttr):
                printer.print_string(f", every {self.every.data} along {self.along.data}")

    def verify(self) -> None:
        divisor = self.divisor.data
        if divisor <= 0 or divisor & (divisor - 1):
            raise VerifyException("divisor must be a power of 2")
        if isinstance(self.every, IntAttr) != isinstance(self.along, IntAttr):
            raise VerifyException("'every'/'along' must be used in combination")


@irdl_attr_definition
class BoundedAttr(ParametrizedAttribute):
    """`#nv_tileaa.bounded<0, ?>`: signed inclusive bounds of an integer, `?` for none."""

    name = "nv_tileaa.bounded"

    lower: IntAttr | NoneAttr
    upper: IntAttr | NoneAttr

    def __init__(self, lower: int | None, upper: int | None):
        super().__init__(_optional_int(lower), _optional_int(upper))

    @classmethod
    def parse_parameters(cls, parser: AttrParser):
        def bound() -> IntAttr | NoneAttr:
            if parser.parse_optional_punctuation("?"):
                return NoneAttr()
            return IntAttr(parser.parse_integer(allow_boolean=False))

        with parser.in_angle_brackets():
            lower = bound()
            parser.parse_punctuation(",")
            return lower, bound()

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            bounds = (self.lower, self.upper)
            printer.print_string(
                ", ".join(str(b.data) if isinstance(b, IntAttr) else "?" for b in bounds)
            )

    def verify(self) -> None:
        bounds = [bound.data for bound in (self.lower, self.upper) if isinstance(bound, IntAttr)]
        if bounds != sorted(bounds):
            raise VerifyException("expects lower bound to be less than or equal to upper bound")


@irdl_attr_definition
class SameElementsAttr(ParametrizedAttribute):
    """`#nv_tileaa.same_elements<[1, 4]>`: length of the runs of equal elements per dimension."""

    name = "nv_tileaa.same_elements"

    lengths: ArrayAttr[IntAttr]

    def __init__(self, lengths: Sequence[int]):
        super().__init__(ArrayAttr(IntAttr(length) for length in lengths))

    @classmethod
    def parse_parameters(cls, parser: AttrParser):
        with parser.in_angle_brackets():
            lengths = parser.parse_comma_separated_list(
                parser.Delimiter.SQUARE,
                lambda: parser.parse_integer(allow_boolean=False, allow_negative=False),
            )
        return (ArrayAttr(IntAttr(length) for length in lengths),)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            lengths = ", ".join(str(length.data) for length in self.lengths)
            printer.print_string(f"[{lengths}]")


DEFAULT_WARPS = 4
"""Warps per tile block where no hint says otherwise."""


@irdl_attr_definition
class KernelSpecAttr(ParametrizedAttribute):
    """`#nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1[, occupancy = 2]>`: launch data.

    `num_ctas` is the number of thread blocks in a cluster.
    """

    name = "nv_tileaa.kernel_spec"

    num_warps: IntAttr
    num_ctas: IntAttr
    occupancy: IntAttr | NoneAttr

    def __init__(
        self, num_warps: int = DEFAULT_WARPS, num_ctas: int = 1, occupancy: int | None = None
    ):
        super().__init__(IntAttr(num_warps), IntAttr(num_ctas), _optional_int(occupancy))

    @classmethod
    def parse_parameters(cls, parser: AttrParser):
        def field(keyword: str) -> IntAttr:
            parser.parse_keyword(keyword)
            parser.parse_punctuation("=")
            return IntAttr(parser.parse_integer(allow_boolean=False, allow_negative=False))

        with parser.in_angle_brackets():
            num_warps = field("num_warps")
            parser.parse_punctuation(",")
            num_ctas = field("num_ctas")
            occupancy = field("occupancy") if parser.parse_optional_punctuation(",") else NoneAttr()
        return num_warps, num_ctas, occupancy

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(f"num_warps = {self.num_warps.data}")
            printer.print_string(f", num_ctas = {self.num_ctas.data}")
            if isinstance(self.occupancy, IntAttr):
                printer.print_string(f", occupancy = {self.occupancy.data}")
