"""Writing an assignment into the IR: encodings, conversions, atoms and layouts of accesses."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from xdsl.builder import Builder
from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FunctionType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from tileir_xdsl.analysis.access.access_width import AccessOp, access_tile
from tileir_xdsl.analysis.access.copy_atoms import LOAD_ATOMS, STORE_ATOMS
from tileir_xdsl.analysis.layouts.candidates import TileLayout
from tileir_xdsl.analysis.layouts.groups import is_tile, tile_arguments
from tileir_xdsl.analysis.layouts.uses import ACCESSES, LOADS, accessed_memory
from tileir_xdsl.analysis.values.divisibility import element_bytes
from tileir_xdsl.builders.tiles import convert_layout
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape, tile_type
from tileir_xdsl.dialects.nv_tileas.accesses import SparseTileOp
from tileir_xdsl.dialects.nv_tileas.attributes import Residency
from tileir_xdsl.dialects.nv_tileas.layout import LayoutAttr, LayoutDescriptor, register_layout
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.layout.shared import SharedLayout
from tileir_xdsl.transforms.tileas_assign_load_store_layouts.layout_assignment import Assignment
from tileir_xdsl.walking import ops_in

ValuePosition = tuple[Operation | Block, int]
"""A result or a block argument, by its owner and index: retyping replaces the `SSAValue`."""

WITH_LAYOUT = (*ACCESSES, SparseTileOp, nv_tileas.TiledAtomicRMWOp)
"""The ops with an attribute for the layout in which they access their tile."""


@lru_cache(maxsize=1024)
def encoding_of(layout: TileLayout) -> LayoutAttr | nv_tileas.MemoryAttr:
    """The encoding of a tile: the layout in registers, or the memory and the layout in memory."""
    if isinstance(layout, LinearLayout):
        return register_layout(layout)
    return nv_tileas.MemoryAttr(Residency.SHARED, shared_layout_attribute(layout))


def shared_layout_attribute(layout: SharedLayout) -> LayoutAttr:
    """The layout of a buffer; a swizzle that permutes nothing is left out."""
    swizzle = layout.swizzle if layout.swizzle.bits else None
    return LayoutAttr(LayoutDescriptor(layout.layout, swizzle))


def encoded(type: Attribute, layout: TileLayout) -> Attribute:
    """The type of a tile, possibly inside of an async value, with a layout."""
    if isinstance(type, ValueType):
        return ValueType(encoded(type.payload, layout))
    tile = tile_shape(type)
    return tile_type(tile.shape, tile.element, encoding_of(layout))


def assigned_types(function: Operation, assignment: Assignment) -> dict[ValuePosition, Attribute]:
    """The type of every tile with the layout of its group."""
    types: dict[ValuePosition, Attribute] = {}
    for op in ops_in(function):
        for tile in (*filter(is_tile, op.results), *tile_arguments(op)):
            assert isinstance(tile, OpResult | BlockArgument)
            layout = assignment.layout_of(tile)
            if layout is not None:
                types[tile.owner, tile.index] = encoded(tile.type, layout)
    return types


@dataclass
class AssignLayouts(RewritePattern):
    """Retypes the results of an op, and converts operands and results in other layouts."""

    assignment: Assignment
    types: Mapping[ValuePosition, Attribute]

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        for number in range(len(op.operands)):
            layout = self.assignment.operands.get((op, number))
            if layout is not None:
                self._convert_operand(op, number, layout, rewriter)
        for region in op.regions:
            for block in region.blocks:
                for value in block.args:
                    self._retype(block, value, rewriter)
        for value in op.results:
            self._retype(op, value, rewriter)
        for number in range(len(op.results)):
            layout = self.assignment.results.get((op, number))
            if layout is not None:
                self._convert_result(op, number, layout, rewriter)
        match op:
            case arith.ConstantOp(value=DenseIntOrFPElementsAttr() as elements):
                # The attribute has a type of its own, which must be that of the result.
                op.properties["value"] = DenseIntOrFPElementsAttr.new(
                    [op.result.type, elements.data]
                )
            case _ if isinstance(op, WITH_LAYOUT):
                self._assign_atom(op)
                rewriter.notify_op_modified(op)
            case _:
                pass

    def _retype(self, owner: Operation | Block, value: SSAValue, rewriter: PatternRewriter) -> None:
        assert isinstance(value, OpResult | BlockArgument)
        type = self.types.get((owner, value.index))
        if type is not None and type != value.type:
            rewriter.replace_value_with_new_type(value, type)

    def _convert_operand(
        self, op: Operation, number: int, layout: TileLayout, rewriter: PatternRewriter
    ) -> None:
        operand = op.operands[number]
        wanted = encoded(operand.type, layout)
        if wanted == operand.type:
            return
        op.operands[number] = convert_layout(rewriter, operand, wanted, op.location)
        rewriter.notify_op_modified(op)

    def _convert_result(
        self, op: Operation, number: int, layout: TileLayout, rewriter: PatternRewriter
    ) -> None:
        result = op.results[number]
        expected = result.type
        given = encoded(expected, layout)
        if given == expected:
            return
        value = rewriter.replace_value_with_new_type(result, given)
        # Before the conversion becomes one of them.
        uses = list(value.uses)
        after = Builder(InsertPoint.after(op))
        converted = convert_layout(after, value, expected, op.location)
        for use in uses:
            use.operation.operands[use.index] = converted
            rewriter.notify_op_modified(use.operation)

    def _assign_atom(self, op: Operation) -> None:
        answer = self.assignment.answers.get(op)
        if answer is None:
            if isinstance(op, ACCESSES):
                self._assign_scalar_atom(op)
            return
        candidate = answer.candidate
        # An atom that the program names stays: it is why the candidate was chosen.
        if "atom" not in op.properties and candidate.atom is not None:
            op.properties["atom"] = nv_tileas.AtomAttr(candidate.atom)
        layout = candidate.shared_layout or candidate.layout
        attribute = (
            register_layout(layout)
            if isinstance(layout, LinearLayout)
            else shared_layout_attribute(layout)
        )
        op.properties["nv_tileas.layout"] = attribute

    def _assign_scalar_atom(self, op: AccessOp) -> None:
        """Assigns the atom of an access of one element."""
        atoms = (LOAD_ATOMS if isinstance(op, LOADS) else STORE_ATOMS).get(accessed_memory(op))
        if atoms is None:
            fail(op, f"'{op.name}' op accesses memory in a way that no copy atom supports")
        tile = access_tile(op)
        # An atom that the program names stays.
        if "atom" not in op.properties:
            atom = atoms[element_bytes(tile_shape(tile.type).element)]
            op.properties["atom"] = nv_tileas.AtomAttr(atom)


def update_signature(function: nv_tileaa.FuncOp) -> None:
    """Updates the type of a function to the types of its parameters and results."""
    if not function.body.blocks:
        return
    block = function.body.block
    results = () if block.last_op is None else block.last_op.operand_types
    function.function_type = FunctionType.from_lists(block.arg_types, results)
