"""Facts that `assume` states about a value.

Source: Tile IR specification, section "Miscellaneous" (assume).
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, IntAttr, IntegerType, NoneAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from .attributes import optional_int
from .types import MemRefType, PointerType, TileShape, tile_shape

MAX_DIVISOR = 1 << 62


class AssumePredicateAttr(ParametrizedAttribute, ABC):
    """Base of the facts."""

    @abstractmethod
    def verify_value_type(self, type: Attribute) -> None:
        """Raises `VerifyException` if the fact cannot hold for a value of this type."""


def _integer_or_none(value: IntAttr | NoneAttr) -> int | None:
    return value.data if isinstance(value, IntAttr) else None


@irdl_attr_definition
class DivByAttr(AssumePredicateAttr):
    """`#nv_tileaa.div_by<16[, every 4 along 0]>`: divisibility of integers or of addresses.

    With `every` and `along`, this holds for the first of each group of `every` elements along a
    dimension. Inside a group, elements increase by 1 (pointers: by the size of the pointee).
    """

    name = "nv_tileaa.div_by"

    divisor: IntAttr
    every: IntAttr | NoneAttr
    along: IntAttr | NoneAttr

    def __init__(self, divisor: int, every: int | None = None, along: int | None = None):
        super().__init__(IntAttr(divisor), optional_int(every), optional_int(along))

    @property
    def holds_for_every_element(self) -> bool:
        """Whether the fact holds for all elements of a tile, not only for the first of each
        group.
        """
        return isinstance(self.every, NoneAttr)

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
        return IntAttr(divisor), optional_int(every), optional_int(along)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_int(self.divisor.data)
            if isinstance(self.every, IntAttr) and isinstance(self.along, IntAttr):
                printer.print_string(f", every {self.every.data} along {self.along.data}")

    def verify(self) -> None:
        divisor = self.divisor.data
        if divisor <= 0 or divisor & (divisor - 1):
            raise VerifyException(f"'{self.name}' divisor must be a power of 2")
        if isinstance(self.every, IntAttr) != isinstance(self.along, IntAttr):
            raise VerifyException(f"'{self.name}' 'every'/'along' must be used in combination")
        if divisor > MAX_DIVISOR:
            raise VerifyException(f"'{self.name}' divisor is too large")

    def verify_value_type(self, type: Attribute) -> None:
        every, along = _integer_or_none(self.every), _integer_or_none(self.along)
        if isinstance(type, MemRefType):
            if every is not None:
                raise VerifyException(
                    f"'{self.name}' 'every'/'along' cannot be used if the constrained value is "
                    "a memref"
                )
            return
        tile = _tile_of_addresses(type)
        if tile is None:
            raise VerifyException(
                f"'{self.name}' is valid only for integers, pointers and memrefs, but got {type}"
            )
        if every is None or along is None:
            return
        if not tile.shape:
            raise VerifyException(
                f"'{self.name}' 'every'/'along' cannot be used if the constrained value is a "
                "0D tile"
            )
        if along >= len(tile.shape):
            raise VerifyException(
                f"'{self.name}' expects 'along' to be below {len(tile.shape)}, but got {along}"
            )
        if every > tile.shape[along]:
            raise VerifyException(
                f"'{self.name}' expects 'every' to be at most {tile.shape[along]}, but got {every}"
            )


@irdl_attr_definition
class BoundedAttr(AssumePredicateAttr):
    """`#nv_tileaa.bounded<0, ?>`: signed inclusive bounds of integers, `?` for none."""

    name = "nv_tileaa.bounded"

    lower: IntAttr | NoneAttr
    upper: IntAttr | NoneAttr

    def __init__(self, lower: int | None, upper: int | None):
        super().__init__(optional_int(lower), optional_int(upper))

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
            raise VerifyException(
                f"'{self.name}' expects lower bound to be less than or equal to upper bound"
            )

    def verify_value_type(self, type: Attribute) -> None:
        element = tile_shape(type).element
        if not isinstance(element, IntegerType):
            raise VerifyException(f"'{self.name}' is valid only for integers, but got {type}")
        limit = 1 << (element.width.data - 1)
        for what, bound in (("lower", self.lower), ("upper", self.upper)):
            if isinstance(bound, IntAttr) and not -limit <= bound.data < limit:
                raise VerifyException(
                    f"'{self.name}' expects {what} bound to be within [{-limit}, {limit - 1}]"
                )


@irdl_attr_definition
class SameElementsAttr(AssumePredicateAttr):
    """`#nv_tileaa.same_elements<[1, 4]>`: elements of each aligned group of this shape agree."""

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

    def verify_value_type(self, type: Attribute) -> None:
        tile = _tile_of_addresses(type)
        if tile is None:
            raise VerifyException(
                f"'{self.name}' is valid only for integers and pointers, but got {type}"
            )
        lengths = [length.data for length in self.lengths]
        if len(lengths) != len(tile.shape):
            raise VerifyException(
                f"'{self.name}' expects {len(tile.shape)} lengths, but got {len(lengths)}"
            )
        for length, extent in zip(lengths, tile.shape, strict=True):
            if length > extent:
                raise VerifyException(
                    f"'{self.name}' expects lengths from 0 to {extent}, but got {length}"
                )


def _tile_of_addresses(type: Attribute) -> TileShape | None:
    """Shape and element of a tile of integers or pointers; None for anything else."""
    tile = tile_shape(type)
    return tile if isinstance(tile.element, IntegerType | PointerType) else None
