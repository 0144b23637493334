"""The requirements of ops on the layouts of their tiles: from the IR to `tile_uses`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from xdsl.dialects import scf
from xdsl.dialects.builtin import FloatTF32Type
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.analysis.access.access_width import (
    AccessedAddresses,
    access_tile,
    addresses_of_pointers,
    addresses_of_view,
)
from tileir_xdsl.analysis.access.copy_costs import WORD_BITS
from tileir_xdsl.analysis.access.fragment_loads import mma_of_fragments, reads_in_steps
from tileir_xdsl.analysis.access.tma_access import (
    TiledAccess,
    follows_writes,
    reduction_atom,
    tma_problem,
)
from tileir_xdsl.analysis.layouts.accumulators import is_mma_accumulator
from tileir_xdsl.analysis.layouts.bulk_uses import BulkUse, rows_transfer
from tileir_xdsl.analysis.layouts.candidates import Conversions, TileLayout, TileUse
from tileir_xdsl.analysis.layouts.dot_layouts import Axis, DotLayouts, DotShape, layouts_of_dot
from tileir_xdsl.analysis.layouts.global_uses import (
    BoxTransfer,
    GlobalUse,
    PointersUse,
    box_transfer,
)
from tileir_xdsl.analysis.layouts.groups import awaited, is_kind, is_layoutable, is_tile, tiles_of
from tileir_xdsl.analysis.layouts.tile_uses import (
    ConversionUse,
    OperandUse,
    ReductionUse,
    ScanUse,
    SharedUse,
    TensorMemoryUse,
)
from tileir_xdsl.analysis.layouts.transfer import is_elementwise, is_made_in_place
from tileir_xdsl.analysis.regions.scopes import is_made_once
from tileir_xdsl.analysis.values.divisibility import DivisibilityAnalysis, element_bytes
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.enumerations import MemoryOrdering as MemSemantic
from tileir_xdsl.dialects.enumerations import PaddingValue
from tileir_xdsl.dialects.nv_tileaa.attributes import padding_of
from tileir_xdsl.dialects.nv_tileaa.collectives import PrefixOp, ReductionOp
from tileir_xdsl.dialects.nv_tileaa.constraints import bit_width
from tileir_xdsl.dialects.nv_tileaa.types import TileShape, tile_shape
from tileir_xdsl.dialects.nv_tileaa.views import LoadTileOp, StoreTileOp
from tileir_xdsl.dialects.nv_tileas.accesses import SparseTileOp
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.dialects.nv_tileas.interfaces import ContractionOpInterface
from tileir_xdsl.dialects.nv_tileas.layout import LayoutAttr, tile_layout
from tileir_xdsl.dialects.nv_tileas.tiled_memory import MaskedAccessOp
from tileir_xdsl.dialects.nv_tileas.types import layout_of, memory_of
from tileir_xdsl.layout.banks import MAX_VECTOR_BYTES
from tileir_xdsl.layout.cute import NO_SWIZZLE, LayoutError
from tileir_xdsl.layout.shared import SharedLayout, default_shared_layout
from tileir_xdsl.targets import Feature, Target
from tileir_xdsl.targets.atoms import Memory
from tileir_xdsl.targets.mma import MMA_ATOMS, MMAKind
from tileir_xdsl.walking import ancestors

ACCESSES = (nv_tileas.LoadOp, nv_tileas.StoreOp, nv_tileas.TiledLoadOp, nv_tileas.TiledStoreOp)
"""Accesses that get a copy atom."""

LOADS = (nv_tileas.LoadOp, nv_tileas.TiledLoadOp)
ATOMICS = (nv_tileaa.AtomicRMWOp, nv_tileaa.AtomicCASOp, nv_tileas.TiledAtomicRMWOp)
WITH_USES = (
    *ACCESSES,
    *ATOMICS,
    nv_tileas.AsyncLoadOp,
    PrefixOp,
    ContractionOpInterface,
    ReductionOp,
    SparseTileOp,
    nv_tileas.ConvertLayoutOp,
    nv_tileas.FutureWaitOp,
)
"""Ops that may have requirements on the layouts of their tiles."""

LOOPS = (scf.ForOp, scf.WhileOp)
LOOP_FREQUENCY = 8
"""The assumed number of iterations of a loop, where costs inside and outside are compared."""
MOST_FREQUENT = LOOP_FREQUENCY**16
"""The limit: above it, sums in double precision would lose the costs outside of loops."""


@dataclass(frozen=True)
class OperationUse:
    """The requirements of one op on one group."""

    op: Operation
    use: TileUse
    operands: tuple[int, ...]
    """The numbers of the operands that are in the group."""
    results: tuple[int, ...]
    """The numbers of the results that are in the group."""
    conversions: Conversions
    frequency: int


@dataclass
class UseContext:
    """The facts that the uses of a function are derived from."""

    target: Target
    warps: int
    prefer_tma: bool
    divisibility: DivisibilityAnalysis
    strategies: dict[Operation, DotLayouts]
    """The lowering of each dot, once chosen."""
    known: dict[TileUse, TileUse] = field(default_factory=dict[TileUse, TileUse])
    """Every use so far, as key and value, to share equal uses."""
    accesses: dict[tuple[object, ...], TileUse] = field(
        default_factory=dict[tuple[object, ...], TileUse]
    )
    """The uses of accesses, by all facts that they depend on."""

    def same(self, use: TileUse) -> TileUse:
        """The one object for all uses that are equal, so that each is evaluated once."""
        return self.known.setdefault(use, use)


def stored_bits(type: Attribute) -> int:
    """Bits of an element of a tile when it is moved: whole bytes."""
    return 8 * element_bytes(tile_shape(awaited(type)).element)


def frequency_of(op: Operation) -> int:
    """The assumed executions of an op: eight for each loop around, up to a limit."""
    loops = sum(isinstance(around, LOOPS) for around in ancestors(op))
    return min(LOOP_FREQUENCY**loops, MOST_FREQUENT)


def uses_of(op: Operation, context: UseContext) -> Iterator[tuple[SSAValue, OperationUse]]:
    """The uses of an op, each with a tile of the group that it concerns."""
    if not is_kind(type(op), WITH_USES) or not all(map(is_layoutable, tiles_of(op))):
        return
    for tile, use in _uses(op, context):
        yield tile, replace(use, use=context.same(use.use))


def _uses(op: Operation, context: UseContext) -> Iterator[tuple[SSAValue, OperationUse]]:
    match op:
        case _ if isinstance(op, ACCESSES) and is_tile(access_tile(op)):
            yield _over(op, access_tile(op), _known_access(op, context))
        case nv_tileaa.AtomicRMWOp() | nv_tileaa.AtomicCASOp() if is_tile(op.old):
            position = addresses_of_pointers(
                op.pointers, tile_shape(op.old.type), context.divisibility
            )
            yield _over(op, op.old, _atomic(op.old, position, context))
        case nv_tileas.AsyncLoadOp() if op.destination is not None:
            tile = tile_shape(op.destination.type)
            position = addresses_of_pointers(op.pointers, tile, context.divisibility)
            # Narrower copies take their addresses as they come.
            if position.width.elements * position.element_bytes == MAX_VECTOR_BYTES:
                yield _over(op, op.pointers, PointersUse(position, context.warps))
        case nv_tileas.TiledAtomicRMWOp():
            yield _over(op, op.old, _reduction(op, context))
        case SparseTileOp():
            yield _over(op, op.moved, _sparse(op, context))
        case ContractionOpInterface():
            yield from _operand_uses(op, context)
        case nv_tileas.FutureWaitOp() if op.operands[0].owner in context.strategies:
            strategy = context.strategies[_mma_of(op)]
            yield _over(op, op.results[0], _result_use(strategy, op.results[0]))
        case ReductionOp() if is_tile(op.inputs[0]):
            source = op.inputs[0]
            yield _over(op, source, ReductionUse(op.axis.value.data, stored_bits(source.type)))
        case PrefixOp():
            tile = op.inputs[0]
            bits = sum(max(WORD_BITS, stored_bits(value.type)) for value in op.inputs)
            shape = tile_shape(tile.type).shape
            use = ScanUse(shape, op.axis.value.data, bits, context.warps)
            yield _over(op, tile, use)
        case nv_tileas.ConvertLayoutOp() if not is_tile(op.source):
            yield from _arrival_uses(op, context)
        case nv_tileas.ConvertLayoutOp():
            given, bits = _given_layout(op), stored_bits(op.source.type)
            if given is not None:
                use = ConversionUse(given, bits, is_source=True)
                yield op.source, operation_use(op, use, (0,), ())
                if is_tile(op.result):
                    use = ConversionUse(given, bits, is_source=False)
                    yield op.result, operation_use(op, use, (), (0,))
        case _:
            pass


def _mma_of(op: nv_tileas.FutureWaitOp) -> Operation:
    owner = op.operands[0].owner
    assert isinstance(owner, Operation)
    return owner


def _over(op: Operation, tile: SSAValue, use: TileUse) -> tuple[SSAValue, OperationUse]:
    """A use of all tiles of an op that are tied to one of them."""
    shape = tile_shape(awaited(tile.type)).shape

    def tied(value: SSAValue) -> bool:
        return is_tile(value) and tile_shape(awaited(value.type)).shape == shape

    match op:
        case ReductionOp():
            operands = tuple(i for i, value in enumerate(op.operands) if tied(value))
            results: tuple[int, ...] = ()
        case nv_tileas.FutureWaitOp():
            operands, results = (), (0,)
        case _:
            operands = tuple(i for i, value in enumerate(op.operands) if tied(value))
            results = tuple(i for i, value in enumerate(op.results) if tied(value))
    return tile, operation_use(op, use, operands, results)


def operation_use(
    op: Operation, use: TileUse, operands: tuple[int, ...], results: tuple[int, ...]
) -> OperationUse:
    """The requirements of an op on a group that contains some of its operands and results."""
    into = tuple(stored_bits(op.operands[i].type) for i in operands if not _is_free(op.operands[i]))
    out_of = tuple(stored_bits(op.results[i].type) for i in results)
    return OperationUse(op, use, operands, results, Conversions(into, out_of), frequency_of(op))


def _is_free(value: SSAValue) -> bool:
    """Whether computing a tile costs the same in another layout."""
    return isinstance(value.owner, Operation) and is_made_in_place(value.owner)


# Accesses


def accessed_memory(op: Operation) -> Memory:
    """The memory that an op accesses; global for pointers, and where a type does not state it."""
    memory = memory_of(op.view.type) if isinstance(op, LoadTileOp | StoreTileOp) else None
    return memory or Memory.GLOBAL


def _known_access(
    op: nv_tileas.LoadOp | nv_tileas.StoreOp | nv_tileas.TiledLoadOp | nv_tileas.TiledStoreOp,
    context: UseContext,
) -> TileUse:
    """The use of an access, derived once for all accesses that differ in coordinates alone."""
    position = op.view if isinstance(op, LoadTileOp | StoreTileOp) else op.pointers
    hints = (op.properties.get(name) for name in ("mem_semantic", "padding_value", "allow_tma"))
    is_masked = isinstance(op, MaskedAccessOp) and op.mask is not None
    tile = access_tile(op)
    of_accumulator = isinstance(op, nv_tileas.TiledStoreOp) and is_mma_accumulator(tile)
    key = (
        type(op),
        position,
        tile.type,
        *hints,
        follows_writes(op.token),
        of_accumulator,
        is_masked,
        _steps_to_operand(op, context.target) if isinstance(op, LOADS) else None,
    )
    use = context.accesses.get(key)
    if use is None:
        use = context.accesses[key] = access_use(op, context)
    return use


def access_use(
    op: nv_tileas.LoadOp | nv_tileas.StoreOp | nv_tileas.TiledLoadOp | nv_tileas.TiledStoreOp,
    context: UseContext,
) -> TileUse:
    """The layout requirements of a load or store on its tile.

    Raises `PassFailedException` where no copy atom reaches the memory.
    """
    tile, is_load = access_tile(op), isinstance(op, LOADS)
    shape, bits = tile_shape(tile.type).shape, stored_bits(tile.type)
    match accessed_memory(op):
        case Memory.GLOBAL:
            return _global_use(op, tile, is_load, context)
        case Memory.SHARED if isinstance(op, nv_tileas.TiledLoadOp | nv_tileas.TiledStoreOp):
            return SharedUse(
                shared_layout_of(op.view.type, shape, bits), is_load, context.warps, context.target
            )
        case Memory.TENSOR if len(shape) == 2 and Feature.TCGEN05 in context.target.features:
            return TensorMemoryUse((shape[0], shape[1]), bits, is_load, context.warps)
        case _:
            fail(op, f"'{op.name}' op accesses memory in a way that no copy atom supports")


def _global_use(
    op: nv_tileas.LoadOp | nv_tileas.StoreOp | nv_tileas.TiledLoadOp | nv_tileas.TiledStoreOp,
    tile: SSAValue,
    is_load: bool,
    context: UseContext,
) -> TileUse:
    shape, bits = tile_shape(tile.type), stored_bits(tile.type)
    if isinstance(op, nv_tileas.LoadOp | nv_tileas.StoreOp):
        position = addresses_of_pointers(op.pointers, shape, context.divisibility)
        box = BoxTransfer(None, "TMA does not go through pointers")
        return GlobalUse(position, bits, is_load, True, context.warps, box)
    position = addresses_of_view(op.view, shape, context.divisibility)
    if op.mask is not None:
        # Each element is present or not by itself, so that a vector would hold too many.
        position = replace(position, run=1)
    steps = _steps_to_operand(op, context.target) if isinstance(op, LOADS) else None
    is_staged = isinstance(op, nv_tileas.TiledStoreOp) and _is_staged(op, context)
    return GlobalUse(
        position,
        bits,
        is_load,
        False,
        context.warps,
        _box(op, position, shape, bits, context),
        context.prefer_tma or steps is not None or is_staged,
        async_copies=is_load and has_async_copies(op, position, context.target),
        steps=steps,
    )


ROUNDING_STEPS = 6
"""Instructions that round an f32 to tf32 before sm_90, which has one for it (PTX ISA, "cvt")."""


def _steps_to_operand(op: nv_tileas.LoadOp | nv_tileas.TiledLoadOp, target: Target) -> int | None:
    """How many elementwise ops change a tile that a loop loads before a dot takes it as A or B.

    TMA or `cp.async` loads such a tile ahead of time, and threads read it from shared memory. An op
    counts once more for each other tile that it combines. None if no dot takes the tile, or if the
    program names another copy atom.
    """
    if not isinstance(op.parent_op(), LOOPS) or op.atom is not None:
        return None
    pending, seen, is_taken = [op.results[0]], set[SSAValue](), False
    steps = 0
    while pending:
        value = pending.pop()
        for use in value.uses:
            user = use.operation
            if isinstance(user, ContractionOpInterface) and value in (user.a, user.b):
                is_taken = True
            is_step = is_elementwise(user)
            if not is_step and not isinstance(user, nv_tileas.ViewOp | nv_tileaa.PermuteOp):
                continue
            if user.results[0] not in seen:
                seen.add(user.results[0])
                pending.append(user.results[0])
                combined = sum(not is_made_once(tile) for tile in user.operands)
                steps += is_step * combined * _instructions(user, target)
    return steps if is_taken else None


def _instructions(op: Operation, target: Target) -> int:
    """How many instructions an elementwise op takes, roughly."""
    is_rounding = isinstance(op, nv_tileaa.FpToFpOp) and isinstance(
        tile_shape(op.result.type).element, FloatTF32Type
    )
    # Targets without bulk copies are those before sm_90.
    return ROUNDING_STEPS if is_rounding and Feature.BULK_COPY not in target.features else 1


def _is_staged(op: nv_tileas.TiledStoreOp, context: UseContext) -> bool:
    """Whether a store uses TMA, from a buffer in shared memory."""
    # The pieces of rows that a thread has of a sum are too short for wide stores.
    if not is_mma_accumulator(op.tile):
        return False
    # Imported where a sum is stored: most kernels have none.
    from .store_staging import leaves_stages  # noqa: PLC0415

    return leaves_stages(op, context.target)


def has_async_copies(
    op: nv_tileas.TiledLoadOp | nv_tileas.TiledStoreOp, position: AccessedAddresses, target: Target
) -> bool:
    """Whether `cp.async` can copy a tile to shared memory, 16 bytes at once, with zero padding."""
    return (
        Feature.CP_ASYNC in target.features
        and op.mem_semantic.data == MemSemantic.WEAK
        and op.mask is None
        and padding_of(op.padding_value) in (None, PaddingValue.ZERO)
        and position.width.elements * position.element_bytes == MAX_VECTOR_BYTES
    )


def shared_layout_of(type: Attribute, shape: tuple[int, ...], bits: int) -> SharedLayout:
    """The layout of a buffer: that of its type, else swizzled as widely as a row allows."""
    layout = buffer_layout(type)
    if layout is None:
        return default_shared_layout(shape, bits)
    swizzle = layout.data.swizzle or NO_SWIZZLE
    return SharedLayout(layout.data.layout, bits, swizzle)


def buffer_layout(type: Attribute) -> LayoutAttr | None:
    """The layout that the type of a buffer carries."""
    space = getattr(type, "memory_space", None)
    if isinstance(space, nv_tileas.MemoryAttr):
        return space.layout if isinstance(space.layout, LayoutAttr) else None
    return layout_of(type)


NO_BOX = BoxTransfer(None, "")


def _atomic(tile: SSAValue, position: AccessedAddresses, context: UseContext) -> TileUse:
    bits = stored_bits(tile.type)
    return GlobalUse(position, bits, True, True, context.warps, NO_BOX, vectors=False)


def _box(
    op: TiledAccess, position: AccessedAddresses, shape: TileShape, bits: int, context: UseContext
) -> BoxTransfer:
    """How TMA would move the tile, or why it would not."""
    problem = tma_problem(op, position, context.target)
    if problem:
        return BoxTransfer(None, problem)
    return box_transfer(shape.shape, bits, position.dimension)


def _reduction(op: nv_tileas.TiledAtomicRMWOp, context: UseContext) -> TileUse:
    """An atomic modification of a tile of a view, element by element or by TMA."""
    shape, bits = tile_shape(op.value.type), stored_bits(op.value.type)
    position = addresses_of_view(op.view, shape, context.divisibility)
    return BulkUse(
        position,
        bits,
        True,
        False,
        context.warps,
        _box(op, position, shape, bits, context),
        context.prefer_tma,
        vectors=False,
        bulk_atom=reduction_atom(op),
        weights=context.target.cost_weights,
    )


def _sparse(op: SparseTileOp, context: UseContext) -> TileUse:
    """Gathered or scattered rows, whose elements are contiguous only along other dimensions."""
    tile = op.moved
    position = addresses_of_view(op.view, tile_shape(tile.type), context.divisibility)
    bits, sparse = stored_bits(tile.type), op.sparse_dim.value.data
    problem = tma_problem(op, position, context.target)
    if problem:
        box = BoxTransfer(None, problem)
    else:
        box = rows_transfer(position.shape, bits, position.dimension, sparse)
    if position.dimension == sparse:
        rank = len(position.shape)
        position = AccessedAddresses(
            position.shape, position.element_bytes, rank - 1, 1, position.element_bytes
        )
    is_load = tile.owner is op
    return BulkUse(
        position,
        bits,
        is_load,
        False,
        context.warps,
        box,
        context.prefer_tma,
        bulk_atom="tma_gather4_2d" if is_load else "tma_scatter4_2d",
        weights=context.target.cost_weights,
        has_known_rows=has_rows_before_loop(op),
    )


def has_rows_before_loop(op: SparseTileOp) -> bool:
    """Whether an access is in a loop although the rows that it takes are known before all loops."""
    return isinstance(op.parent_op(), LOOPS) and is_made_once(op.coords[op.sparse_dim.value.data])


# Dots

MULTIPLY_ADD_STEP = 4
"""The elements along K of one step of a dot of multiply-adds: one access of a row of f32."""


FIRST_SCALE = 3
"""The number of the operand of a dot that holds the scales of A; those of B follow."""


def shape_of_dot(op: ContractionOpInterface) -> DotShape:
    """The extents of a dot."""
    *batch, m, k = tile_shape(op.a.type).shape
    return DotShape(tuple(batch), m, tile_shape(op.b.type).shape[-1], k)


def strategies_of(op: ContractionOpInterface, target: Target, warps: int) -> tuple[DotLayouts, ...]:
    """All lowerings of a dot."""
    if isinstance(op, MMAOp):
        atom = None if op.atom is None else MMA_ATOMS.get(op.atom.data)
    else:
        bits = bit_width(tile_shape(op.a.type).element)
        atom = next(
            row
            for row in MMA_ATOMS.values()
            if row.kind is MMAKind.WARPGROUP and row.operand_bits == bits
        )
    return layouts_of_dot(shape_of_dot(op), atom, target, warps, stored_bits(op.a.type))


def _operand_uses(
    op: ContractionOpInterface, context: UseContext
) -> Iterator[tuple[SSAValue, OperationUse]]:
    strategy = context.strategies[op]
    for index, axis in enumerate((Axis.A, Axis.B)):
        tile = op.operands[index]
        if is_tile(tile):
            use = OperandUse(
                strategy.name,
                strategy.accepted(axis),
                stored_bits(tile.type),
                axis,
                from_memory=takes_fragments(op),
                live=share_of_step(op) if mma_of_fragments(tile.owner) is op else 1.0,
                step=share_of_step(op) if isinstance(op, MMAOp) and op.atom is None else 1.0,
            )
            yield tile, operation_use(op, use, (index,), ())
    for index, layout in enumerate(strategy.scales):
        assert isinstance(op, MMAOp)
        tile, axis = op.scales[index], (Axis.SFA, Axis.SFB)[index]
        # Hardware brings a buffer to tensor memory.
        if not is_tile(tile):
            continue
        use = OperandUse(strategy.name, (layout,), stored_bits(tile.type), axis)
        yield tile, operation_use(op, use, (FIRST_SCALE + index,), ())
    results = () if op.IS_ASYNCHRONOUS else (0,)
    if is_tile(op.c):
        use = OperandUse(strategy.name, strategy.accepted(Axis.C), stored_bits(op.c.type), Axis.C)
        yield op.c, operation_use(op, use, (2,), results)


def takes_fragments(op: ContractionOpInterface) -> bool:
    """Whether a dot takes registers, which can be read from shared memory step by step."""
    return isinstance(op, MMAOp) and reads_in_steps(op)


def share_of_step(op: ContractionOpInterface) -> float:
    """The fraction of A and B in registers at once where fragments come from shared memory."""
    if not takes_fragments(op):
        return 1.0
    atom = MMA_ATOMS.get(op.atom.data) if isinstance(op, MMAOp) and op.atom else None
    step = MULTIPLY_ADD_STEP if atom is None else max(shape.k for shape in atom.shapes)
    return min(1.0, step / tile_shape(op.a.type).shape[-1])


def _result_use(strategy: DotLayouts, tile: SSAValue) -> TileUse:
    return OperandUse(strategy.name, strategy.accepted(Axis.D), stored_bits(tile.type), Axis.D)


def _arrival_uses(
    op: nv_tileas.ConvertLayoutOp, context: UseContext
) -> Iterator[tuple[SSAValue, OperationUse]]:
    """The result of a conversion from shared memory to registers, and the use of its layout."""
    if is_tile(op.result) and memory_of(op.source.type) is Memory.SHARED:
        shape, bits = tile_shape(op.result.type).shape, stored_bits(op.result.type)
        shared_layout = shared_layout_of(op.source.type, shape, bits)
        mma = mma_of_fragments(op)
        if mma is not None and op.result in mma.scales:
            use = _scale_use(op.result, mma, shared_layout, context)
        else:
            live = 1.0 if mma is None else share_of_step(mma)
            use = SharedUse(shared_layout, True, context.warps, context.target, live)
        yield op.result, operation_use(op, use, (), (0,))


def _scale_use(
    scales: SSAValue, mma: MMAOp, shared_layout: SharedLayout, context: UseContext
) -> SharedUse:
    """Block scales that a dot loads itself, in the layout of its instruction if possible."""
    # Imported where a dot has scales: most kernels have none.
    from .scale_uses import ScaleUse  # noqa: PLC0415

    common = shared_layout, True, context.warps, context.target
    wanted = context.strategies[mma].scales[list(mma.scales).index(scales)]
    use = ScaleUse(*common, wanted=wanted)
    return use if use.own else SharedUse(*common)


def _given_layout(op: nv_tileas.ConvertLayoutOp) -> TileLayout | None:
    """The layout that a conversion states; None where it is open."""
    memory = memory_of(op.result.type)
    if memory is Memory.SHARED:
        shape = tile_shape(op.result.type).shape
        return shared_layout_of(op.result.type, shape, stored_bits(op.source.type))
    try:
        return tile_layout(op.result.type)
    except LayoutError as error:
        fail(op, f"'{op.name}' op {error}")
