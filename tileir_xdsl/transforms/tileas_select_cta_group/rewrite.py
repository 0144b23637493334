"""Rewrites a kernel to MMAs of pairs of CTAs."""

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, TensorType, i32
from xdsl.ir import Attribute, Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from tileir_xdsl.analysis.buffers.shared_layouts import shared_layout, size_in_bytes
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ProduceOp
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.dialects.nv_tileas.cta_groups import PAIR
from tileir_xdsl.rewriting import DispatchWalker
from tileir_xdsl.walking import ops_in

from .pairing import Load, Pairing, PipelineOp


@dataclass(frozen=True)
class GiveHalves(RewritePattern):
    """Changes values to the types of a CTA's part."""

    pairing: Pairing

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        arguments = (a for region in op.regions for block in region.blocks for a in block.args)
        for value in (*op.results, *arguments):
            type = self.pairing.types.get(value)
            if type is not None:
                rewriter.replace_value_with_new_type(value, type)
        if isinstance(op, ProduceOp):
            held = ArrayAttr([argument.type for argument in op.body.block.args])
            if held != op.producer_types:
                op.producer_types = held
                rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class PairLoad(RewritePattern):
    """Makes a load fill one CTA's half of a tile, and count its bytes at the mbarrier of the
    pair.
    """

    pairing: Pairing

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, Load)
        if op not in self.pairing.groups:
            return
        count, stride = self.pairing.groups[op]
        op.num_multicast = IntegerAttr(count, i32) if count > 1 else None
        op.multicast_stride = IntegerAttr(stride, i32) if count > 1 else None
        op.cta_group = IntegerAttr(PAIR, i32)
        bytes = size_in_bytes(shared_layout(op, op.destination.type))
        op.tx_count = IntegerAttr(bytes, i32)
        rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class PairMMA(RewritePattern):
    """Marks the MMAs as those of pairs of CTAs."""

    pairing: Pairing

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, MMAOp)
        if op in self.pairing.mmas:
            op.cta_group = IntegerAttr(PAIR, i32)
            rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class SetStages(RewritePattern):
    """Changes the number of stages of a pipeline."""

    stages: Mapping[PipelineOp, int]

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, PipelineOp)
        count = self.stages.get(op)
        if count is None or count == op.num_stages.value.data:
            return
        for view in op.buffer_views:
            rewriter.replace_value_with_new_type(view, _of_stages(view.type, count))
        op.num_stages = IntegerAttr(count, i32)
        rewriter.notify_op_modified(op)


def _of_stages(type: Attribute, count: int) -> TensorType[Attribute]:
    """The type of a buffer with `count` stages."""
    assert isinstance(type, TensorType)
    _, *shape = type.get_shape()
    return TensorType(type.get_element_type(), [count, *shape], type.encoding)


def execute(function: nv_tileaa.FuncOp, pairing: Pairing, stages: Mapping[PipelineOp, int]) -> None:
    """Applies the changes for MMAs of pairs to a function."""
    DispatchWalker({PipelineOp: SetStages(stages)}).rewrite(function)
    kinds = {type(op) for op in ops_in(function)}
    DispatchWalker(dict.fromkeys(kinds, GiveHalves(pairing))).rewrite(function)
    DispatchWalker({Load: PairLoad(pairing)}).rewrite(function)
    mma = PairMMA(pairing)
    DispatchWalker({nv_tileas.AsyncDotOp: mma, nv_tileas.DotOp: mma}).rewrite(function)
