"""Ops that one thread may execute for all: issuing bulk copies, and computing scalars."""

from typing import TypeGuard

from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation, Region
from xdsl.traits import Pure

from tileir_xdsl.analysis.buffers.pipelines import is_in_pipeline
from tileir_xdsl.analysis.buffers.shared_layouts import is_shared
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ProduceOp
from tileir_xdsl.dialects.nv_tileas.interfaces import BulkLoadOpInterface
from tileir_xdsl.walking import ops_in


def is_bulk_load(op: Operation) -> TypeGuard[BulkLoadOpInterface]:
    """Whether one thread issues an op that fills a buffer, and a barrier counts its bytes."""
    return isinstance(op, BulkLoadOpInterface) and op.filled is not None


SCALAR_OPS = (
    nv_tileas.PipelineYieldOp,
    nv_tileas.ReadProgramIdOp,
    nv_tileas.WaitOp,
    ProduceOp,
    scf.ConditionOp,
    scf.ForOp,
    scf.IfOp,
    scf.WhileOp,
    scf.YieldOp,
)
"""Further ops that one thread can execute, if it can execute the ops in their regions."""


def can_run_in_one_thread(region: Region) -> bool:
    """Whether a region only handles scalars and issues bulk copies."""
    return all(is_scalar(op) for op in ops_in(region))


def is_scalar(op: Operation) -> bool:
    """Whether an op only handles scalars and issues bulk copies, disregarding its regions."""
    # All threads of the region rewrite the tile, and meet.
    if isinstance(op, nv_tileas.PadOp):
        return False
    # Every thread of the agent arrives for what threads write to a stage.
    if isinstance(op, ProduceOp) and (op.stores_values or not starts_bulk_copies(op)):
        return False
    if not (isinstance(op, SCALAR_OPS) or is_bulk_load(op) or op.has_trait(Pure)):
        return False
    return not any(is_in_registers(value.type) for value in (*op.operands, *op.results))


def is_in_registers(type: Attribute) -> bool:
    """Whether values of a type are tiles distributed over registers of threads."""
    if isinstance(type, ValueType):
        type = type.payload
    return isinstance(type, TensorType) and not is_shared(type)


def starts_bulk_copies(op: ProduceOp) -> bool:
    """Whether bulk copies fill the stage."""
    return any(is_bulk_load(inner) and is_in_pipeline(inner) for inner in ops_in(op.body))


def fills_by_copies(op: ProduceOp) -> bool:
    """Whether bulk copies fill the stage, and other threads only copy tiles of views to it."""
    if op.stores_values or not starts_bulk_copies(op):
        return False
    return all(is_scalar(inner) or is_copy_to_stage(inner) for inner in ops_in(op.body))


def is_copy_to_stage(op: Operation) -> TypeGuard[nv_tileas.AsyncTiledLoadOp]:
    """Whether threads copy a tile of a view to a stage."""
    return isinstance(op, nv_tileas.AsyncTiledLoadOp) and is_in_pipeline(op)


def writes_by_threads(op: ProduceOp) -> bool:
    """Whether threads write or copy to the stage themselves."""
    return op.stores_values or not (starts_bulk_copies(op) and can_run_in_one_thread(op.body))
