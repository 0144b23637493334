"""Which thread blocks (CTAs) of a cluster load the same tile.

The CTAs that execute a tile block run one program, and only `nv_tileaa.get_cta_id` tells them
apart. A load is the same in all CTAs if its coordinates, and the loops and branches around it, do
not depend on the CTA.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from math import prod

from xdsl.dialects import scf
from xdsl.ir import BlockArgument, Operation, SSAValue

from tileir_xdsl.analysis.buffers.pipelines import pipeline_of
from tileir_xdsl.analysis.regions.region_flow import forwarded_as
from tileir_xdsl.analysis.regions.scopes import function_around
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileaa.core import cluster_shape
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ProduceOp
from tileir_xdsl.dialects.nv_tileas.cta_groups import is_of_pair
from tileir_xdsl.walking import ancestors, ops_in


@dataclass(frozen=True)
class SharingGroup:
    """CTAs that load the same tile: `count` CTAs, whose ranks are `stride` apart."""

    count: int
    stride: int


def sharing_group(op: Operation) -> SharingGroup | None:
    """The CTAs of a cluster that make the same access; None where each makes its own."""
    rows, columns = _shape_around(op)
    if rows * columns == 1:
        return None
    axes = differing_axes(op)
    groups = {
        frozenset[int](): SharingGroup(rows * columns, 1),
        frozenset({0}): SharingGroup(columns, rows),
        frozenset({1}): SharingGroup(rows, 1),
    }
    group = groups.get(axes)
    return group if group is not None and group.count > 1 else None


def differing_axes(op: Operation) -> frozenset[int]:
    """The axes of the cluster along which the executions of an op differ.

    Along these axes the operands of the op, or the number of its executions, depend on the CTA.
    """
    return _axes_of([*op.operands, *_deciding(op)])


def deciding_axes(op: Operation) -> frozenset[int]:
    """The axes of the cluster along which the number of executions of an op differs."""
    return _axes_of(list(_deciding(op)))


def _axes_of(pending: list[SSAValue]) -> frozenset[int]:
    """The axes of the cluster that values depend on."""
    seen, axes = set[SSAValue](), set[int]()
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        owner = value.owner
        if isinstance(owner, nv_tileaa.GetCtaIdOp):
            axes.add(owner.axis.value.data)
        pending += _sources(value)
    return frozenset(axes)


def _sources(value: SSAValue) -> Iterator[SSAValue]:
    """The values that a value is computed from, or chosen by."""
    is_argument = isinstance(value, BlockArgument)
    op = value.block.parent_op() if is_argument else value.owner
    if not isinstance(op, Operation) or isinstance(op, nv_tileaa.FuncOp):
        return
    if is_argument or op.regions:
        yield from forwarded_as(value)
        yield from _tested(op)
    else:
        yield from op.operands


def _deciding(op: Operation) -> Iterator[SSAValue]:
    """The values that decide whether and how often an op runs."""
    for parent in takewhile(lambda op: not isinstance(op, nv_tileaa.FuncOp), ancestors(op)):
        yield from _tested(parent)


def _tested(op: Operation) -> Iterator[SSAValue]:
    """The operands that a branch or a loop reads; all operands of any other op with regions."""
    match op:
        case scf.IfOp():
            yield op.cond
        case scf.ForOp():
            yield from (op.lb, op.ub, op.step)
        case scf.WhileOp():
            last = op.before_region.block.last_op
            assert last is not None
            yield last.operands[0]
        case _:
            yield from op.operands


def _shape_around(op: Operation) -> tuple[int, int]:
    """The numbers of CTAs, along rows and columns, of the cluster that runs an op."""
    function = function_around(op)
    return (1, 1) if function is None else cluster_shape(function)


def shared_pipelines(function: Operation) -> frozenset[Operation]:
    """The pipelines of which CTAs of a cluster fill the stages for each other.

    These pipelines have loads that several CTAs make alike, or count the bytes of both CTAs of a
    pair. The pipeline of the next tile block, which exists during the whole kernel, is included.
    """
    found: set[Operation] = set()
    has_clusters = isinstance(function, nv_tileaa.FuncOp) and prod(cluster_shape(function)) > 1
    for op in ops_in(function):
        if not isinstance(op, ProduceOp):
            continue
        pipeline = pipeline_of(op.token)
        if pipeline is None or pipeline.parent_op() is not function:
            continue
        loads = (o for o in op.body.block.ops if isinstance(o, nv_tileas.AsyncTiledTmaLoadOp))
        asks = any(isinstance(o, nv_tileas.AsyncCancelNextProgramIdOp) for o in op.body.block.ops)
        if (asks and has_clusters) or any(
            load.multicast_group[0] > 1 or is_of_pair(load.cta_group) for load in loads
        ):
            found.add(pipeline)
    return frozenset(found)
