"""Atomic operations on global memory.

Source: Tile IR specification, section 8.10 (atomics); `atomic_red_view_tko` since 13.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.ir import Operation, SSAValue
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

from tileir_xdsl.dialects.cuda_tile import interfaces, syntax
from tileir_xdsl.dialects.cuda_tile.enums import MemoryScope, enum_from_number, enum_to_integer_attr
from tileir_xdsl.dialects.cuda_tile.parsing import expect
from tileir_xdsl.dialects.cuda_tile.pointer_accesses import (
    OPTIONAL_TOKEN,
    TOKEN_RESULT,
    TOKEN_TYPE,
    MemoryOperation,
    OptionalToken,
    Ordering,
    memory_properties,
)
from tileir_xdsl.dialects.cuda_tile.types import (
    PointerType,
    TileType,
    comma_separated,
    element_name,
    is_multicast,
)
from tileir_xdsl.dialects.cuda_tile.view_access import (
    INBOUNDS_PROPERTY,
    Inbounds,
    IndexTypes,
    ViewOrdering,
    verify_no_multicast,
)
from tileir_xdsl.dialects.cuda_tile.view_types import GatherScatterViewType, TileView
from tileir_xdsl.dialects.enumerations import MemoryOrdering as MemoryOrderingSemantics
from tileir_xdsl.dialects.enumerations import RMWMode as AtomicRMWMode

_ATOMIC_SEMANTICS = tuple(
    semantics for semantics in MemoryOrderingSemantics if semantics is not semantics.WEAK
)

_INTEGER_RULE = ("integers i32 and i64", ("i32", "i64"))
MODE_ELEMENTS: dict[AtomicRMWMode, tuple[str, tuple[str, ...]]] = {
    **dict.fromkeys(AtomicRMWMode, _INTEGER_RULE),
    AtomicRMWMode.ADDF: ("floats f16, bf16, f32, and f64", ("f16", "bf16", "f32", "f64")),
    AtomicRMWMode.XCHG: (
        "integers or float of 32 or 64 bitwidth",
        ("i32", "i64", "f32", "f64"),
    ),
}
"""The element types that each mode accepts: in words for diagnostics, and by name."""


def verify_mode(
    operation: interfaces.CudaTileOperation, mode: AtomicRMWMode, value: SSAValue
) -> None:
    """Raises `VerifyException` unless `mode` works with the elements of `value`."""
    words, names = MODE_ELEMENTS[mode]
    if element_name(interfaces.tile_type(value).element_type) not in names:
        operation.fail(f"'{mode.value}' works only with {words}")


_ADD = enum_to_integer_attr(AtomicRMWMode.ADD)


class _Mode(syntax.Directive):
    """Syntax of the mode and a comma after it; without both the mode is addition."""

    def __init__(self, *, view: bool):
        self.view = view

    def parse(self, parser: Parser, state: syntax.ParsedOperation) -> None:
        position = parser.pos
        if parser.lexer.input.content.startswith("%", position):
            state.properties["mode"] = _ADD
            return
        word = parser.parse_optional_identifier() or ""
        if word not in list(AtomicRMWMode):
            modes = list(AtomicRMWMode)
            if self.view:
                # The list leaves out xchg, the last one: the verifier refuses it.
                expected = ", ".join(modes[:-1])
                message = f"unknown atomic RMW mode: '{word}'; expected one of: {expected}"
            else:
                message = (
                    "expected string or keyword containing one of the following enum values for "
                    f"attribute 'mode' [{', '.join(modes)}]"
                )
            syntax.custom_error(parser, state.name, message, position)
        state.properties["mode"] = enum_to_integer_attr(AtomicRMWMode(word))
        expect(parser, ",")

    def print(self, printer: Printer, operation: Operation) -> None:
        assert isinstance(operation, ModifyingOperation)
        printer.print_string(f" {operation.mode.value},")

    def describe(self) -> str:
        return "(MODE,)?"


class ModifyingOperation(MemoryOperation):
    """An atomic operation whose modification is `mode`, by default addition (section 8.10.2)."""

    mode_attr = opt_prop_def(
        interfaces.enumerated("atomic RMW mode", AtomicRMWMode), _ADD, prop_name="mode"
    )

    @property
    def mode(self) -> AtomicRMWMode:
        """The modification."""
        return enum_from_number(AtomicRMWMode, self.mode_attr.value.data)


class _AtomicOrdering(Ordering):
    """Syntax of memory ordering semantics and scope, both required."""

    def parse(self, parser: Parser, state: syntax.ParsedOperation) -> None:
        super().parse(parser, state)
        if "memory_scope" not in state.properties:
            syntax.custom_error(
                parser,
                state.name,
                "expected string or keyword containing one of the following enum values for "
                f"attribute 'memory_scope' [{', '.join(MemoryScope)}]",
            )

    def describe(self) -> str:
        return "SEMANTICS SCOPE"


def _verify_pointers(operation: MemoryOperation, value: SSAValue, name: str) -> None:
    pointers = interfaces.tile_type(operation.operands[0]).element_type
    assert isinstance(pointers, PointerType)
    element = interfaces.tile_type(value).element_type
    if pointers.pointee_type != element:
        operation.fail(
            f"expected pointee type ('{pointers.pointee_type}') to match element type of "
            f"'{name}' ('{element}')"
        )


def _verify_mask(operation: MemoryOperation, mask: SSAValue | None, names: str) -> None:
    shape = interfaces.tile_type(operation.operands[0]).get_shape()
    if mask is not None and interfaces.tile_type(mask).get_shape() != shape:
        operation.fail(f"failed to verify that all of {{{names}}} have same shape")


def _verify_semantics(operation: MemoryOperation) -> None:
    if operation.memory_ordering_semantics not in _ATOMIC_SEMANTICS:
        operation.fail(f"memory ordering semantics must be one of: {', '.join(_ATOMIC_SEMANTICS)}")


def _verify_no_multicast(operation: interfaces.CudaTileOperation, pointers: SSAValue) -> None:
    """Raises `VerifyException` for pointers into multicast memory, which need multimem
    operations.
    """
    pointer = interfaces.tile_type(pointers).element_type
    assert isinstance(pointer, PointerType)
    if is_multicast(pointer):
        name = operation.name.removeprefix("cuda_tile.").removesuffix("_tko")
        operation.fail(f"multicast pointer is not supported for {name}")


@interfaces.cuda_tile_operation
class AtomicRMWTkoOp(ModifyingOperation):
    """Replaces each element `x` pointed to by `mode(x, arg)` in one transaction.

    Section 8.10.2. The result is the old `x`. Where `mask` is false nothing happens.
    """

    name = "cuda_tile.atomic_rmw_tko"

    scope_attr = prop_def(
        interfaces.enumerated("memory scope", MemoryScope), prop_name="memory_scope"
    )
    pointers = operand_def(interfaces.POINTER_TILE)
    arg = operand_def(interfaces.TILE)
    mask = opt_operand_def(interfaces.BOOLEAN_TILE)
    token = opt_operand_def(interfaces.TOKEN)
    result = result_def(interfaces.TILE)
    result_token = result_def(interfaces.TOKEN)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    RELATIONS: ClassVar = (
        interfaces.all_shapes_match("pointers", "arg", "result"),
        interfaces.all_types_match("arg", "result"),
    )
    SYNTAX: ClassVar = (
        _AtomicOrdering(),
        syntax.Operand("pointers"),
        syntax.COMMA,
        _Mode(view=False),
        syntax.Operand("arg"),
        syntax.OptionalOperandAfterComma("mask"),
        OPTIONAL_TOKEN,
        syntax.ATTRIBUTES,
        syntax.COLON,
        syntax.Type("pointers"),
        syntax.COMMA,
        syntax.Type("arg"),
        syntax.OptionalTypeAfterComma("mask"),
        syntax.ARROW,
        syntax.Type("result"),
        syntax.COMMA,
        TOKEN_RESULT,
    )
    RESULT_NAMES: ClassVar = ("result", "result_token")

    def __init__(
        self,
        semantics: MemoryOrderingSemantics,
        scope: MemoryScope,
        pointers: SSAValue,
        mode: AtomicRMWMode,
        arg: SSAValue,
        mask: SSAValue | None = None,
        token: SSAValue | None = None,
    ):
        properties = memory_properties(semantics, scope)
        properties["mode"] = enum_to_integer_attr(mode)
        super().__init__(
            operands=[pointers, arg, mask, token],
            properties=properties,
            result_types=[arg.type, TOKEN_TYPE],
        )

    def verify_operation(self) -> None:
        _verify_pointers(self, self.arg, "arg")
        _verify_mask(self, self.mask, "pointers, arg, mask")
        _verify_semantics(self)
        verify_mode(self, self.mode, self.arg)
        _verify_no_multicast(self, self.pointers)


@interfaces.cuda_tile_operation
class AtomicCASTkoOp(MemoryOperation):
    """Replaces each element pointed to by `val` if its bits equal those of `cmp`. Section 8.10.1.

    The result is the old element (`cmp` where `mask` is false).
    """

    name = "cuda_tile.atomic_cas_tko"

    scope_attr = prop_def(
        interfaces.enumerated("memory scope", MemoryScope), prop_name="memory_scope"
    )
    pointers = operand_def(interfaces.POINTER_TILE)
    cmp = operand_def(interfaces.TILE)
    val = operand_def(interfaces.TILE)
    mask = opt_operand_def(interfaces.BOOLEAN_TILE)
    token = opt_operand_def(interfaces.TOKEN)
    result = result_def(interfaces.TILE)
    result_token = result_def(interfaces.TOKEN)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    RELATIONS: ClassVar = (
        interfaces.all_shapes_match("pointers", "cmp", "val", "result"),
        interfaces.all_types_match("cmp", "val", "result"),
    )
    SYNTAX: ClassVar = (
        _AtomicOrdering(),
        syntax.Operand("pointers"),
        syntax.COMMA,
        syntax.Operand("cmp"),
        syntax.COMMA,
        syntax.Operand("val"),
        syntax.OptionalOperandAfterComma("mask"),
        OPTIONAL_TOKEN,
        syntax.ATTRIBUTES,
        syntax.COLON,
        syntax.Type("pointers"),
        syntax.COMMA,
        syntax.Type("val", "cmp"),
        syntax.OptionalTypeAfterComma("mask"),
        syntax.ARROW,
        syntax.Type("result"),
        syntax.COMMA,
        TOKEN_RESULT,
    )
    RESULT_NAMES: ClassVar = ("result", "result_token")

    def __init__(
        self,
        semantics: MemoryOrderingSemantics,
        scope: MemoryScope,
        pointers: SSAValue,
        cmp: SSAValue,
        val: SSAValue,
        mask: SSAValue | None = None,
        token: SSAValue | None = None,
    ):
        super().__init__(
            operands=[pointers, cmp, val, mask, token],
            properties=memory_properties(semantics, scope),
            result_types=[val.type, TOKEN_TYPE],
        )

    def verify_operation(self) -> None:
        _verify_pointers(self, self.val, "val")
        _verify_mask(self, self.mask, "pointers, val, cmp and mask")
        _verify_semantics(self)
        if element_name(interfaces.tile_type(self.val).element_type) not in (
            "i32",
            "i64",
            "f32",
            "f64",
        ):
            self.fail("expect only float or integer types with 32 or 64 bit")
        _verify_no_multicast(self, self.pointers)


@interfaces.cuda_tile_operation
class AtomicRedViewTkoOp(ModifyingOperation):
    """Replaces each element `x` of a tile of a view by `mode(x, value)`, without a result.

    Elements outside of the tensor are left out. `inbounds` since 13.5.
    """

    name = "cuda_tile.atomic_red_view_tko"

    inbounds = opt_prop_def(INBOUNDS_PROPERTY)
    view = operand_def(interfaces.TILE_VIEW)
    indices = var_operand_def(interfaces.INTEGER_TILE)
    value = operand_def(interfaces.TILE)
    token = opt_operand_def(interfaces.TOKEN)
    result_token = result_def(interfaces.TOKEN)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    SYNTAX: ClassVar = (
        ViewOrdering(),
        syntax.Operand("view"),
        syntax.Indices("indices"),
        syntax.COMMA,
        _Mode(view=True),
        syntax.Operand("value"),
        OptionalToken(blanks=True),
        Inbounds(),
        syntax.AttributeDictionary(keyword=True),
        syntax.COLON,
        syntax.Type("value"),
        syntax.COMMA,
        syntax.Type("view"),
        IndexTypes(),
        syntax.ARROW,
        TOKEN_RESULT,
    )
    SINCE: ClassVar = "13.3"

    def __init__(
        self,
        semantics: MemoryOrderingSemantics,
        scope: MemoryScope,
        view: SSAValue,
        indices: Sequence[SSAValue],
        mode: AtomicRMWMode,
        value: SSAValue,
        token: SSAValue | None = None,
    ):
        properties = memory_properties(semantics, scope)
        properties["mode"] = enum_to_integer_attr(mode)
        super().__init__(
            operands=[view, indices, value, token],
            properties=properties,
            result_types=[TOKEN_TYPE],
        )

    def verify_operation(self) -> None:
        view = self.view.type
        assert isinstance(view, TileView)
        if isinstance(view, GatherScatterViewType):
            self.fail("gather_scatter_view is not supported; use partition_view instead")
        if view.get_padding_value() is not None:
            # As the public dialect has it; the disassembler of 13.5 lets such views pass.
            self.fail("views with padding_value are not supported for atomic reductions")
        value, tile = interfaces.tile_type(self.value), view.get_tile_type()
        if tile.element_type != value.element_type:
            self.fail(
                f"view element type ('{tile.element_type}') must match value element type "
                f"('{value.element_type}')"
            )
        if tile.get_shape() != value.get_shape():
            self.fail(
                f"view tile shape {comma_separated(tile.get_shape())} must match value shape "
                f"{comma_separated(value.get_shape())} for element-wise atomic operations"
            )
        if self.mode is AtomicRMWMode.XCHG:
            self.fail("atomic_red_view_tko op cannot use xchg operation")
        verify_mode(self, self.mode, self.value)
        if self.memory_ordering_semantics is not MemoryOrderingSemantics.RELAXED:
            self.fail(
                "only 'relaxed' memory ordering is supported for view-based atomic reductions"
            )
        if self.memory_scope is MemoryScope.SYS:
            self.fail(
                "memory scope 'sys' is not supported for view-based atomic reductions; "
                "use 'tl_blk' or 'device' for TMA compatibility"
            )
        rank = view.get_index_rank()
        if len(self.indices) != rank:
            self.fail(
                f"expected {rank} index operand(s) for view with tile rank {rank}, got "
                f"{len(self.indices)}"
            )
        for index, operand in enumerate(self.indices):
            if isinstance(operand.type, TileType) and (shape := operand.type.get_shape()):
                self.fail(
                    f"index operand {index} must be a scalar tile (rank 0), got shape "
                    f"{comma_separated(shape)}"
                )
        verify_no_multicast(self, view)
