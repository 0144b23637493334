"""Accumulators in tensor memory: the values that share one, and the ops that initialise it.

For example:

    %0 = nv_tileas.async.to_async %zero
    scf.for .. iter_args(%c = %0) {                      // one accumulator: %0, %c, %d and what
      %d = nv_tileas.async.dot %a, %b, %c {..}           // the loop gives
      scf.yield %d
    }
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from tileir_xdsl.analysis.buffers.origin import is_in_tensor_memory
from tileir_xdsl.analysis.buffers.pipelines import holds_accumulators, pipeline_of
from tileir_xdsl.analysis.mma.tensor_memory_mmas import is_tensor_memory_mma
from tileir_xdsl.analysis.regions.region_flow import forwarded_values
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.dialects.nv_tileas.interfaces import (
    AllocationOpInterface,
    StageTokenOpInterface,
    TileMoveOpInterface,
)
from tileir_xdsl.walking import ops_in


@dataclass
class Accumulator:
    """Values that share an accumulator, and the ops that initialise it."""

    starts: list[Operation]
    values: set[SSAValue]

    @property
    def pipeline(self) -> nv_tileas.CreatePipelineOp | None:
        """The pipeline whose stages hold the accumulator; None without a pipeline."""
        pipelines = (
            use.operation
            for start in self.starts
            if isinstance(start, AllocationOpInterface)
            for use in start.results[0].uses
        )
        return next((op for op in pipelines if isinstance(op, nv_tileas.CreatePipelineOp)), None)

    @property
    def stages(self) -> int:
        """The stages of the pipeline; 1 without a pipeline."""
        return 1 if self.pipeline is None else self.pipeline.num_stages.value.data

    @property
    def mmas(self) -> list[MMAOp]:
        owners = (value.owner for value in self.values)
        return [o for o in owners if isinstance(o, MMAOp) and is_tensor_memory_mma(o)]


def accumulators_of(ops: Iterable[Operation]) -> list[Accumulator]:
    """The accumulators of a function, in the order of their first ops."""
    found: list[Accumulator] = []
    for op in ops:
        if not _begins_accumulators(op):
            continue
        values = same_accumulator(op.results[0])
        meeting = [other for other in found if not values.isdisjoint(other.values)]
        found = [other for other in found if other not in meeting]
        starts = [start for other in meeting for start in other.starts]
        found.append(Accumulator([*starts, op], values.union(*(o.values for o in meeting))))
    # An asynchronous value that no MMA adds to or returns is in registers.
    return [a for a in found if a.mmas or is_in_tensor_memory(a.starts[0].results[0].type)]


def _begins_accumulators(op: Operation) -> bool:
    """Whether an op returns an accumulator that was not asynchronous before."""
    if isinstance(op, MMAOp):
        return is_tensor_memory_mma(op) and not isinstance(op.c.type, ValueType)
    is_allocated = isinstance(op, AllocationOpInterface)
    makes_tile = is_allocated and is_in_tensor_memory(op.results[0].type)
    return makes_tile or isinstance(op, nv_tileas.ToAsyncOp)


def accumulator_values(function: Operation) -> frozenset[SSAValue]:
    """The values of a function that are accumulators in tensor memory."""
    accumulators = accumulators_of(ops_in(function))
    return frozenset(value for each in accumulators for value in each.values)


def same_accumulator(value: SSAValue) -> set[SSAValue]:
    """A value, and those that it becomes when it is carried, forwarded or accumulated to."""
    found = {value}
    is_tile = is_in_tensor_memory(value.type)
    waiting = [value] if is_tile or isinstance(value.type, ValueType) else []
    while waiting:
        for following in _next_accumulators(waiting.pop()):
            if following not in found:
                found.add(following)
                waiting.append(following)
    return found


def _next_accumulators(value: SSAValue) -> Iterator[SSAValue]:
    for use in value.uses:
        op = use.operation
        if isinstance(op, MMAOp) and op.c is value and is_tensor_memory_mma(op):
            yield op.results[0]
        if isinstance(op, TileMoveOpInterface) and op.filled is value:
            yield op.results[0]
        if isinstance(op, nv_tileas.CreatePipelineOp):
            yield from _read_from_stages(op, use.index)
        if isinstance(op, nv_tileas.ProducerWriteOp) and use.index:
            pipeline = pipeline_of(op.token)
            if pipeline is not None and holds_accumulators(pipeline):
                yield pipeline.buffer_views[use.index - 1]
        for around in (op, op.parent_op()):
            if around is not None:
                pairs = forwarded_values(around)
                yield from (target for source, target in pairs if source is value)


def _read_from_stages(pipeline: nv_tileas.CreatePipelineOp, index: int) -> Iterator[SSAValue]:
    """The values that consumers read for one of the tiles in the stages of a pipeline."""
    if not holds_accumulators(pipeline):
        return
    waiting: list[SSAValue] = [pipeline.consumer]
    seen = set(waiting)
    while waiting:
        for use in waiting.pop().uses:
            op = use.operation
            if isinstance(op, nv_tileas.ConsumerReadOp):
                yield op.values[index]
            for following in _next_tokens(op, use.index):
                if following not in seen:
                    seen.add(following)
                    waiting.append(following)


def _next_tokens(op: Operation, index: int) -> Iterator[SSAValue]:
    """The values that continue the token of a pipeline."""
    if isinstance(op, nv_tileaa.AgentLikeOpInterface):
        yield from (region.block.args[index] for region in op.regions)
    elif isinstance(op, StageTokenOpInterface) and not index:
        yield op.results[0]
