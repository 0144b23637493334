"""Enumerations that several dialects share; each dialect defines its own attributes for their
values.

Values and spellings follow the Tile IR specification, section 8, and its bytecode tables: the
position of a value is its number in bytecode.
"""

from xdsl.utils.str_enum import StrEnum


class Signedness(StrEnum):
    """How an operation reads its integer operands."""

    UNSIGNED = "unsigned"
    SIGNED = "signed"


class RoundingMode(StrEnum):
    """Rounding of floating-point results and of conversions."""

    NEAREST_EVEN = "nearest_even"
    ZERO = "zero"
    NEGATIVE_INF = "negative_inf"
    POSITIVE_INF = "positive_inf"
    APPROX = "approx"
    FULL = "full"
    NEAREST_INT_TO_ZERO = "nearest_int_to_zero"
    NEAREST_AWAY = "nearest_away"


class RMWMode(StrEnum):
    """The effect of an atomic op, or of a reduction over multicast memory, on an element."""

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


class MemoryOrdering(StrEnum):
    """Ordering strength of a memory access (PTX ISA, "Memory Consistency Model")."""

    WEAK = "weak"
    RELAXED = "relaxed"
    ACQUIRE = "acquire"
    RELEASE = "release"
    ACQ_REL = "acq_rel"


class PaddingValue(StrEnum):
    """The value that a load of a view yields outside of the memory object."""

    ZERO = "zero"
    NEG_ZERO = "neg_zero"
    NAN = "nan"
    POS_INF = "pos_inf"
    NEG_INF = "neg_inf"


class CacheModifier(StrEnum):
    """Cache operators of loads and stores (PTX ISA, "Cache Operators")."""

    CA = "ca"
    CG = "cg"
    CS = "cs"
    LU = "lu"
    CV = "cv"


class PointerKind(StrEnum):
    """The target of an address: memory of one device, or a multicast object."""

    NONE = "none"
    UNICAST = "unicast"
    MULTICAST = "multicast"


class Visibility(StrEnum):
    """Visibility of a symbol outside of its module, as in MLIR's `sym_visibility`."""

    PUBLIC = "public"
    PRIVATE = "private"
