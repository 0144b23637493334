"""Assume predicates and optimisation hints.

Source: Tile IR specification, section 8.12.1 (assume) and 8.3.6 (entry).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntAttr,
    IntegerAttr,
    IntegerType,
    NoneAttr,
    i1,
)
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.cuda_tile.parsing import expect, expect_keyword
from tileir_xdsl.dialects.cuda_tile.types import (
    PointerType,
    TensorViewType,
    TileType,
    checked,
    int_array,
    ints,
    is_power_of_two,
)

_MAX_DIVISOR = 1 << 62


def _optional_int(value: int | None) -> IntAttr | NoneAttr:
    return NoneAttr() if value is None else IntAttr(value)


def _int_or_none(attribute: Attribute) -> int | None:
    return attribute.data if isinstance(attribute, IntAttr) else None


def _is_tile_of_integers(type_: Attribute) -> bool:
    return isinstance(type_, TileType) and isinstance(type_.element_type, IntegerType)


def _is_tile_of_pointers(type_: Attribute) -> bool:
    return isinstance(type_, TileType) and isinstance(type_.element_type, PointerType)


class AssumePredicateAttr(ParametrizedAttribute, ABC):
    """The statement of an `assume` about its value."""

    @abstractmethod
    def verify_value_type(self, type_: Attribute) -> None:
        """Raises `VerifyException` if the predicate cannot hold for a value of this type."""


@irdl_attr_definition
class DivByAttr(AssumePredicateAttr):
    """`#cuda_tile.div_by<16>` or `#cuda_tile.div_by<16, every 4 along 0>`.

    The values (addresses in bytes for pointers and tensor views) are divisible by `divisor`. With
    `every` and `along` this holds for the first of each group of `every` elements along dimension
    `along`. Inside a group, elements increase by 1 (pointers: by the size of the pointee).
    """

    name = "cuda_tile.div_by"

    divisor: IntAttr
    every: IntAttr | NoneAttr
    along: IntAttr | NoneAttr

    def __init__(self, divisor: int, every: int | None = None, along: int | None = None):
        super().__init__(IntAttr(divisor), _optional_int(every), _optional_int(along))

    @property
    def every_value(self) -> int | None:
        """Size of a group, or None."""
        return _int_or_none(self.every)

    @property
    def along_value(self) -> int | None:
        """Dimension along which groups lie, or None."""
        return _int_or_none(self.along)

    def verify_value_type(self, type_: Attribute) -> None:
        divisor, every, along = self.divisor.data, self.every_value, self.along_value
        if divisor <= 0 or not is_power_of_two(divisor):
            raise VerifyException("'cuda_tile.div_by' divisor must be a power of 2")
        if (every is None) != (along is None):
            raise VerifyException("'cuda_tile.div_by' 'every'/'along' must be used in combination")
        if divisor > _MAX_DIVISOR:
            raise VerifyException("'cuda_tile.div_by' divisor is too large")
        if isinstance(type_, TensorViewType):
            if every is not None:
                raise VerifyException(
                    "'cuda_tile.div_by' 'every'/'along' cannot be used if the constrained value "
                    "is a tensor_view"
                )
            return
        if not (_is_tile_of_integers(type_) or _is_tile_of_pointers(type_)):
            raise VerifyException(
                "'cuda_tile.div_by' is valid only for tile of integer/pointer or tensor_view values"
            )
        assert isinstance(type_, TileType)
        if every is None or along is None:
            return
        shape = type_.get_shape()
        if not shape:
            raise VerifyException(
                "'cuda_tile.div_by' 'every'/'along' cannot be used if the constrained value is a "
                "0D tile"
            )
        if not 0 <= along < len(shape):
            raise VerifyException(
                f"'cuda_tile.div_by' every_dim ({along}) must be >= 0 and < tile rank "
                f"({len(shape)})"
            )
        if not 0 <= every <= shape[along]:
            raise VerifyException(
                "expected 'cuda_tile.div_by' every_dim to be within 0 and the size of the "
                f"respective dimension ({shape[along]})"
            )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        expect(parser, "<")
        divisor = parser.parse_optional_integer(allow_boolean=False)
        if divisor is None:
            parser.raise_error(
                "failed to parse parameter 'divisor' which is expected to be an integer"
            )
        every = along = None
        if parser.parse_optional_punctuation(","):
            expect_keyword(parser, "every")
            every = parser.parse_integer(allow_boolean=False)
            expect_keyword(parser, "along")
            along = parser.parse_integer(allow_boolean=False)
        expect(parser, ">")
        return cls(divisor, every, along).parameters

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{self.divisor.data}")
        if self.every_value is not None:
            printer.print_string(f", every {self.every_value} along {self.along_value}")
        printer.print_string(">")


@irdl_attr_definition
class SameElementsAttr(AssumePredicateAttr):
    """`#cuda_tile.same_elements<[1, 4]>`: elements of each aligned group of this shape agree."""

    name = "cuda_tile.same_elements"

    values: ArrayAttr[IntAttr]

    def __init__(self, values: Sequence[int]):
        super().__init__(int_array(values))

    def get_values(self) -> tuple[int, ...]:
        """Shape of a group."""
        return ints(self.values)

    def verify_value_type(self, type_: Attribute) -> None:
        if not (_is_tile_of_integers(type_) or _is_tile_of_pointers(type_)):
            raise VerifyException(
                "'cuda_tile.same_elements' is valid only for tile of integer/pointer values"
            )
        assert isinstance(type_, TileType)
        values, shape = self.get_values(), type_.get_shape()
        if len(values) != len(shape):
            raise VerifyException(
                f"expected number of values in 'cuda_tile.same_elements' ({len(values)}) to match "
                f"rank of constrained tile ({len(shape)})"
            )
        for index, (value, extent) in enumerate(zip(values, shape, strict=True)):
            if not 0 <= value <= extent:
                raise VerifyException(
                    f"expected 'cuda_tile.same_elements' value {index} to be within 0 and the "
                    f"size of the respective dimension ({extent})"
                )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        expect(parser, "<")
        values = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: parser.parse_integer(allow_boolean=False)
        )
        expect(parser, ">")
        return cls(values).parameters

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<[{', '.join(map(str, self.get_values()))}]>")


@irdl_attr_definition
class BoundedAttr(AssumePredicateAttr):
    """`#cuda_tile.bounded<0, ?>`: inclusive bounds of the signed values, `?` for none."""

    name = "cuda_tile.bounded"

    lower: IntAttr | NoneAttr
    upper: IntAttr | NoneAttr

    def __init__(self, lower: int | None, upper: int | None):
        super().__init__(_optional_int(lower), _optional_int(upper))

    @property
    def lower_bound(self) -> int | None:
        """Smallest possible value, or None."""
        return _int_or_none(self.lower)

    @property
    def upper_bound(self) -> int | None:
        """Largest possible value, or None."""
        return _int_or_none(self.upper)

    def verify_value_type(self, type_: Attribute) -> None:
        if not isinstance(type_, TileType) or not isinstance(type_.element_type, IntegerType):
            raise VerifyException("'cuda_tile.bounded' is valid only for tile of integer values")
        width = type_.element_type.width.data
        low, high = -(1 << (width - 1)), (1 << (width - 1)) - 1
        lower, upper = self.lower_bound, self.upper_bound
        for what, bound in (("lower", lower), ("upper", upper)):
            if bound is not None and not low <= bound <= high:
                raise VerifyException(
                    f"'cuda_tile.bounded' expects {what} bound to be within [{low}, {high}]"
                )
        if lower is not None and upper is not None and lower > upper:
            raise VerifyException(
                "'cuda_tile.bounded' expects lower bound to be less than or equal to upper bound"
            )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        expect(parser, "<")
        lower = _parse_bound(parser)
        expect(parser, ",")
        upper = _parse_bound(parser)
        expect(parser, ">")
        return cls(lower, upper).parameters

    def print_parameters(self, printer: Printer) -> None:
        lower = "?" if self.lower_bound is None else self.lower_bound
        upper = "?" if self.upper_bound is None else self.upper_bound
        printer.print_string(f"<{lower}, {upper}>")


def _parse_bound(parser: AttrParser) -> int | None:
    if parser.parse_optional_punctuation("?"):
        return None
    return parser.parse_integer(allow_boolean=False)


PREDICATES: dict[str, type[AssumePredicateAttr]] = {
    "div_by": DivByAttr,
    "same_elements": SameElementsAttr,
    "bounded": BoundedAttr,
}
"""Assume predicates by the mnemonic that the text writes."""


@irdl_attr_definition
class OptimizationHintsAttr(ParametrizedAttribute):
    """`#cuda_tile.optimization_hints<sm_100 = {occupancy = 2}, default = {}>`.

    Hints per architecture; a target uses its own entry or, without one, `default`.
    """

    name = "cuda_tile.optimization_hints"

    value: DictionaryAttr

    def __init__(self, value: DictionaryAttr | Mapping[str, Attribute]):
        hints = value if isinstance(value, DictionaryAttr) else DictionaryAttr(dict(value))
        super().__init__(hints)

    def verify(self) -> None:
        for key, entry in self.value.data.items():
            if not isinstance(entry, DictionaryAttr):
                raise VerifyException(
                    "expected dictionary attribute for optimization_hints entry "
                    f"`{key}` got value={entry}"
                )

    def hints_for(self, architecture: str) -> Mapping[str, int | bool]:
        """Hints of `architecture` (`sm_100`); without an entry of its own, those of `default`."""
        entry = self.value.data.get(architecture, self.value.data.get("default"))
        if not isinstance(entry, DictionaryAttr):
            return {}
        return {
            key: bool(hint.value.data) if hint.type == i1 else hint.value.data
            for key, hint in entry.data.items()
            if isinstance(hint, IntegerAttr)
        }

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        position = parser.pos
        expect(parser, "<")
        hints: dict[str, Attribute] = {}
        while not parser.parse_optional_punctuation(">"):
            if hints:
                expect(parser, ",")
            key = parser.parse_optional_identifier_or_str_literal()
            if key is None:
                parser.raise_error("expected valid keyword or string")
            if key in hints:
                parser.raise_error(f"duplicate optimization_hints key `{key}`")
            expect(parser, "=")
            value = parser.parse_optional_attribute()
            if value is None:
                parser.raise_error("expected attribute value")
            hints[key] = value
        return checked(parser, position, lambda: cls(hints)).parameters

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_list(sorted(self.value.data), lambda key: self._print_entry(printer, key))

    def _print_entry(self, printer: Printer, architecture: str) -> None:
        printer.print_identifier_or_string_literal(architecture)
        printer.print_string(" = {")
        entry = self.value.data[architecture]
        assert isinstance(entry, DictionaryAttr)

        def print_hint(key: str) -> None:
            printer.print_identifier_or_string_literal(key)
            printer.print_string(" = ")
            _print_untyped(printer, entry.data[key])

        printer.print_list(sorted(entry.data), print_hint)
        printer.print_string("}")


def _print_untyped(printer: Printer, value: Attribute) -> None:
    if isinstance(value, IntegerAttr):
        value.print_without_type(printer)
    else:
        printer.print_attribute(value)
