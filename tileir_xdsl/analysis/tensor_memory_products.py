"""Products with their sums in tensor memory: which ops they are, and which stages they read.

    %r, %tile = nv_tileas.async.pipeline.consumer_read %w
    %a = nv_tileas.view %tile : ..
    %d = nv_tileas.async.dot %a, %b, %c {atom = #nv_tileas<atom umma_f16_f16_f32>}

Source: PTX ISA, "tcgen05.mma".
"""

from collections.abc import Iterator

from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue

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


def buffer_of(factor: SSAValue) -> Operation | Block:
    """The op that has put a factor where it is, or the block that it comes with."""
    while isinstance(factor.owner, RENAMINGS):
        factor = factor.owner.operands[0]
    return factor.owner


def stage_of(factor: SSAValue) -> nv_tileas.ConsumerReadOp | None:
    """The op that has read a factor from a stage of a pipeline; None if it is elsewhere."""
    buffer = buffer_of(factor)
    return buffer if isinstance(buffer, nv_tileas.ConsumerReadOp) else None


def is_awaited_before_rewritten(factor: SSAValue, product: ProductOp) -> bool:
    """Whether a loop carries sums to a wait ahead of the op that writes a factor of the next ones.

    %s = async.future_wait %acc           // %acc is %d of the iteration before
    %p = convert_layout ..
    %d = async.dot %p, %v, %c
    scf.yield %d
    """
    buffer, block = buffer_of(factor), product.parent
    if not isinstance(buffer, Operation) or block is None or buffer.parent is not block:
        return False
    loop, terminator = block.parent_op(), block.last_op
    if not isinstance(loop, scf.ForOp) or terminator is None:
        return False
    carried = (
        argument
        for argument, yielded in zip(block.args[1:], terminator.operands, strict=True)
        if yielded is product.results[0]
    )
    return any(
        isinstance(use.operation, nv_tileas.FutureWaitOp)
        and use.operation.parent is block
        and use.operation.is_before_in_block(buffer)
        for argument in carried
        for use in argument.uses
    )


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
