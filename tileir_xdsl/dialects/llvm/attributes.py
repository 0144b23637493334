"""Attributes that xDSL's `llvm` dialect lacks, under their upstream names."""

from xdsl.dialects.builtin import IntAttr, IntegerType
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum


@irdl_attr_definition
class ConstantRangeAttr(ParametrizedAttribute):
    """`#llvm.constant_range<i32, 0, 128>`: the half-open range of an integer result.

    Source: upstream MLIR, `LLVM::ConstantRangeAttr`.
    """

    name = "llvm.constant_range"

    type: IntegerType
    lower: IntAttr
    upper: IntAttr

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> tuple[Attribute, IntAttr, IntAttr]:
        with parser.in_angle_brackets():
            type = parser.parse_type()
            parser.parse_punctuation(",")
            lower = parser.parse_integer()
            parser.parse_punctuation(",")
            upper = parser.parse_integer()
        return type, IntAttr(lower), IntAttr(upper)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_attribute(self.type)
            printer.print_string(f", {self.lower.data}, {self.upper.data}")

    def verify(self) -> None:
        lower, upper, width = self.lower.data, self.upper.data, self.type.width.data
        if lower == upper and lower not in (0, -1, (1 << width) - 1):
            raise VerifyException("expected lower and upper to differ")


class AtomicOrdering(StrEnum):
    """Orderings of atomic accesses; the spelling of the custom form."""

    NOT_ATOMIC = "not_atomic"
    UNORDERED = "unordered"
    MONOTONIC = "monotonic"
    ACQUIRE = "acquire"
    RELEASE = "release"
    ACQ_REL = "acq_rel"
    SEQ_CST = "seq_cst"

    @property
    def code(self) -> int:
        """The integer that the property `ordering` stores."""
        return _ORDERING_CODES[self]

    @classmethod
    def from_code(cls, code: int) -> "AtomicOrdering":
        """The ordering stored as `code`.

        Raises `VerifyException` for an integer that stands for no ordering.
        """
        if (ordering := _ORDERING_BY_CODE.get(code)) is None:
            raise VerifyException(f"{code} is not an atomic ordering")
        return ordering


_ORDERING_CODES: dict[AtomicOrdering, int] = {
    AtomicOrdering.NOT_ATOMIC: 0,
    AtomicOrdering.UNORDERED: 1,
    AtomicOrdering.MONOTONIC: 2,
    AtomicOrdering.ACQUIRE: 4,
    AtomicOrdering.RELEASE: 5,
    AtomicOrdering.ACQ_REL: 6,
    AtomicOrdering.SEQ_CST: 7,
}
_ORDERING_BY_CODE = {code: ordering for ordering, code in _ORDERING_CODES.items()}


class AtomicBinOp(StrEnum):
    """Operations of `llvm.atomicrmw`, in the order of their integer codes."""

    XCHG = "xchg"
    ADD = "add"
    SUB = "sub"
    AND = "_and"
    NAND = "nand"
    OR = "_or"
    XOR = "_xor"
    MAX = "max"
    MIN = "min"
    UMAX = "umax"
    UMIN = "umin"
    FADD = "fadd"
    FSUB = "fsub"
    FMAX = "fmax"
    FMIN = "fmin"
    UINC_WRAP = "uinc_wrap"
    UDEC_WRAP = "udec_wrap"
    USUB_COND = "usub_cond"
    USUB_SAT = "usub_sat"
    FMAXIMUM = "fmaximum"
    FMINIMUM = "fminimum"

    @property
    def is_float(self) -> bool:
        """Whether the operation works on floats."""
        return self.value.startswith("f")

    @property
    def code(self) -> int:
        """The integer that the property `bin_op` stores."""
        return _BIN_OPS.index(self)

    @classmethod
    def from_code(cls, code: int) -> "AtomicBinOp":
        """The operation stored as `code`.

        Raises `VerifyException` for an integer that stands for no operation.
        """
        if not 0 <= code < len(_BIN_OPS):
            raise VerifyException(f"{code} is not an atomic operation")
        return _BIN_OPS[code]


_BIN_OPS: tuple[AtomicBinOp, ...] = tuple(AtomicBinOp)
