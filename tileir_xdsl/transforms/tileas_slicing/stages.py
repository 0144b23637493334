"""The plan of one pipeline region: the tile of a stage is divided into slices of its rows.

    nv_tileas.async.pipeline.produce_one %p, %i {producer_types = [tile<128x64xf16>],
        sliceCount = 2 : i32} : (..) -> .. {
    ^bb0(%stage : tile<128x64xf16>):
      %a = nv_tileas.tiled_load %v[%k, %zero] : ..
      nv_tileas.async.pipeline.yield %a : tile<128x64xf16>
    }
    ->
    the rows 0 to 63 of %a and the rows 64 to 127, each loaded for itself and inserted into %stage

The op remains one handshake: a stage is acquired and committed, or awaited and released, once.
"""

from typing import TypeAlias

from xdsl.dialects.builtin import IntegerAttr, TensorType
from xdsl.ir import SSAValue

from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ConsumeOp, ProduceOp
from tileir_xdsl.walking import ops_in

from . import diagnostics
from .loops import ATTRIBUTE
from .plan import DividedOperation, StagePlan
from .row_types import first_extent, part_type
from .rows import SINKS, divided_operands
from .supported import COPIES, Callees, has_concrete_atom, is_supported

StageOp: TypeAlias = ConsumeOp | ProduceOp


def plan_stage(op: StageOp, callees: Callees) -> StagePlan:
    """The plan of one op with a region for one stage.

    Raises:
        PassFailedException: the region cannot be sliced.
    """
    block = op.body.block
    attribute = op.attributes[ATTRIBUTE]
    if not isinstance(attribute, IntegerAttr) or (count := attribute.value.data) < 1:
        fail(op, diagnostics.COUNT)
    # Such a region has no tiles as arguments that could be divided.
    if any(isinstance(type_, nv_tileas.PipelineIteratorType) for type_ in block.arg_types):
        fail(op, diagnostics.INITIAL_VALUE)
    tiles = [type_ for type_ in block.arg_types if isinstance(type_, TensorType)]
    rows = [first_extent(type_) for type_ in tiles]
    if not rows or any(extent is None or extent % count for extent in rows):
        fail(op, diagnostics.COUNT)
    for inner in ops_in(op.body):
        if not is_supported(inner, callees):
            fail(op, diagnostics.OPERATION)
        if isinstance(inner, COPIES) and not has_concrete_atom(inner):
            fail(op, diagnostics.COPY_ATOM)
    return StagePlan(count, _divided_operations(op, count))


def _divided_operations(op: StageOp, count: int) -> tuple[DividedOperation, ...]:
    """The ops to repeat for each slice, found backwards from stores and yielded tiles."""
    *body, terminator = op.body.block.ops
    needed: set[SSAValue] = {
        value for value in terminator.operands if part_type(value.type, count) is not None
    }
    divided: list[DividedOperation] = []
    # From users to definitions: what nobody needs in parts is left whole.
    for inner in reversed(body):
        if not isinstance(inner, SINKS) and needed.isdisjoint(inner.results):
            continue
        rows = divided_operands(inner, count)
        if rows is not None:
            divided.append(DividedOperation(inner, rows))
            needed.update(inner.operands[index] for index in rows)
    return tuple(reversed(divided))
