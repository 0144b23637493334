"""Operations on multicast memory, where one address refers to memory of several devices.

Source: the text form of Tile IR 13.5. The views are made from pointers of kind `multicast`.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, Operation
from xdsl.irdl import (
    AttrSizedOperandSegments,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer

from tileir_xdsl.dialects.cuda_tile import syntax
from tileir_xdsl.dialects.cuda_tile.enums import (
    MultimemReduction,
    MultimemReductionAttr,
    PointerKindAttr,
)
from tileir_xdsl.dialects.cuda_tile.interfaces import (
    INTEGER_TILE,
    TILE,
    TILE_VIEW,
    TOKEN,
    attribute_of,
    cuda_tile_operation,
)
from tileir_xdsl.dialects.cuda_tile.pointer_accesses import (
    LOAD_SEMANTICS,
    SCOPE_PROPERTY,
    STORE_SEMANTICS,
    TOKEN_RESULT,
    OptionalToken,
)
from tileir_xdsl.dialects.cuda_tile.types import element_name
from tileir_xdsl.dialects.cuda_tile.view_access import (
    Inbounds,
    IndexTypes,
    ViewOperation,
    ViewOrdering,
)
from tileir_xdsl.dialects.cuda_tile.view_types import TileView
from tileir_xdsl.dialects.enumerations import MemoryOrdering as MemoryOrderingSemantics
from tileir_xdsl.dialects.enumerations import PointerKind


class _Attributes(syntax.AttributeDictionary):
    """Syntax of `attributes {..}`, which includes the property `reduction` unless it is `add`."""

    def parse(self, parser: Parser, state: syntax.ParsedOperation) -> None:
        super().parse(parser, state)
        state.properties["reduction"] = state.attributes.pop("reduction", _ADD)

    def print(self, printer: Printer, operation: Operation) -> None:
        attributes = dict(operation.attributes)
        reduction = operation.properties.get("reduction", _ADD)
        if reduction != _ADD:
            attributes["reduction"] = reduction
        syntax.print_attribute_dictionary(printer, attributes, keyword=True)

    def describe(self) -> str:
        return "(attributes {reduction = .., ..})?"


_ADD = MultimemReductionAttr(MultimemReduction.ADD)
_PLACE = (OptionalToken(blanks=True), Inbounds(otherwise=" "))
_OPTIONS = (*_PLACE, _Attributes(keyword=True), syntax.COLON)
_STORE_TYPES = (
    syntax.Type("view"),
    syntax.COMMA,
    syntax.Type("tile"),
    IndexTypes(token=True),
    syntax.ARROW,
    TOKEN_RESULT,
)
_REDUCE_SEMANTICS = (MemoryOrderingSemantics.RELAXED, MemoryOrderingSemantics.RELEASE)
_FLOATS = ("f16", "bf16", "f32", "f64")
_REDUCTION = attribute_of("multimem reduction kind", MultimemReductionAttr)


class MultimemOperation(ViewOperation):
    """An operation on a view of multicast memory."""

    SINCE: ClassVar = "13.5"

    def verify_multicast(self, view: Attribute) -> None:
        """Checks that `view` is made from a multicast pointer to elements that multimem
        supports.
        """
        assert isinstance(view, TileView)
        tensor = view.get_tensor_view()
        kind = tensor.kind.data if isinstance(tensor.kind, PointerKindAttr) else PointerKind.NONE
        if kind is not PointerKind.MULTICAST:
            self.fail(f"expected a multicast pointer, but got {kind.value}")
        element = tensor.element_type
        if isinstance(element, IntegerType):
            if element.width.data not in (32, 64):
                self.fail(
                    "multimem requires 32- or 64-bit integer/index element types; "
                    f"got {element.width.data} bits"
                )
        elif element_name(element) not in _FLOATS:
            self.fail("multimem supports only f16, bf16, f32, and f64 floating-point element types")

    def verify_reduction(self, view: Attribute, reduction: MultimemReduction) -> None:
        """Checks that `reduction` works with the elements of `view`."""
        assert isinstance(view, TileView)
        element = view.get_tensor_view().element_type
        if isinstance(element, IntegerType) or reduction is MultimemReduction.ADD:
            return
        if reduction not in (MultimemReduction.MIN, MultimemReduction.MAX):
            self.fail("and/or/xor/umin/umax reductions require integer element types")
        self.verify_float_extremum(element)

    def verify_float_extremum(self, element: Attribute) -> None:
        """Raises `VerifyException` unless min and max work with floats of this type."""


@cuda_tile_operation
class MultimemLoadReduceViewTkoOp(MultimemOperation):
    """Loads the tile of every device and combines the tiles with `reduction`."""

    name = "cuda_tile.multimem_load_reduce_view_tko"

    reduction = opt_prop_def(_REDUCTION, _ADD)
    view = operand_def(TILE_VIEW)
    indices = var_operand_def(INTEGER_TILE)
    token = opt_operand_def(TOKEN)
    tile = result_def(TILE)
    result_token = result_def(TOKEN)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    SYNTAX: ClassVar = (
        ViewOrdering(),
        syntax.Operand("view"),
        syntax.Indices("indices"),
        *_OPTIONS,
        syntax.Type("view"),
        IndexTypes(token=True),
        syntax.ARROW,
        syntax.Type("tile"),
        syntax.COMMA,
        TOKEN_RESULT,
    )
    RESULT_NAMES: ClassVar = ("reduced_values", "result_token")

    def verify_operation(self) -> None:
        self.verify_ordering(LOAD_SEMANTICS, "weak, relaxed, or acquire", "load")
        self.verify_access(self.view.type, self.indices, self.tile)
        self.verify_multicast(self.view.type)
        self.verify_reduction(self.view.type, self.reduction.data)

    def verify_float_extremum(self, element: Attribute) -> None:
        if element_name(element) not in ("f16", "bf16"):
            self.fail(f"min/max supports f16 and bf16 float types only; got '{element}'")


@cuda_tile_operation
class MultimemReduceViewTkoOp(MultimemOperation):
    """Combines the tile of every device with `tile`, without a result."""

    name = "cuda_tile.multimem_reduce_view_tko"

    scope_attr = prop_def(SCOPE_PROPERTY, prop_name="memory_scope")
    reduction = opt_prop_def(_REDUCTION, _ADD)
    view = operand_def(TILE_VIEW)
    tile = operand_def(TILE)
    indices = var_operand_def(INTEGER_TILE)
    token = opt_operand_def(TOKEN)
    result_token = result_def(TOKEN)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    SYNTAX: ClassVar = (
        ViewOrdering(),
        syntax.Operand("view"),
        syntax.COMMA,
        syntax.Operand("tile"),
        syntax.Indices("indices"),
        *_OPTIONS,
        *_STORE_TYPES,
    )

    def verify_operation(self) -> None:
        if self.memory_ordering_semantics not in _REDUCE_SEMANTICS:
            self.fail(f"memory ordering semantics must be one of: {', '.join(_REDUCE_SEMANTICS)}")
        self.verify_access(self.view.type, self.indices, self.tile)
        self.verify_multicast(self.view.type)
        self.verify_reduction(self.view.type, self.reduction.data)

    def verify_float_extremum(self, element: Attribute) -> None:
        self.fail("supports only add for floating-point element types")


@cuda_tile_operation
class MultimemStoreViewTkoOp(MultimemOperation):
    """Stores the tile to the memory of every device."""

    name = "cuda_tile.multimem_store_view_tko"

    view = operand_def(TILE_VIEW)
    tile = operand_def(TILE)
    indices = var_operand_def(INTEGER_TILE)
    token = opt_operand_def(TOKEN)
    result_token = result_def(TOKEN)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    SYNTAX: ClassVar = (
        ViewOrdering(),
        syntax.Operand("view"),
        syntax.COMMA,
        syntax.Operand("tile"),
        syntax.Indices("indices"),
        *_PLACE,
        syntax.AttributeDictionary(keyword=True),
        syntax.COLON,
        *_STORE_TYPES,
    )

    def verify_operation(self) -> None:
        self.verify_ordering(STORE_SEMANTICS, "weak, relaxed, or release", "store")
        self.verify_access(self.view.type, self.indices, self.tile)
        self.verify_multicast(self.view.type)
