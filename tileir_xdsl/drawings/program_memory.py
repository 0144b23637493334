"""The shared memory of a function, by the allocations that its ops state."""

from __future__ import annotations

from xdsl.ir import Operation

from tileir_xdsl.analysis.allocation.shared_memory_allocation import (
    is_allocated,
    plan_shared_memory,
)
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.drawings.program_layouts import Ids
from tileir_xdsl.drawings.resources import MemoryMap, MemoryUse
from tileir_xdsl.targets import get_target
from tileir_xdsl.walking import ops_in


def memory_map_of(function: nv_tileaa.FuncOp, gpu: str, ids: Ids) -> MemoryMap | None:
    """The map of shared memory; None before allocation, and for functions without shared memory."""
    if not is_allocated(function):
        return None
    target = get_target(gpu)
    # Ops keep the offsets that they have: this adds from when to when each is needed.
    plan = plan_shared_memory(function, target)
    uses = tuple(
        MemoryUse(
            _name(allocation.op, allocation.requirement.is_scratch),
            allocation.offset,
            allocation.request.bytes,
            tuple((s.first, s.last) for s in allocation.requirement.lifetime.spans.values()),
            tuple(ids(allocation.op)),
        )
        for allocation in plan.allocations
    )
    if not uses:
        return None
    limit = target.limits.shared_memory_per_block
    return MemoryMap(function.sym_name.data, uses, len(ops_in(function)), limit)


def _name(op: Operation, is_scratch: bool) -> str:
    """The name of an allocation: the use of its bytes."""
    kind = op.name.rpartition(".")[2]
    if is_scratch:
        return f"scratch of {kind}"
    match op:
        case nv_tileas.CreatePipelineOp():
            return "barriers of a pipeline"
        case nv_tileaa.FuncOp():
            return "address of tensor memory"
        case nv_tileas.AllocTensorOp():
            users = (use.operation for result in op.results for use in result.uses)
            stages = any(isinstance(user, nv_tileas.CreatePipelineOp) for user in users)
            hint = op.results[0].name_hint
            return ("stages of a pipeline" if stages else "buffer") + (f" %{hint}" if hint else "")
        case _:
            return kind
