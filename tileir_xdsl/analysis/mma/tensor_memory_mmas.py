"""MMAs with accumulators in tensor memory, and the stages that they read.

    %r, %tile = nv_tileas.async.pipeline.consumer_read %w
    %a = nv_tileas.view %tile : ..
    %d = nv_tileas.async.dot %a, %b, %c {atom = #nv_tileas<atom umma_f16_f16_f32>}

Source: PTX ISA, "tcgen05.mma".
"""

from collections.abc import Iterable, Iterator

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue, Use

from tileir_xdsl.analysis.buffers.shared_layouts import is_shared
from tileir_xdsl.analysis.regions.region_flow import forwarded_as, forwarded_values
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.element_interfaces import BufferViewOpInterface
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.dialects.nv_tileas.layout import tile_layout
from tileir_xdsl.dialects.nv_tileas.types import memory_of
from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.layout.tensor_memory import columns_of_operand_a
from tileir_xdsl.targets.atoms import Memory
from tileir_xdsl.targets.mma import MMA_ATOMS, MMAKind

RENAMINGS = (BufferViewOpInterface, nv_tileas.PadOp)
"""Ops whose result is the same tile in shared memory, with other indices or padding."""


def is_tensor_memory_mma(op: Operation) -> bool:
    """Whether an op is an MMA with a tensor-memory accumulator.

    B is in shared memory; A is there too, or in registers that threads store to tensor memory.
    """
    if not isinstance(op, MMAOp) or op.atom is None:
        return False
    atom = MMA_ATOMS.get(op.atom.data)
    if atom is None or bool(atom.scale) != bool(op.scales):
        return False
    if atom.kind is not MMAKind.TENSOR_MEMORY or not is_shared(op.b.type):
        return False
    return is_shared(op.a.type) or operand_a_columns(op) is not None


def multiplies_elements(op: MMAOp) -> bool:
    """Whether a dot is computed element by element, without a matrix instruction."""
    atom = None if op.atom is None else MMA_ATOMS.get(op.atom.data)
    if atom is not None and atom.kind is MMAKind.WARPGROUP and is_shared(op.b.type):
        return False
    if atom is not None and is_tensor_memory_mma(op):
        return False
    return atom is None or atom.kind is not MMAKind.WARP


def tensor_memory_mmas(ops: Iterable[Operation]) -> tuple[MMAOp, ...]:
    """Those ops that are MMAs with tensor-memory accumulators."""
    return tuple(op for op in ops if isinstance(op, MMAOp) and is_tensor_memory_mma(op))


def operand_a_columns(op: MMAOp) -> LinearLayout | None:
    """The columns of tensor memory to which threads store A from registers; None if A is
    elsewhere.
    """
    # Encodings other than layouts of registers are those of memory.
    if op.scales or op.cta_group is not None or memory_of(op.a.type) is not Memory.REGISTER:
        return None
    try:
        layout = tile_layout(op.a.type)
    except LayoutError:
        return None
    return None if layout is None else columns_of_operand_a(layout)


def shared_operands(op: MMAOp) -> tuple[SSAValue, ...]:
    """Those of A, B, and the block scales that are in shared memory."""
    return tuple(operand for operand in (op.a, op.b, *op.scales) if is_shared(operand.type))


def has_scales_in_registers(op: MMAOp) -> bool:
    """Whether threads store the block scales of an MMA to tensor memory."""
    return any(not is_shared(scales.type) for scales in op.scales)


def buffer_of(operand: SSAValue) -> Operation | Block:
    """The op that has written an operand's buffer, or the block of which it is an argument."""
    while isinstance(operand.owner, RENAMINGS):
        operand = operand.owner.operands[0]
    return operand.owner


def stage_of(operand: SSAValue) -> nv_tileas.ConsumerReadOp | None:
    """The op that has read an operand from a pipeline stage; None if it is elsewhere."""
    buffer = buffer_of(operand)
    return buffer if isinstance(buffer, nv_tileas.ConsumerReadOp) else None


# When threads have to wait for an MMA.


def is_awaited_before_rewritten(operand: SSAValue, mma: MMAOp) -> bool:
    """Whether every path from an MMA to an op that overwrites an operand waits for the MMA.

    For example:

        %s = async.future_wait %acc       // %acc is %d of the previous iteration
        %p = convert_layout ..
        %d = async.dot %p, %v, %c
        scf.yield %d
    """
    return all(
        isinstance(writer, Operation)
        and not isinstance(writer, nv_tileas.ConsumerReadOp)
        and _is_awaited_before(mma.results[0], writer, frozenset())
        for writer in writers_of(operand, set())
    )


def is_awaited_before_repeated(mma: MMAOp) -> bool:
    """Whether every path from an MMA to its next execution waits for the MMA."""
    return _is_awaited_before(mma.results[0], mma, frozenset())


def writers_of(tile: SSAValue, visited: set[SSAValue]) -> Iterator[Operation | Block]:
    """The ops that have written a tile; a block where they are not known."""
    if tile in visited:
        return
    visited.add(tile)
    if isinstance(tile.owner, RENAMINGS):
        yield from writers_of(tile.owner.operands[0], visited)
        return
    sources = list(forwarded_as(tile))
    if not sources:
        yield tile.owner
    for source in sources:
        yield from writers_of(source, visited)


def _is_awaited_before(value: SSAValue, writer: Operation, visited: frozenset[SSAValue]) -> bool:
    """Whether every path from an asynchronous value to the next run of an op passes a wait."""
    if isinstance(value.owner, Operation):
        home, start = value.owner.parent, value.owner
    else:
        home, start = value.owner, None
    if home is None or value in visited:
        return False
    position = home.find_ancestor_op_in_block(writer)
    is_past = start is not None and position is not None and not start.is_before_in_block(position)
    following: list[SSAValue] = []
    for use in value.uses:
        user = use.operation
        if user.parent is not home:
            continue
        in_time = position is None or is_past or user.is_before_in_block(position)
        if isinstance(user, nv_tileas.FutureWaitOp) and in_time:
            return True
        following = following or _forwarded_as(use)
    visited |= {value}
    return bool(following) and all(_is_awaited_before(v, writer, visited) for v in following)


def _forwarded_as(use: Use) -> list[SSAValue]:
    """The values that a used value becomes at the start or at the end of a region."""
    op, parent = use.operation, use.operation.parent_op()
    if isinstance(op, scf.ForOp):
        # Without an iteration it is the result.
        return [op.body.block.args[use.index - 2], op.results[use.index - 3]]
    if isinstance(op, scf.YieldOp) and isinstance(parent, scf.ForOp):
        return [parent.body.block.args[use.index + 1], parent.results[use.index]]
    value = op.operands[use.index]
    pairs = [pair for around in (op, parent) if around for pair in forwarded_values(around)]
    return [target for source, target in pairs if source is value]


def stages_read(op: MMAOp) -> tuple[nv_tileas.ConsumerReadOp, ...]:
    """The stages that hold operands of an MMA, each once."""
    stages = map(stage_of, shared_operands(op))
    return tuple(dict.fromkeys(stage for stage in stages if stage is not None))


def reads_stages_alone(op: MMAOp) -> bool:
    """Whether all operands in shared memory are in pipeline stages."""
    return None not in map(stage_of, shared_operands(op))


def readers_of(tile: SSAValue) -> Iterator[Operation]:
    """The ops that read a tile in shared memory, directly or through an alias."""
    for use in tile.uses:
        if isinstance(use.operation, RENAMINGS):
            yield from readers_of(use.operation.results[0])
        else:
            yield use.operation
