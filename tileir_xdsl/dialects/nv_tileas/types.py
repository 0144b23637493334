"""Types of `nv_tileas`: pipeline tokens and iterators, async tokens, descriptors, tiled views.

Tiles are builtin tensors. Producer and consumer tokens carry no payload: they represent ownership
of a pipeline stage.

A pipeline of two stages, in the first four iterations of a loop; time increases to the right:

    iteration      0        1        2        3
    stage          0        1        0        1
    phase          0        0        1        1
    producer  | fill 0 | fill 1 | fill 0 | fill 1 |
    consumer           | read 0 | read 1 | read 0 | read 1 |

The producer token owns a stage while it is filled, from `producer_acquire` to `producer_commit`.
The consumer token owns the stage while it is read, from `consumer_wait` to `consumer_release`. The
iterator selects the stage. A stage holds the iterator's payload, here a tile. The buffer has one
more dimension, which counts the stages:

    >>> from xdsl.dialects.builtin import f16
    >>> tile = tile_type([64, 32], f16)
    >>> print(PipelineIteratorType([tile]))
    !nv_tileas.async.pipeline.iterator<tile<64x32xf16>>
    >>> stages = TiledViewType([2, 64, 32], f16, Residency.SHARED)
    >>> print(stages, "in", memory_of(stages))
    !nv_tileas.tiled_view<2x64x32xf16, smem> in Memory.SHARED
    >>> print(PipelineProducerTokenType(), PipelineConsumerTokenType())
    !nv_tileas.async.pipeline.producer_token !nv_tileas.async.pipeline.consumer_token
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    IntAttr,
    MemRefType,
    NoneAttr,
    TensorType,
)
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.nv_tileaa.types import tile_type
from tileir_xdsl.dialects.plain_type import PlainType
from tileir_xdsl.dialects.tile_spelling import parse_type, print_type
from tileir_xdsl.targets.atoms import Memory

from .attributes import (
    MemoryAttr,
    Residency,
    ResidencyAttr,
    parse_optional_layout,
    print_optional_layout,
)
from .layout import LayoutAttr


@irdl_attr_definition
class PipelineProducerTokenType(PlainType):
    """`!nv_tileas.async.pipeline.producer_token`: acquire a stage, write it, commit it."""

    name = "nv_tileas.async.pipeline.producer_token"


@irdl_attr_definition
class PipelineConsumerTokenType(PlainType):
    """`!nv_tileas.async.pipeline.consumer_token`: wait for a stage, read it, release it."""

    name = "nv_tileas.async.pipeline.consumer_token"


@irdl_attr_definition
class PipelineIteratorType(ParametrizedAttribute, TypeAttribute):
    """`!nv_tileas.async.pipeline.iterator<tile<128x128xf16>>`: a position that cycles through the
    stages.

    The payload is the contents of a stage: the types of one or more values.
    """

    name = "nv_tileas.async.pipeline.iterator"

    payload: ArrayAttr[Attribute]

    def __init__(self, payload: Sequence[Attribute]):
        super().__init__(ArrayAttr(payload))

    @classmethod
    def parse_parameters(cls, parser: AttrParser):
        types = parser.parse_comma_separated_list(
            parser.Delimiter.ANGLE, lambda: parse_type(parser)
        )
        return (ArrayAttr(types),)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_list(self.payload, lambda type: print_type(printer, type))

    def verify(self) -> None:
        if not self.payload.data:
            raise VerifyException("expects a pipeline iterator to have a payload")


@irdl_attr_definition
class AsyncTokenType(PlainType):
    """`!nv_tileas.async_token`: completion of an asynchronous copy, dot or TMA transfer."""

    name = "nv_tileas.async_token"


@irdl_attr_definition
class AgentType(ParametrizedAttribute, TypeAttribute):
    """`!nv_tileas.agent<4>`: the warps that run one region of `agent_switch`."""

    name = "nv_tileas.agent"

    num_warps: IntAttr

    def __init__(self, num_warps: int):
        super().__init__(IntAttr(num_warps))

    @classmethod
    def parse_parameters(cls, parser: AttrParser):
        with parser.in_angle_brackets():
            return (IntAttr(parser.parse_integer(allow_boolean=False, allow_negative=False)),)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_int(self.num_warps.data)

    def verify(self) -> None:
        if self.num_warps.data < 1:
            raise VerifyException(
                f"expects an agent of at least one warp, but got {self.num_warps.data}"
            )


@irdl_attr_definition
class TmaDescType(PlainType):
    """`!nv_tileas.tma_desc`: a tensor map, with which TMA finds a tile in global memory."""

    name = "nv_tileas.tma_desc"


@irdl_attr_definition
class TiledViewType(ParametrizedAttribute, TypeAttribute):
    """`!nv_tileas.tiled_view<128x64xf16, smem, <(128, 64), (64, 1), swizzle<3, 4, 3>>>`.

    A view of tiles of this shape, of an object in the memory that its residency names. The optional
    layout maps the coordinates of an element to its offset in the tile.
    """

    name = "nv_tileas.tiled_view"

    shape: ArrayAttr[IntAttr]
    element_type: Attribute
    residency: ResidencyAttr
    layout: LayoutAttr | NoneAttr

    def __init__(
        self,
        shape: Sequence[int],
        element_type: Attribute,
        residency: Residency,
        layout: LayoutAttr | None = None,
    ):
        super().__init__(
            ArrayAttr(IntAttr(size) for size in shape),
            element_type,
            ResidencyAttr(residency),
            NoneAttr() if layout is None else layout,
        )

    def get_shape(self) -> tuple[int, ...]:
        return tuple(size.data for size in self.shape)

    @property
    def tile_type(self) -> Attribute:
        """The type of a tile of this view as a value."""
        return tile_type(self.get_shape(), self.element_type)

    @classmethod
    def parse_parameters(cls, parser: AttrParser):
        with parser.in_angle_brackets():
            shape = parser.parse_dimension_list()
            if shape:
                parser.parse_shape_delimiter()
            element = parser.parse_type()
            parser.parse_punctuation(",")
            residency = ResidencyAttr(parser.parse_str_enum(Residency))
            layout = parse_optional_layout(parser)
        return ArrayAttr(IntAttr(size) for size in shape), element, residency, layout

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            if self.shape.data:
                printer.print_dimension_list(self.get_shape())
                printer.print_string("x")
            printer.print_attribute(self.element_type)
            printer.print_string(f", {self.residency.data}")
            print_optional_layout(printer, self.layout)

    def verify(self) -> None:
        if any(size <= 0 for size in self.get_shape()):
            raise VerifyException(
                f"all dimensions must be positive constants, got {list(self.get_shape())}"
            )


View = nv_tileaa.TiledViewType | TiledViewType
"""A view of tiles, with or without residency."""

_ADDRESS_SPACES = {1: Memory.GLOBAL, 3: Memory.SHARED, 6: Memory.TENSOR}
"""The address spaces of LLVM's NVPTX backend."""


def memory_of(type: Attribute) -> Memory | None:
    """The memory that holds values of this type, or to which they refer; None if the type does not
    say.
    """
    match type:
        case TiledViewType():
            return type.residency.data.memory
        case nv_tileaa.TiledViewType(memref=nv_tileaa.MemRefType() as source):
            return _ADDRESS_SPACES.get(source.address_space.data)
        case nv_tileaa.MemRefType():
            return _ADDRESS_SPACES.get(type.address_space.data)
        case TensorType(encoding=MemoryAttr() as encoding):
            return encoding.residency.data.memory
        case TensorType(encoding=LayoutAttr()):
            return Memory.REGISTER
        case MemRefType(memory_space=MemoryAttr() as space):
            return space.residency.data.memory
        case _:
            return None


def is_handle(type: Attribute) -> bool:
    """Whether values of a type refer to a tile in shared memory, which a copy may still be
    filling.
    """
    # A copy in flight names the buffer that it will have filled.
    if isinstance(type, ValueType):
        type = type.payload
    return isinstance(type, TensorType) and memory_of(type) is Memory.SHARED


def layout_of(type: Attribute) -> LayoutAttr | None:
    """The layout in memory that the type of a view or buffer has, if any."""
    match type:
        case TiledViewType(layout=LayoutAttr() as layout):
            return layout
        case TensorType(encoding=MemoryAttr(layout=LayoutAttr() as layout)):
            return layout
        case _:
            return None
