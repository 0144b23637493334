"""Atomic operations on memory that only one tile block accesses."""

from __future__ import annotations

from xdsl.ir import SSAValue

from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.dialects.cuda_tile.atomics import MODE_ELEMENTS
from tileir_xdsl.testing.programs.accesses import ATOMIC_SEMANTICS, distinct_offsets, fits, follow
from tileir_xdsl.testing.programs.builder import Builder, Row, Rows
from tileir_xdsl.testing.programs.draft import Buffer
from tileir_xdsl.testing.programs.elements import WIDE_INTEGERS, Shape, shape_of, tile
from tileir_xdsl.testing.programs.pointers import spread_pointers
from tileir_xdsl.testing.programs.targets import WITHOUT_BF16_ADDITION
from tileir_xdsl.testing.programs.tensors import make_tensor, make_view, promise, tile_indices
from tileir_xdsl.testing.programs.values import offsets_below, without_nan

_SWAPPABLE = ("i32", "i64", "f32", "f64")
_MODIFIABLE = ("i32", "i64", "f16", "bf16", "f32", "f64")


def _can_swap(b: Builder) -> bool:
    return bool(b.buffers(_SWAPPABLE))


def _modifiable(b: Builder) -> list[Buffer]:
    lacking = ("bf16",) if b.draft.target in WITHOUT_BF16_ADDITION else ()
    return b.buffers([element for element in _MODIFIABLE if element not in lacking])


def _can_modify(b: Builder) -> bool:
    return bool(_modifiable(b))


def _modes(buffer: Buffer) -> list[cuda_tile.AtomicRMWMode]:
    return [mode for mode, (_, elements) in MODE_ELEMENTS.items() if buffer.element in elements]


def _argument(b: Builder, mode: cuda_tile.AtomicRMWMode, element: str, shape: Shape) -> SSAValue:
    """The operand that an atomic operation combines with memory.

    An atomic f32 addition may flush subnormal numbers; operands of at least 1 hide the difference.
    """
    value = b.value(tile(element, shape))
    if mode is cuda_tile.AtomicRMWMode.ADDF and element == "f32":
        return b.add(cuda_tile.MaxFOp(value, b.number(1.0, element, shape))).result
    return value


def _emit_modification(b: Builder) -> None:
    """Modifies distinct addresses and uses the old elements, or repeated addresses without a
    use.
    """
    buffer = b.choose(_modifiable(b))
    mode = b.choose(_modes(buffer))
    shape = b.shape(fits(buffer.size))
    ordered = mode is cuda_tile.AtomicRMWMode.XCHG or buffer.element not in ("i32", "i64")
    distinct = ordered or b.chance(0.7)
    if distinct:
        offsets = distinct_offsets(b, shape, buffer.size)
    else:
        offsets = offsets_below(b, b.value(tile(b.choose(WIDE_INTEGERS), shape)), buffer.size)
    pointers = spread_pointers(b, buffer.base, offsets)
    argument = _argument(b, mode, buffer.element, shape)
    mask = b.value(tile("i1", shape)) if b.chance(0.4) else None
    semantics, scope = b.choose(ATOMIC_SEMANTICS), b.choose(list(cuda_tile.MemoryScope))
    token = b.tokens[buffer]
    atomic = b.add(
        cuda_tile.AtomicRMWTkoOp(semantics, scope, pointers, mode, argument, mask, token)
    )
    follow(b, buffer, [atomic.result_token])
    if distinct and mask is None:
        b.keep(atomic.result)
    elif distinct and mask is not None:
        # Results for masked elements are not specified.
        b.keep(b.add(cuda_tile.SelectOp(mask, atomic.result, argument)).result)


def _emit_swap(b: Builder) -> None:
    """A compare-and-swap that succeeds where a condition holds; elsewhere it compares with other
    values.
    """
    buffer = b.choose(b.buffers(_SWAPPABLE))
    shape = b.shape(fits(buffer.size))
    type_ = tile(buffer.element, shape)
    pointers = spread_pointers(b, buffer.base, distinct_offsets(b, shape, buffer.size))
    load = b.add(cuda_tile.LoadPtrTkoOp(pointers, token=b.tokens[buffer]))
    condition = b.value(tile("i1", shape))
    compared = b.add(cuda_tile.SelectOp(condition, load.result, b.value(type_))).result
    if buffer.element in ("f32", "f64"):
        # Bits are compared: those of a NaN are not specified.
        compared = without_nan(b, compared)
    mask = b.value(tile("i1", shape_of(compared))) if b.chance(0.4) else None
    semantics, scope = b.choose(ATOMIC_SEMANTICS), b.choose(list(cuda_tile.MemoryScope))
    operands = pointers, compared, b.value(type_), mask, load.result_token
    swap = b.add(cuda_tile.AtomicCASTkoOp(semantics, scope, *operands))
    follow(b, buffer, [swap.result_token])
    b.keep(swap.result)


def _emit_reduction(b: Builder) -> None:
    buffer = b.choose(_modifiable(b))
    tensor = make_tensor(b, buffer.base, buffer.size)
    view = make_view(b, tensor, loads=False, sparse=False)
    indices = tile_indices(b, view, loads=False)
    mode = b.choose([mode for mode in _modes(buffer) if mode is not cuda_tile.AtomicRMWMode.XCHG])
    reduction = cuda_tile.AtomicRedViewTkoOp(
        cuda_tile.MemoryOrderingSemantics.RELAXED,
        b.choose((cuda_tile.MemoryScope.TL_BLK, cuda_tile.MemoryScope.DEVICE)),
        view.value,
        indices,
        mode,
        _argument(b, mode, buffer.element, view.tile),
        b.tokens[buffer],
    )
    if (inbounds := promise(b, view)) is not None:
        reduction.properties["inbounds"] = inbounds
    follow(b, buffer, [b.add(reduction).result_token])


ROWS: Rows = {
    cuda_tile.AtomicCASTkoOp: Row(1.5, _emit_swap, _can_swap),
    cuda_tile.AtomicRMWTkoOp: Row(2, _emit_modification, _can_modify),
    cuda_tile.AtomicRedViewTkoOp: Row(1.5, _emit_reduction, _can_modify),
}
