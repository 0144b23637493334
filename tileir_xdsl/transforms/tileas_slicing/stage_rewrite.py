"""Divides a pipeline region into slices by its plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    BytesAttr,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    TensorType,
    i32,
)
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileas.interfaces import ProducerRegionOpInterface
from tileir_xdsl.dialects.nv_tileas.slices import Slice
from tileir_xdsl.walking import ops_in

from . import diagnostics
from .loops import ATTRIBUTE
from .plan import DividedOperation, StagePlan
from .row_types import part_type
from .rows import is_position, part_view


@dataclass
class SliceStage(RewritePattern):
    """Divides the rows of a stage into slices, inside of one handshake."""

    plans: Mapping[Operation, StagePlan]
    expected: set[Operation]
    """The ops that may be in a region: those of the plan, and those inserted since."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        plan = self.plans.get(op)
        if plan is None:
            return
        if any(inner not in self.expected for inner in ops_in(op.regions[0])):
            fail(op, diagnostics.UNEXPECTED)
        block = op.regions[0].block
        # A consumer's stage is read, never written.
        stage = block.args if isinstance(op, ProducerRegionOpInterface) else ()
        slicer = _StageSlicer(block, stage, plan.count, rewriter)
        slicer.run(plan.divided)
        del op.attributes[ATTRIBUTE]
        rewriter.notify_op_modified(op)
        self.expected.update(slicer.made)


@dataclass
class _StageSlicer:
    """Replaces divided ops of a region by one op for each slice, and rebuilds whole tiles where
    needed.
    """

    block: Block
    stage: Sequence[SSAValue]
    """The destinations of the tiles that a producer yields."""
    count: int
    rewriter: PatternRewriter
    made: list[Operation] = field(default_factory=list[Operation])
    parts: dict[SSAValue, Sequence[SSAValue]] = field(
        default_factory=dict[SSAValue, Sequence[SSAValue]]
    )
    """The slices of tiles that are computed slice by slice."""
    wholes: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    views: dict[Operation, SSAValue] = field(default_factory=dict[Operation, SSAValue])
    """For each op that divides an object into tiles, a view of the object with smaller tiles."""

    def run(self, divided: Sequence[DividedOperation]) -> None:
        if self.count == 1:
            return
        plans = {plan.operation: plan for plan in divided}
        terminator = self.block.last_op
        for op in list(self.block.ops):
            if op in plans:
                self._divide(plans[op])
            else:
                self._take_wholes(op, self.stage if op is terminator else ())
        # Users before definitions, as an op with uses cannot be erased.
        for op in reversed(plans):
            self.rewriter.erase(op)

    def _emit(self, op: Operation, before: Operation) -> Operation:
        op.location = before.location
        self.made += ops_in(op)
        self.rewriter.insert(op, InsertPoint.before(before))
        return op

    # One op for each slice

    def _divide(self, plan: DividedOperation) -> None:
        op = plan.operation
        rows = self._operand_parts(op, plan.rows)
        views = self._view_parts(op)
        slices: list[Operation] = []
        for number in range(self.count):
            new = op.clone()
            for index, parts in (rows | views).items():
                new.operands[index] = parts[number]
            for result in new.results:
                type_ = part_type(result.type, self.count)
                if type_ is not None:
                    self.rewriter.replace_value_with_new_type(result, type_)
            _adapt_attributes(new, number, self.count)
            slices.append(self._emit(new, op))
        for position, result in enumerate(op.results):
            results = [new.results[position] for new in slices]
            if isinstance(result.type, TensorType):
                self.parts[result] = results
            else:
                joined = self._emit(nv_tileaa.JoinMemTokenOp(results), op)
                result.replace_all_uses_with(joined.results[0])
        if isinstance(op, nv_tileas.CopyOp) and op.destination is not None:
            # The slices have filled the destination, which is the whole already.
            self.wholes[op.result] = op.destination

    def _operand_parts(self, op: Operation, rows: Sequence[int]) -> dict[int, Sequence[SSAValue]]:
        """The slices of each operand: views of a buffer, or separate tiles of a value.

        The content of a stage or a buffer may change, so that each op extracts slices anew.
        """
        taken: dict[tuple[SSAValue, bool], Sequence[SSAValue]] = {}
        for index in rows:
            value, position = op.operands[index], is_position(op, index)
            if value in self.parts:
                taken[value, position] = self.parts[value]
            elif (value, position) not in taken:
                take = self._part_of if position else self._value_part
                taken[value, position] = [take(value, n, op) for n in range(self.count)]
        return {index: taken[op.operands[index], is_position(op, index)] for index in rows}

    def _part_of(self, value: SSAValue, number: int, user: Operation) -> SSAValue:
        type_ = part_type(value.type, self.count)
        assert type_ is not None
        elements = number * type_.element_count()
        return self._emit(nv_tileas.ViewOp(value, type_, offset=elements), user).results[0]

    def _value_part(self, value: SSAValue, number: int, user: Operation) -> SSAValue:
        type_ = part_type(value.type, self.count)
        assert type_ is not None
        extract = nv_tileas.ExtractSliceOp(value, _rows(type_, number), type_)
        return self._emit(extract, user).results[0]

    # Views

    def _view_parts(self, op: Operation) -> dict[int, Sequence[SSAValue]]:
        """For an access of a tiled view, the views and first coordinates of its slices, by operand.

        Tiles of the smaller view are contiguous, so that tile `c` consists of the `count` tiles
        from `c * count` on.
        """
        if not isinstance(op, nv_tileas.TiledLoadOp | nv_tileas.TiledStoreOp):
            return {}
        cut = part_view(op.view, self.count)
        if cut is None or isinstance(op.view.type, TensorType):
            return {}
        view = self._smaller_view(cut)
        first, *others = (self._wide(coordinate, op) for coordinate in op.coords)
        assert isinstance(first.type, IndexType | IntegerType)
        operand = self._constant(self.count, first.type, op)
        scaled = self._emit(arith.MuliOp(first, operand), op).results[0]
        coordinates = [scaled]
        for number in range(1, self.count):
            step = self._constant(number, first.type, op)
            coordinates.append(self._emit(arith.AddiOp(scaled, step), op).results[0])
        position = 2 if isinstance(op, nv_tileas.TiledStoreOp) else 1
        parts: dict[int, Sequence[SSAValue]] = {0: [view] * self.count, position: coordinates}
        for index, other in enumerate(others, position + 1):
            parts[index] = [other] * self.count
        return parts

    def _wide(self, coordinate: SSAValue, user: Operation) -> SSAValue:
        """A coordinate, extended to at least 32 bits."""
        type = coordinate.type
        if not isinstance(type, IntegerType) or type.width.data >= i32.width.data:
            return coordinate
        # There are more slices than tiles: their numbers may not fit a narrow type.
        return self._emit(arith.ExtUIOp(coordinate, i32), user).results[0]

    def _smaller_view(self, cut: nv_tileaa.BlockTileOp) -> SSAValue:
        # One view for all accesses of the object.
        if cut not in self.views:
            rows, *others = cut.get_tile_sizes()
            smaller = cut.with_smaller_tiles((rows // self.count, *others))
            smaller.location = cut.location
            self.made.append(smaller)
            self.rewriter.insert(smaller, InsertPoint.after(cut))
            self.views[cut] = smaller.result
        return self.views[cut]

    def _constant(self, value: int, type_: IndexType | IntegerType, user: Operation) -> SSAValue:
        return self._emit(arith.ConstantOp(IntegerAttr(value, type_)), user).results[0]

    # Whole tiles

    def _take_wholes(self, op: Operation, positions: Sequence[SSAValue]) -> None:
        """Replaces divided operands of an op, and of nested ops, by whole tiles."""
        for inner in ops_in(op):
            for index, value in enumerate(inner.operands):
                if value in self.parts:
                    position = positions[index] if index < len(positions) else None
                    inner.operands[index] = self._whole(value, op, position)

    def _whole(self, value: SSAValue, user: Operation, position: SSAValue | None) -> SSAValue:
        """The whole tile, rebuilt from its slices on first use."""
        if value not in self.wholes:
            # Nowhere given to put it: a buffer of its own.
            if position is None or position.type != value.type:
                assert isinstance(value.type, TensorType)
                position = self._emit(nv_tileas.AllocTensorOp(value.type), user).results[0]
            for number, part in enumerate(self.parts[value]):
                assert isinstance(part.type, TensorType)
                insert = nv_tileas.InsertSliceOp(part, position, _rows(part.type, number))
                position = self._emit(insert, user).results[0]
            self.wholes[value] = position
        return self.wholes[value]


def _rows(part: TensorType, number: int) -> Slice:
    """The position of one slice in the whole tile."""
    shape = part.get_shape()
    others = (0,) * (len(shape) - 1)
    return Slice((number * shape[0], *others), shape, (1,) * len(shape))


def _adapt_attributes(op: Operation, number: int, count: int) -> None:
    """Adapts the attributes of an op for a slice: layouts, and the elements of constants."""
    match op:
        case arith.ConstantOp(value=DenseIntOrFPElementsAttr() as whole):
            size = len(whole.data.data) // count
            elements = whole.data.data[number * size : (number + 1) * size]
            op.properties["value"] = DenseIntOrFPElementsAttr.new(
                [op.result.type, BytesAttr(elements)]
            )
        case nv_tileas.TiledLoadOp() | nv_tileas.TiledStoreOp() if op.layout is not None:
            tile = op.tile.type
            assert isinstance(tile, TensorType)
            if isinstance(tile.encoding, nv_tileas.LayoutAttr):
                op.layout = tile.encoding
        case _:
            pass
