"""Ops that change the layout of a tile, or the type as which a tile or buffer is read.

    %b = nv_tileas.convert_layout %a : tensor<128x64xf16, #x> -> tensor<128x64xf16, #y>
    %s = nv_tileas.view %buffer offset %o : tensor<2x128x64xf16, #smem> to tensor<128x64xf16, #smem>

Source: the TileAS operation roster, family "layout".
"""

from collections.abc import Sequence
from functools import lru_cache
from math import prod

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    I64,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    TensorType,
    i32,
    i64,
)
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    BaseAttr,
    IRDLOperation,
    ParsePropInAttrDict,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.irdl.declarative_assembly_format import (
    CustomDirective,
    ParsingState,
    PrintingState,
    TypeDirective,
    irdl_custom_directive,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.element_interfaces import (
    BufferViewOpInterface,
    InOrder,
    OrderedElementsOpInterface,
    Reindexed,
    ReindexedOpInterface,
    SameBits,
)
from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.memory_effects import (
    Effects,
    RegistersOpInterface,
    SharedMemoryOpInterface,
)
from tileir_xdsl.dialects.nv_tileaa.constraints import (
    element_type,
    memory_bits,
    moved_bits,
    rank_of,
    verify_pure_body,
)
from tileir_xdsl.dialects.nv_tileaa.shapes import InsertedDimensionOp
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileaa.yields import verify_yields
from tileir_xdsl.dialects.scratch import Bytes, Carried, Rearranged, ScratchNeed
from tileir_xdsl.layout.conversion import RenamePlan, plan_conversion
from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.shuffles import ShufflePlan

from .attributes import AtomPlanAttr
from .buffer_effects import created_buffer, moves
from .control import YieldOp
from .interfaces import (
    PartOfTile,
    TileMoveOpInterface,
    TilePartOpInterface,
    TileStructureOpInterface,
)
from .layout import tile_layout, verify_register_layout
from .types import TiledViewType
from .verification import verified_by_signature


@verified_by_signature
@irdl_op_definition
class ConvertLayoutOp(
    IRDLOperation, OrderedElementsOpInterface, TileMoveOpInterface, SharedMemoryOpInterface
):
    """The same tile in another layout: other registers, lanes and warps hold its elements.

    `atom_plan` says how elements move between registers; without it the cheapest exchange is
    chosen.
    """

    name = "nv_tileas.convert_layout"

    source = operand_def(TensorType)
    atom_plan = opt_prop_def(AtomPlanAttr)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$source attr-dict `:` type($source) `->` type($result)"

    def __init__(self, source: SSAValue, result_type: Attribute):
        super().__init__(operands=[source], result_types=[result_type])

    def verify_(self) -> None:
        if tile_shape(self.source.type) != tile_shape(self.result.type):
            raise VerifyException("requires the same shape and element type for source and result")
        verify_register_layout(self.source.type)
        verify_register_layout(self.result.type)

    @property
    def effects(self) -> Effects:
        return Effects(moves(self.source, self.result), creates=created_buffer(self.result))

    @property
    def scratch(self) -> Sequence[ScratchNeed]:
        strategy = None if self.atom_plan is None else self.atom_plan.data.strategy
        return (Rearranged(self.source, self.result, strategy),)


@irdl_op_definition
class ShuffleOp(IRDLOperation, OrderedElementsOpInterface, RegistersOpInterface):
    """Changes the layout by shuffles between lanes; no element leaves its warp.

    Source: PTX ISA, `shfl.sync`.
    """

    name = "nv_tileas.shuffle"

    source = operand_def(TensorType)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$source attr-dict `:` type($source) `->` type($result)"

    def __init__(self, source: SSAValue, result_type: Attribute):
        super().__init__(operands=[source], result_types=[result_type])

    def verify_(self) -> None:
        if tile_shape(self.source.type) != tile_shape(self.result.type):
            raise VerifyException("requires the same shape and element type for source and result")
        problem = _problem_of_shuffle(self.source.type, self.result.type)
        if problem is not None:
            raise VerifyException(problem)

    @property
    def scratch(self) -> Sequence[ScratchNeed]:
        return (Rearranged(self.source, self.result),)


@lru_cache(maxsize=256)
def _problem_of_shuffle(source_type: Attribute, result_type: Attribute) -> str | None:
    """Why shuffles cannot convert the source layout to the result layout; None if they can."""
    try:
        source, result = tile_layout(source_type), tile_layout(result_type)
        if source is None or result is None:
            return "requires register layouts for source and result"
        plan = plan_conversion(source, result, moved_bits(tile_shape(source_type).element))
    except LayoutError as error:
        return str(error)
    if isinstance(plan, RenamePlan | ShufflePlan):
        return None
    return "expects elements to stay in their warp"


@irdl_custom_directive
class ViewTypes(CustomDirective):
    """`T to U`, or `T` alone if source and result have the same type."""

    source: TypeDirective
    result: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        source = parser.parse_type()
        result = source if parser.parse_optional_keyword("to") is None else parser.parse_type()
        self.source.set(state, (source,))
        self.result.set(state, (result,))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        (source,), (result,) = self.source.get(op), self.result.get(op)
        state.print_whitespace(printer)
        printer.print_attribute(source)
        if result != source:
            printer.print_string(" to ")
            printer.print_attribute(result)


VIEWABLE = (
    BaseAttr(TensorType)
    | BaseAttr(MemRefType)
    | BaseAttr(nv_tileaa.MemRefType)
    | BaseAttr(nv_tileaa.TiledViewType)
    | BaseAttr(TiledViewType)
)


@verified_by_signature
@irdl_op_definition
class ViewOp(
    IRDLOperation,
    TileStructureOpInterface,
    BufferViewOpInterface,
    ReindexedOpInterface,
    OrderedElementsOpInterface,
    TilePartOpInterface,
    RegistersOpInterface,
):
    """The same elements or memory, read as another type; no element moves.

    `offset` counts elements from the start of a buffer, as an operand or a constant. `indices` are
    the tile at which a tiled view starts. Without `offset` and `indices`, the op preserves the
    row-major order.
    """

    name = "nv_tileas.view"

    source = operand_def(VIEWABLE)
    indices = var_operand_def(BaseAttr(IndexType) | BaseAttr(IntegerType))
    dynamic_offset = opt_operand_def(IndexType)
    offset = opt_prop_def(IntegerAttr[I64])
    result = result_def(VIEWABLE)

    custom_directives = (ViewTypes,)
    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    traits = traits_def(Pure())
    assembly_format = (
        "$source (`[` $indices^ `:` type($indices) `]`)? (`offset` $dynamic_offset^)? attr-dict "
        "`:` custom<ViewTypes>(type($source), type($result))"
    )

    def __init__(
        self,
        source: SSAValue,
        result_type: Attribute,
        indices: Sequence[SSAValue] = (),
        offset: SSAValue | int | None = None,
    ):
        dynamic = offset if isinstance(offset, SSAValue) else None
        constant = IntegerAttr(offset, i64) if isinstance(offset, int) else None
        super().__init__(
            operands=[source, indices, dynamic],
            properties={"offset": constant},
            result_types=[result_type],
        )

    def verify_(self) -> None:
        dynamic, constant = self.dynamic_offset, self.offset
        if dynamic is not None and constant is not None:
            raise VerifyException("expects at most one offset, either a constant or an operand")
        source, result = self.operands[0].type, self.results[0].type
        if not isinstance(source, TensorType) or not isinstance(result, TensorType):
            elements = {_element(type) for type in (source, result)}
            if len(elements) > 1:
                raise VerifyException("requires the same element type for source and result")
            return
        if source.element_type != result.element_type:
            raise VerifyException("requires the same element type for source and result")
        if DYNAMIC_INDEX in (*source.get_shape(), *result.get_shape()):
            _verify_same_extents(source.get_shape(), result.get_shape())
            return
        elements, viewed = prod(source.get_shape()), prod(result.get_shape())
        if dynamic is None and constant is None and elements != viewed:
            raise VerifyException("requires the same number of elements in source and result")
        start = 0 if constant is None else constant.value.data
        if start < 0 or start + viewed > elements:
            raise VerifyException(
                f"the view from element {start} to {start + viewed - 1} exceeds the {elements} "
                "elements"
            )

    @property
    def scratch(self) -> Sequence[ScratchNeed]:
        return (Carried(0),)

    def reindexed(self, operand: int) -> Reindexed | None:
        # Other threads may hold the part that an offset is about.
        is_whole = len(self.operands) == 1 and self.offset is None
        return InOrder() if is_whole else None

    @property
    def accessed_part(self) -> PartOfTile:
        return PartOfTile("source", self.indices)


def _element(type: Attribute) -> Attribute:
    match type:
        case TensorType() | MemRefType():
            return type.get_element_type()
        case nv_tileaa.MemRefType() | nv_tileaa.TiledViewType() | TiledViewType():
            return type.element_type
        case _:
            return type


def _verify_same_extents(source: Sequence[int], result: Sequence[int]) -> None:
    """Checks that two shapes have equal extents in dimensions where both are static."""
    if len(source) != len(result) or any(
        x != y for x, y in zip(source, result, strict=True) if DYNAMIC_INDEX not in (x, y)
    ):
        raise VerifyException(
            "requires the same rank for source and result, and equal extents where both are known"
        )


@verified_by_signature
@irdl_op_definition
class ExpandDimsOp(InsertedDimensionOp):
    """The same tile with a dimension of extent 1 at `axis`."""

    name = "nv_tileas.expand_dims"


@irdl_op_definition
class ReinterpretOp(IRDLOperation, ReindexedOpInterface, RegistersOpInterface):
    """The bits of a tile or buffer, read as elements of another type; no element moves."""

    name = "nv_tileas.reinterpret"

    source = operand_def(TensorType)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$source attr-dict `:` type($source) `->` type($result)"

    def __init__(self, source: SSAValue, result_type: Attribute):
        super().__init__(operands=[source], result_types=[result_type])

    def verify_(self) -> None:
        source, result = tile_shape(self.source.type), tile_shape(self.result.type)
        bits = {prod(tile.shape) * memory_bits(tile.element) for tile in (source, result)}
        if len(bits) > 1:
            raise VerifyException("requires the same number of bits in source and result")

    @property
    def scratch(self) -> Sequence[ScratchNeed]:
        return (Bytes(self.source, self.result),)

    def reindexed(self, operand: int) -> Reindexed:
        return SameBits()


@irdl_op_definition
class GenerateOp(IRDLOperation, RegistersOpInterface):
    """A tile whose elements the body computes from their indices, which are i32 block arguments."""

    name = "nv_tileas.generate"

    body = region_def("single_block")
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "attr-dict `:` type($result) $body"

    def __init__(self, result_type: Attribute, body: Region):
        super().__init__(result_types=[result_type], regions=[body])

    @property
    def is_range(self) -> bool:
        """Whether the tile has one dimension, and each element is its own index."""
        arguments, last = self.body.block.args, self.body.block.last_op
        return last is not None and len(arguments) == 1 and list(last.operands) == list(arguments)

    def verify_(self) -> None:
        rank = rank_of(self.result)
        if list(self.body.block.arg_types) != [i32] * rank:
            raise VerifyException(f"expects {rank} block arguments of type i32")
        verify_yields(self.body, [element_type(self.result)], YieldOp)
        verify_pure_body(self)
