"""Types of `nv_tileaa`: typed pointers, memory objects, tile views of them, tokens, queues.

Tiles themselves are builtin `tensor<..>`; a rank-0 tile is its bare element.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import DYNAMIC_INDEX, ArrayAttr, IntAttr, TensorType
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.enumerations import PointerKind
from tileir_xdsl.dialects.plain_type import PlainType

from .attributes import PointerKindAttr

GLOBAL_ADDRESS_SPACE = 1
"""The global address space in LLVM's NVPTX backend; the default of pointers and memrefs."""


def parse_dimension(parser: AttrParser) -> int:
    """One extent or stride: a decimal integer, or `?` for a dynamic one."""
    if parser.parse_optional_punctuation("?"):
        return DYNAMIC_INDEX
    return parser.parse_integer(allow_boolean=False, allow_negative=False)


def print_dimension(printer: Printer, value: int) -> None:
    printer.print_string("?" if value == DYNAMIC_INDEX else str(value))


def _parse_shaped_element(parser: AttrParser) -> tuple[list[int], Attribute]:
    shape = parser.parse_dimension_list()
    if shape:
        parser.parse_shape_delimiter()
    return shape, parser.parse_type()


def _print_shaped_element(printer: Printer, shape: Sequence[int], element: Attribute) -> None:
    if shape:
        printer.print_dimension_list(shape)
        printer.print_string("x")
    printer.print_attribute(element)


def _parse_memory(parser: AttrParser) -> tuple[IntAttr, PointerKindAttr]:
    """`[, address space][, pointer kind]`."""
    space, kind = GLOBAL_ADDRESS_SPACE, PointerKind.NONE
    if parser.parse_optional_punctuation(","):
        number = parser.parse_optional_integer(allow_boolean=False, allow_negative=False)
        if number is not None:
            space = number
        if number is None or parser.parse_optional_punctuation(","):
            kind = parser.parse_str_enum(PointerKind)
    return IntAttr(space), PointerKindAttr(kind)


def _print_memory(printer: Printer, space: IntAttr, kind: PointerKindAttr) -> None:
    if space.data != GLOBAL_ADDRESS_SPACE:
        printer.print_string(f", {space.data}")
    if kind.data != PointerKind.NONE:
        printer.print_string(f", {kind.data}")


@irdl_attr_definition
class PointerType(ParametrizedAttribute, TypeAttribute):
    """`!nv_tileaa.ptr<f32>`: a pointer to elements of one type, in one address space.

    `!nv_tileaa.ptr<f32, multicast>` refers to memory of several devices at once.
    """

    name = "nv_tileaa.ptr"

    pointee: Attribute
    address_space: IntAttr
    kind: PointerKindAttr

    def __init__(
        self,
        pointee: Attribute,
        address_space: int = GLOBAL_ADDRESS_SPACE,
        kind: PointerKind = PointerKind.NONE,
    ):
        super().__init__(pointee, IntAttr(address_space), PointerKindAttr(kind))

    @classmethod
    def parse_parameters(cls, parser: AttrParser):
        with parser.in_angle_brackets():
            return parser.parse_type(), *_parse_memory(parser)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_attribute(self.pointee)
            _print_memory(printer, self.address_space, self.kind)


@irdl_attr_definition
class MemRefType(ParametrizedAttribute, TypeAttribute):
    """`!nv_tileaa.memref<?x64xf32, strides = [64, 1]>`: a memory object.

    Sizes and strides count elements; `?` stands for an operand of `make_memref`. Address space and
    pointer kind are those of the base pointer.
    """

    name = "nv_tileaa.memref"

    shape: ArrayAttr[IntAttr]
    element_type: Attribute
    strides: ArrayAttr[IntAttr]
    address_space: IntAttr
    kind: PointerKindAttr

    def __init__(
        self,
        shape: Sequence[int],
        element_type: Attribute,
        strides: Sequence[int],
        address_space: int = GLOBAL_ADDRESS_SPACE,
        kind: PointerKind = PointerKind.NONE,
    ):
        super().__init__(
            ArrayAttr(IntAttr(size) for size in shape),
            element_type,
            ArrayAttr(IntAttr(stride) for stride in strides),
            IntAttr(address_space),
            PointerKindAttr(kind),
        )

    def get_shape(self) -> tuple[int, ...]:
        return tuple(size.data for size in self.shape)

    def get_strides(self) -> tuple[int, ...]:
        return tuple(stride.data for stride in self.strides)

    @classmethod
    def parse_parameters(cls, parser: AttrParser):
        with parser.in_angle_brackets():
            shape, element = _parse_shaped_element(parser)
            strides: list[int] = []
            if shape:
                parser.parse_punctuation(",")
                parser.parse_keyword("strides")
                parser.parse_punctuation("=")
                strides = parser.parse_comma_separated_list(
                    parser.Delimiter.SQUARE, lambda: parse_dimension(parser)
                )
            if len(shape) != len(strides):
                parser.raise_error(f"expected {len(shape)} strides, got {len(strides)}")
            return (
                ArrayAttr(IntAttr(size) for size in shape),
                element,
                ArrayAttr(IntAttr(stride) for stride in strides),
                *_parse_memory(parser),
            )

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            _print_shaped_element(printer, self.get_shape(), self.element_type)
            if self.shape.data:
                printer.print_string(", strides = [")
                printer.print_list(self.get_strides(), lambda s: print_dimension(printer, s))
                printer.print_string("]")
            _print_memory(printer, self.address_space, self.kind)

    def verify(self) -> None:
        if len(self.shape) != len(self.strides):
            raise VerifyException(f"expected {len(self.shape)} strides, got {len(self.strides)}")


@irdl_attr_definition
class TiledViewType(ParametrizedAttribute, TypeAttribute):
    """`!nv_tileaa.tiled_view<16x64xf32, !nv_tileaa.memref<..>>`: a memory object cut into tiles.

    The shape is that of one tile; the type of the memory object is optional.
    """

    name = "nv_tileaa.tiled_view"

    shape: ArrayAttr[IntAttr]
    element_type: Attribute
    source: ArrayAttr[MemRefType]

    def __init__(
        self, shape: Sequence[int], element_type: Attribute, source: MemRefType | None = None
    ):
        super().__init__(
            ArrayAttr(IntAttr(size) for size in shape),
            element_type,
            ArrayAttr(() if source is None else (source,)),
        )

    def get_shape(self) -> tuple[int, ...]:
        return tuple(size.data for size in self.shape)

    @property
    def memref(self) -> MemRefType | None:
        """The type of the memory object, if the view's type includes it."""
        return self.source.data[0] if self.source.data else None

    @property
    def tile_type(self) -> Attribute:
        """The type of a tile of this view as a value."""
        return tile_type(self.get_shape(), self.element_type)

    @classmethod
    def parse_parameters(cls, parser: AttrParser):
        with parser.in_angle_brackets():
            shape, element = _parse_shaped_element(parser)
            source: list[MemRefType] = []
            if parser.parse_optional_punctuation(","):
                source_type = parser.parse_type()
                if not isinstance(source_type, MemRefType):
                    parser.raise_error(f"expected '{MemRefType.name}' type, but got {source_type}")
                source.append(source_type)
            return ArrayAttr(IntAttr(size) for size in shape), element, ArrayAttr(source)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            _print_shaped_element(printer, self.get_shape(), self.element_type)
            for source in self.source:
                printer.print_string(", ")
                printer.print_attribute(source)

    def verify(self) -> None:
        for source in self.source:
            if source.element_type != self.element_type:
                raise VerifyException(
                    "expected the view to have the element type of its memref, "
                    f"{source.element_type}, got {self.element_type}"
                )


@irdl_attr_definition
class MemTokenType(PlainType):
    """`!nv_tileaa.mem_token`: an ordering edge between memory accesses; no payload."""

    name = "nv_tileaa.mem_token"


@irdl_attr_definition
class ProgramIdType(PlainType):
    """`!nv_tileaa.program_id`: the ID of a tile block in the grid, or an invalid ID."""

    name = "nv_tileaa.program_id"


@irdl_attr_definition
class QueueType(ParametrizedAttribute, TypeAttribute):
    """`!nv_tileaa.queue<tensor<8xf32>, i32>`: transfers tuples of values from one agent to another.

    The producer and the consumer of an `isolated` queue share no other values.
    """

    name = "nv_tileaa.queue"

    element_types: ArrayAttr[Attribute]
    isolated: IntAttr

    def __init__(self, element_types: Sequence[Attribute], isolated: bool = False):
        super().__init__(ArrayAttr(element_types), IntAttr(int(isolated)))

    @classmethod
    def parse_parameters(cls, parser: AttrParser):
        with parser.in_angle_brackets():
            types = [parser.parse_type()]
            isolated = False
            while parser.parse_optional_punctuation(","):
                if parser.parse_optional_keyword("isolated") is not None:
                    isolated = True
                    break
                types.append(parser.parse_type())
        return ArrayAttr(types), IntAttr(int(isolated))

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_list(self.element_types, printer.print_attribute)
            if self.isolated.data:
                printer.print_string(", isolated")

    def verify(self) -> None:
        if not self.element_types.data:
            raise VerifyException("expects a queue to carry at least one value")


def tile_type(shape: Sequence[int], element: Attribute, encoding: Attribute | None = None):
    """The type of a tile as a value: a tensor, or the element type at rank 0."""
    if not shape:
        return element
    return TensorType(element, shape) if encoding is None else TensorType(element, shape, encoding)


@dataclass(frozen=True)
class TileShape:
    """Shape and element type of a tile value, rank 0 for a scalar."""

    shape: tuple[int, ...]
    element: Attribute


def tile_shape(value_type: Attribute) -> TileShape:
    """Shape and element type of a tensor or scalar type."""
    if isinstance(value_type, TensorType):
        return TileShape(value_type.get_shape(), value_type.get_element_type())
    return TileShape((), value_type)
