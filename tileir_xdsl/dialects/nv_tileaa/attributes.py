"""Attributes of `nv_tileaa`: memory order, arithmetic modes, kernel data.

Values and spellings follow the Tile IR specification; memory scopes are named as in the PTX
memory model (`gpu` is Tile IR's `device`).
"""

from math import copysign, inf

from xdsl.dialects.builtin import AnyFloat, FloatAttr, IntAttr, IntegerAttr, NoneAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import BaseAttr, irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from tileir_xdsl.dialects.enum_attribute import EnumAttribute
from tileir_xdsl.dialects.enumerations import (
    CacheModifier,
    PaddingValue,
    PointerKind,
    RMWMode,
    RoundingMode,
    Signedness,
)
from tileir_xdsl.dialects.enumerations import MemoryOrdering as MemSemantic


class MemScope(StrEnum):
    TILE_BLOCK = "tl_blk"
    CLUSTER = "cluster"
    GPU = "gpu"
    SYSTEM = "sys"


class EvictionPolicy(StrEnum):
    """Eviction priority in the caches (PTX ISA, "Cache Eviction Priority Hints")."""

    NORMAL = "normal"
    FIRST = "first"
    LAST = "last"


class MemSemanticAttr(EnumAttribute[MemSemantic], name="nv_tileaa.mem_semantic"): ...


class MemScopeAttr(EnumAttribute[MemScope], name="nv_tileaa.mem_scope"): ...


class RoundingModeAttr(EnumAttribute[RoundingMode], name="nv_tileaa.rounding_mode"): ...


class PaddingValueAttr(EnumAttribute[PaddingValue], name="nv_tileaa.padding_value"): ...


PaddingAttr = PaddingValueAttr | FloatAttr | IntegerAttr
"""The value of out-of-bounds elements: a word, or a scalar of the element type."""
PADDING = BaseAttr(PaddingValueAttr) | BaseAttr(FloatAttr) | BaseAttr(IntegerAttr)


def padding_of(attribute: PaddingAttr | None) -> PaddingValue | float | None:
    """The padding of an access: the word for a value that has one, otherwise the number."""
    match attribute:
        case PaddingValueAttr():
            return attribute.data
        case FloatAttr() | IntegerAttr():
            number = attribute.value.data
            if number == 0:
                return PaddingValue.ZERO if copysign(1, number) > 0 else PaddingValue.NEG_ZERO
            if number == inf:
                return PaddingValue.POS_INF
            if number == -inf:
                return PaddingValue.NEG_INF
            return PaddingValue.NAN if number != number else number
        case None:
            return None


def verify_padding_type(attribute: PaddingAttr | None, element: Attribute) -> None:
    """Raises `VerifyException` unless the padding suits elements of this type."""
    if attribute is None:
        return
    if not isinstance(attribute, PaddingValueAttr):
        if attribute.type != element:
            raise VerifyException(f"expects padding of type {element}, but got {attribute.type}")
    elif attribute.data != PaddingValue.ZERO and not isinstance(element, AnyFloat):
        raise VerifyException(
            "special padding values (nan, pos_inf, neg_inf, neg_zero) only for float-like "
            "element types"
        )


class SignednessAttr(EnumAttribute[Signedness], name="nv_tileaa.signedness"): ...


class RMWModeAttr(EnumAttribute[RMWMode], name="nv_tileaa.rmw_mode"): ...


class CacheModifierAttr(EnumAttribute[CacheModifier], name="nv_tileaa.cache_modifier"): ...


class EvictionPolicyAttr(EnumAttribute[EvictionPolicy], name="nv_tileaa.eviction_policy"): ...


class PointerKindAttr(EnumAttribute[PointerKind], name="nv_tileaa.pointer_kind"): ...


def optional_int(value: int | None) -> IntAttr | NoneAttr:
    """Converts an optional number to a parameter of an attribute."""
    return NoneAttr() if value is None else IntAttr(value)


DEFAULT_WARPS = 4
"""The number of warps per tile block without a hint."""

MAX_WARPS = 32
"""The most warps of a thread block, which has at most 1024 threads (CUDA programming guide,
technical specifications per compute capability).
"""


@irdl_attr_definition
class KernelSpecAttr(ParametrizedAttribute):
    """`#nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1[, occupancy = 2]>`: launch data.

    `num_warps` is the number of warps in a thread block, a power of two up to `MAX_WARPS`, since
    layouts divide tiles among warps. `num_ctas` is the number of thread blocks in a cluster.
    """

    name = "nv_tileaa.kernel_spec"

    num_warps: IntAttr
    num_ctas: IntAttr
    occupancy: IntAttr | NoneAttr

    def __init__(
        self, num_warps: int = DEFAULT_WARPS, num_ctas: int = 1, occupancy: int | None = None
    ):
        super().__init__(IntAttr(num_warps), IntAttr(num_ctas), optional_int(occupancy))

    def verify(self) -> None:
        warps, ctas = self.num_warps.data, self.num_ctas.data
        if not (0 < warps <= MAX_WARPS and warps.bit_count() == 1):
            raise VerifyException(
                f"expects num_warps to be a power of two up to {MAX_WARPS}, but got {warps}"
            )
        if ctas < 1:
            raise VerifyException(f"expects num_ctas to be positive, but got {ctas}")

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
