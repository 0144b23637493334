"""Attributes that xDSL's `llvm` dialect lacks, under their upstream names."""

from typing import ClassVar

from xdsl.dialects.builtin import DictionaryAttr, IntAttr, IntegerAttr, IntegerType
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
            raise VerifyException(
                "expected lower and upper to differ, unless both are 0 or both have all bits set"
            )


LOOP_ANNOTATION = "loop_annotation"
"""The name of the loop annotation on the branch that closes a loop."""


@irdl_attr_definition
class LoopAnnotationAttr(ParametrizedAttribute):
    """`#llvm.loop_annotation<vectorize = <disable = true>, unroll = <count = 4 : i32>>`.

    Requests to LLVM about the loop that a branch closes: the subset of upstream's that this package
    uses, with `mustProgress = true`. Source: upstream MLIR, `LLVM::LoopAnnotationAttr`.
    """

    name = "llvm.loop_annotation"

    requests: DictionaryAttr

    KNOWN: ClassVar = ("vectorize.disable", "unroll.disable", "unroll.count", "mustProgress")

    @classmethod
    def of(
        cls,
        *,
        vectorize: bool | None = None,
        unroll: bool | None = None,
        unroll_count: int | None = None,
        must_progress: bool = False,
    ) -> "LoopAnnotationAttr":
        """An annotation with the given requests; None leaves the decision to LLVM."""
        requests: dict[str, Attribute] = {}
        for name, value in (("vectorize.disable", vectorize), ("unroll.disable", unroll)):
            if value is not None:
                requests[name] = IntegerAttr.from_bool(not value)
        if unroll_count is not None:
            requests["unroll.count"] = IntegerAttr(unroll_count, 32)
        if must_progress:
            requests["mustProgress"] = IntegerAttr.from_bool(True)
        return cls(DictionaryAttr(requests))

    @property
    def vectorize(self) -> bool | None:
        """Whether LLVM is to vectorize the loop."""
        return self._negated("vectorize.disable")

    @property
    def unroll(self) -> bool | None:
        """Whether LLVM is to unroll the loop."""
        return self._negated("unroll.disable")

    @property
    def unroll_count(self) -> int | None:
        """The number of iterations to unroll."""
        return self._number("unroll.count")

    @property
    def must_progress(self) -> bool:
        """Whether LLVM may assume that the loop terminates."""
        return bool(self._number("mustProgress"))

    def _number(self, name: str) -> int | None:
        value = self.requests.data.get(name)
        return value.value.data if isinstance(value, IntegerAttr) else None

    def _negated(self, name: str) -> bool | None:
        value = self._number(name)
        return None if value is None else not value

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> tuple[DictionaryAttr]:
        requests: dict[str, Attribute] = {}

        def parse_request(prefix: str) -> None:
            name = prefix + parser.parse_identifier()
            parser.parse_punctuation("=")
            if not prefix and parser.parse_optional_punctuation("<") is not None:
                parser.parse_comma_separated_list(
                    parser.Delimiter.NONE, lambda: parse_request(f"{name}.")
                )
                parser.parse_punctuation(">")
            else:
                requests[name] = parser.parse_attribute()

        parser.parse_comma_separated_list(parser.Delimiter.ANGLE, lambda: parse_request(""))
        return (DictionaryAttr(requests),)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_list(self._groups(), lambda group: self._print_group(printer, *group))

    def _groups(self) -> list[tuple[str, dict[str, Attribute]]]:
        groups: dict[str, dict[str, Attribute]] = {}
        for name in self.KNOWN:
            if (value := self.requests.data.get(name)) is not None:
                group, _, rest = name.partition(".")
                groups.setdefault(group, {})[rest] = value
        return list(groups.items())

    def _print_group(self, printer: Printer, group: str, parts: dict[str, Attribute]) -> None:
        printer.print_string(f"{group} = ")
        if list(parts) == [""]:
            printer.print_attribute(parts[""])
            return
        with printer.in_angle_brackets():
            printer.print_list(parts.items(), lambda part: self._print_part(printer, *part))

    def _print_part(self, printer: Printer, name: str, value: Attribute) -> None:
        printer.print_string(f"{name} = ")
        printer.print_attribute(value)

    def verify(self) -> None:
        for name, value in self.requests.data.items():
            if name not in self.KNOWN or not isinstance(value, IntegerAttr):
                raise VerifyException(
                    f"'{name}' is not a known loop annotation with an integer as value"
                )


class AtomicOrdering(StrEnum):
    """Orderings of atomic accesses, spelled as in the custom form."""

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

        Raises `VerifyException` for an integer that encodes no ordering.
        """
        if (ordering := _ORDERING_BY_CODE.get(code)) is None:
            raise VerifyException(f"{code} is not the code of an atomic ordering")
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

        Raises `VerifyException` for an integer that encodes no operation.
        """
        if not 0 <= code < len(_BIN_OPS):
            raise VerifyException(f"{code} is not the code of an atomic operation")
        return _BIN_OPS[code]


_BIN_OPS: tuple[AtomicBinOp, ...] = tuple(AtomicBinOp)
