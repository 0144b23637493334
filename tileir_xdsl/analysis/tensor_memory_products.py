"""Products with their sums in tensor memory: which ops they are, and which stages they read.

    %r, %tile = nv_tileas.async.pipeline.consumer_read %w
    %a = nv_tileas.view %tile : ..
    %d = nv_tileas.async.dot %a, %b, %c {atom = #nv_tileas<atom umma_f16_f16_f32>}

Source: PTX ISA, "tcgen05.mma".
"""

from collections.abc import Iterator

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileas.compute import ProductOp
from tileir_xdsl.dialects.nv_tileas.types import memory_of
from tileir_xdsl.targets.atoms import Memory
from tileir_xdsl.targets.mma import MMA_ATOMS, MMAKind

RENAMINGS = (nv_tileaa.PermuteOp, nv_tileas.ViewOp)
"""Ops whose result is the same tile in shared memory with other indices."""


def is_tensor_memory_product(op: Operation) -> bool:
    """Whether an op is a product of operands in shared memory with its sums in tensor memory."""
    if not isinstance(op, ProductOp) or op.atom is None or op.scales:
        return False
    atom = MMA_ATOMS.get(op.atom.data)
    in_place = _is_shared(op.a.type) and _is_shared(op.b.type)
    return atom is not None and atom.kind is MMAKind.TENSOR_MEMORY and in_place


def _is_shared(type: Attribute) -> bool:
    return isinstance(type, TensorType) and memory_of(type) is Memory.SHARED


def stage_of(factor: SSAValue) -> nv_tileas.ConsumerReadOp | None:
    """The op that has read a factor from a stage of a pipeline; None if it is elsewhere."""
    while isinstance(factor.owner, RENAMINGS):
        factor = factor.owner.operands[0]
    return factor.owner if isinstance(factor.owner, nv_tileas.ConsumerReadOp) else None


def stages_read(op: ProductOp) -> tuple[nv_tileas.ConsumerReadOp, ...]:
    """The stages that have factors of a product, each once."""
    stages = (stage_of(factor) for factor in (op.a, op.b))
    return tuple(dict.fromkeys(stage for stage in stages if stage is not None))


def reads_stages_alone(op: ProductOp) -> bool:
    """Whether both factors are in stages of pipelines."""
    return stage_of(op.a) is not None and stage_of(op.b) is not None


def readers_of(tile: SSAValue) -> Iterator[Operation]:
    """The ops that look at a tile in shared memory, under this name or another one."""
    for use in tile.uses:
        if isinstance(use.operation, RENAMINGS):
            yield from readers_of(use.operation.results[0])
        else:
            yield use.operation
