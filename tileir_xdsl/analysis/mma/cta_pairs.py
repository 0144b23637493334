"""Pairs of CTAs that execute MMAs together, by the attributes of a function.

    %d = nv_tileas.async.dot %a, %b, %c {.., cta_group = 2 : i32}
    %v = nv_tileas.async.tiled_tma_load %map, %stage[..], %m {.., cta_group = 2 : i32}

Either all MMAs in tensor memory use pairs of CTAs or none does. Source: PTX ISA, "tcgen05.mma",
`.cta_group`.
"""

from xdsl.ir import Operation, Region

from tileir_xdsl.analysis.buffers.pipelines import holds_accumulators, pipeline_of
from tileir_xdsl.analysis.regions.scopes import is_repeated
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ProduceOp
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.dialects.nv_tileas.cta_groups import is_of_pair
from tileir_xdsl.walking import ops_in


def has_pairs(function: Operation) -> bool:
    """Whether the MMAs of a function use pairs of CTAs."""
    return any(isinstance(op, MMAOp) and is_of_pair(op.cta_group) for op in ops_in(function))


def fills_for_pair(op: ProduceOp) -> bool:
    """Whether the CTAs of a pair fill a stage whose bytes the first CTA counts."""
    loads = (o for o in op.body.block.ops if isinstance(o, nv_tileas.AsyncTiledTmaLoadOp))
    return any(is_of_pair(load.cta_group) for load in loads)


def may_overwrite(start: nv_tileas.ToAsyncOp, function: Operation) -> bool:
    """Whether threads may still read the columns in which an accumulator begins.

    No thread has used the columns before the first accumulator of a kernel, if it begins once.
    """
    starts = [op for op in ops_in(function) if isinstance(op, nv_tileas.ToAsyncOp)]
    return is_repeated(start) or start is not starts[0]


def issues_mmas(agent: Region) -> bool:
    """Whether an agent issues MMAs for the epilogue of another one."""
    ops = (op for op in ops_in(agent) if isinstance(op, nv_tileas.ProducerAcquireOp))
    pipelines = (pipeline_of(op.token) for op in ops)
    return any(pipeline is not None and holds_accumulators(pipeline) for pipeline in pipelines)
