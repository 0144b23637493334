"""Attributes of `nv_tileas`: where values are kept, and the modes of TMA descriptors."""

from xdsl.dialects.builtin import NoneAttr
from xdsl.ir import ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.str_enum import StrEnum

from tileir_xdsl.dialects.enum_attribute import EnumAttribute
from tileir_xdsl.layout.conversion import ConversionStrategy
from tileir_xdsl.targets.atoms import Memory

from .layout import LayoutAttr, parse_descriptor, print_descriptor


class Residency(StrEnum):
    """The memory that a view or a buffer is in."""

    REGISTER = "rmem"
    SHARED = "smem"
    TENSOR = "tmem"
    GLOBAL = "gmem"

    @property
    def memory(self) -> Memory:
        """The memory as a member of the target tables' enumeration."""
        return Memory[self.name]


class AtomPlan(StrEnum):
    """How a conversion of register layouts moves its elements."""

    REGISTERS = "registers"
    SHUFFLE = "shuffle"
    SHARED_MEMORY = "shared_memory"

    @property
    def strategy(self) -> ConversionStrategy:
        """The strategy as the conversion planner names it."""
        return ConversionStrategy[self.name]


class SwizzleMode(StrEnum):
    """How TMA permutes 16-byte units in shared memory (PTX ISA, "Swizzling modes")."""

    NONE = "none"
    BYTES_32 = "32B"
    BYTES_64 = "64B"
    BYTES_128 = "128B"


class OutOfBoundsMode(StrEnum):
    """Padding value of a TMA load outside of the global tensor."""

    ZERO = "zero"
    NAN = "nan"
    CONSTANT = "constant"


class RMWMode(StrEnum):
    """The effect of an atomic op on an element."""

    ADD = "add"
    AND = "and"
    OR = "or"
    XOR = "xor"
    XCHG = "xchg"
    MIN = "min"
    MAX = "max"
    UMIN = "umin"
    UMAX = "umax"
    CMPXCHG = "cmpxchg"
    ADDF = "addf"


class RMWModeAttr(EnumAttribute[RMWMode], name="nv_tileas.rmw_mode"): ...


class AtomPlanAttr(EnumAttribute[AtomPlan], name="nv_tileas.atom_plan"):
    """`#nv_tileas.atom_plan<shuffle>`."""


class ResidencyAttr(EnumAttribute[Residency], name="nv_tileas.residency"): ...


class OutOfBoundsModeAttr(EnumAttribute[OutOfBoundsMode], name="nv_tileas.oob_mode"): ...


class SwizzleModeAttr(EnumAttribute[SwizzleMode], name="nv_tileas.swizzle_mode"):
    """`#nv_tileas.swizzle_mode<128B>`."""

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> SwizzleMode:
        with parser.in_angle_brackets():
            return cls.parse_mode(parser)

    @staticmethod
    def parse_mode(parser: AttrParser) -> SwizzleMode:
        """Parses `none` or `128B`, which is two tokens: a number, and a unit."""
        if parser.parse_optional_keyword(SwizzleMode.NONE) is not None:
            return SwizzleMode.NONE
        position = parser.pos
        bytes = parser.parse_integer(allow_boolean=False, allow_negative=False)
        parser.parse_keyword("B")
        if f"{bytes}B" not in list(SwizzleMode):
            parser.raise_error(f"expected a swizzle of 32, 64 or 128 bytes, got {bytes}", position)
        return SwizzleMode(f"{bytes}B")


def parse_optional_layout(parser: AttrParser) -> LayoutAttr | NoneAttr:
    """Parses `, <shape, stride, ..>`, if present."""
    if parser.parse_optional_punctuation(",") is None:
        return NoneAttr()
    return LayoutAttr(parse_descriptor(parser))


def print_optional_layout(printer: Printer, layout: LayoutAttr | NoneAttr) -> None:
    """Prints what `parse_optional_layout` reads."""
    if isinstance(layout, LayoutAttr):
        printer.print_string(", ")
        print_descriptor(printer, layout.data)


@irdl_attr_definition
class MemoryAttr(ParametrizedAttribute):
    """`#nv_tileas.memory<smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>`: the encoding of a buffer.

    A tensor with this encoding refers to memory instead of values in registers. The optional layout
    maps the coordinates of an element to its offset from the start of the buffer.
    """

    name = "nv_tileas.memory"

    residency: ResidencyAttr
    layout: LayoutAttr | NoneAttr

    def __init__(self, residency: Residency, layout: LayoutAttr | None = None):
        super().__init__(ResidencyAttr(residency), NoneAttr() if layout is None else layout)

    @classmethod
    def parse_parameters(cls, parser: AttrParser):
        with parser.in_angle_brackets():
            residency = ResidencyAttr(parser.parse_str_enum(Residency))
            return residency, parse_optional_layout(parser)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.residency.data)
            print_optional_layout(printer, self.layout)
