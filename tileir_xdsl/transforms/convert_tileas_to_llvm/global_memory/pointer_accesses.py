"""Loads and stores through tiles of pointers."""

from collections.abc import Mapping, Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i1, i8
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.analysis.access.access_width import AccessOp, access_tile
from tileir_xdsl.analysis.access.copy_atoms import VECTOR_BYTES
from tileir_xdsl.analysis.layouts.tile_layouts import layout_of
from tileir_xdsl.analysis.values.divisibility import element_bytes
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.enumerations import MemoryOrdering as MemSemantic
from tileir_xdsl.dialects.llvm.loads_and_stores import LoadOp, StoreOp
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape

from ..shared_memory.single_transactions import masks_of, run_transactions
from ..thread.builder import LLVMBuilder
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ThreadRewriter, register_type
from ..thread.replicas import both, one_of_copies
from .memory_order import ordering_of, semantic_of

# Half of 255 registers, at two each. Measured with 16 and 128: no machine code changes.
MOST_ADDRESSES = 64
"""The 64-bit addresses that a thread can hold in addition to loaded or stored values."""


ADDRESS_OPS = (llvm.AddOp, llvm.GEPOp, llvm.MulOp, llvm.SExtOp, llvm.ZExtOp)
"""Ops without effects that compute addresses."""


def vector_width(op: AccessOp, element: Attribute) -> int:
    """The number of elements that the op's copy atom moves at once."""
    atom = op.properties.get("atom")
    if not isinstance(atom, nv_tileas.AtomAttr) or atom.data not in VECTOR_BYTES:
        fail(op, f"'{op.name}' op expects a copy atom of global memory")
    moved, size = VECTOR_BYTES[atom.data], element_bytes(element)
    if moved < size:
        fail(
            op,
            f"'{op.name}' op expects an atom that moves at least {size} bytes, the "
            f"size of an element, but got {atom.data}",
        )
    return moved // size


def one_writer(op: AccessOp, rewriter: ThreadRewriter) -> SSAValue | None:
    """The condition that elects one of several threads that hold the same elements; otherwise
    None.
    """
    return one_of_copies(layout_of(op, access_tile(op)), rewriter)


def compute_late(builder: LLVMBuilder, pointer: SSAValue, count: int) -> None:
    """Moves an address's computation to here, its use, if a thread cannot hold `count` addresses.

    So no more addresses are live than a thread has registers for.
    """
    if count <= MOST_ADDRESSES:
        return
    waiting = [pointer]
    chain: list[Operation] = []
    while waiting:
        op = waiting.pop().owner
        if (
            isinstance(op, Operation)
            and op.parent is builder.block
            and isinstance(op, ADDRESS_OPS)
            # The address itself has no use yet; whatever another op shares stays where both see it.
            and sum(1 for result in op.results for _ in result.uses) == (1 if chain else 0)
        ):
            chain.append(op)
            waiting += op.operands
    for op in reversed(chain):
        op.detach()
        builder.block.add_op(op)


def load_registers(
    builder: LLVMBuilder,
    element: Attribute,
    pointers: Mapping[int, SSAValue],
    masks: Sequence[SSAValue | None],
    others: Sequence[SSAValue] | None,
    width: int,
) -> tuple[SSAValue, ...]:
    """Loads one element per register, `width` neighbours at once; i1 is a byte in memory.

    Pointers are indexed by register; only every `width`-th pointer is used.
    """
    memory_element = i8 if element == i1 else element
    if element == i1 and others is not None:
        others = [builder.insert(llvm.ZExtOp(other, i8)) for other in others]
    loaded: list[SSAValue] = []
    for first in range(0, len(masks), width):
        group = slice(first, first + width)
        alignment = width * element_bytes(memory_element)
        compute_late(builder, pointers[first], len(masks) // width)
        passed = None if others is None else others[group]
        loaded += builder.load(pointers[first], memory_element, alignment, masks[group], passed)
    if element == i1:
        # Any byte but 0 is true, as memory may hold what another program wrote.
        return tuple(builder.compare("ne", value, builder.integer(0, i8)) for value in loaded)
    return tuple(loaded)


def store_registers(
    builder: LLVMBuilder,
    element: Attribute,
    pointers: Mapping[int, SSAValue],
    values: Sequence[SSAValue],
    masks: Sequence[SSAValue | None],
    width: int,
) -> None:
    """Stores one element per register, `width` neighbours at once; i1 is a byte in memory.

    Pointers are indexed by register; only every `width`-th pointer is used.
    """
    memory_element = i8 if element == i1 else element
    if element == i1:
        values = [builder.insert(llvm.ZExtOp(value, i8)) for value in values]
    for first in range(0, len(masks), width):
        group = slice(first, first + width)
        alignment = width * element_bytes(memory_element)
        compute_late(builder, pointers[first], len(masks) // width)
        builder.store(pointers[first], values[group], alignment, masks[group])


def load_in_order(
    op: AccessOp,
    element: Attribute,
    pointers: Sequence[SSAValue],
    masks: Sequence[SSAValue | None],
    others: Sequence[SSAValue] | None,
    rewriter: ThreadRewriter,
) -> None:
    """Loads elements one by one, with memory semantics and scope, since other threads may race."""
    builder, (ordering, scope) = rewriter.builder, ordering_of(op)
    memory_element = i8 if element == i1 else element

    def load(pointer: SSAValue, register: int) -> SSAValue:
        size = element_bytes(memory_element)
        value = builder.insert(LoadOp(pointer, memory_element, size, ordering, scope))
        if element == i1:
            return builder.compare("ne", value, builder.integer(0, i8))
        return value

    tile = access_tile(op)
    run_transactions(
        op,
        layout_of(op, tile),
        pointers,
        masks,
        load,
        rewriter,
        result=tile,
        masked_off=others,
    )


def store_in_order(
    op: AccessOp,
    element: Attribute,
    pointers: Sequence[SSAValue],
    values: Sequence[SSAValue],
    masks: Sequence[SSAValue | None],
    rewriter: ThreadRewriter,
) -> None:
    """Stores elements one by one, with memory semantics and scope, since other threads may race."""
    builder, (ordering, scope) = rewriter.builder, ordering_of(op)

    def store(pointer: SSAValue, register: int) -> SSAValue:
        value = values[register]
        if element == i1:
            value = builder.insert(llvm.ZExtOp(value, i8))
        size = element_bytes(value.type)
        builder.insert_without_result(StoreOp(value, pointer, size, ordering, scope))
        return value

    layout = layout_of(op, access_tile(op))
    run_transactions(op, layout, pointers, masks, store, rewriter, result=None)


class LowerLoad(LowerOp[nv_tileas.LoadOp]):
    """Loads vectors of contiguous pointers, as wide as the copy atom."""

    def lower(self, op: nv_tileas.LoadOp, rewriter: ThreadRewriter) -> None:
        element = register_type(op, tile_shape(op.value.type).element)
        pointers = rewriter.registers(op.pointers)
        masks = masks_of(op.mask, len(pointers), rewriter)
        others = None if op.other is None else rewriter.registers(op.other)
        # A vector has one order for all its elements; each element needs its own here.
        if semantic_of(op) is not MemSemantic.WEAK:
            load_in_order(op, element, pointers, masks, others, rewriter)
            return
        width = vector_width(op, tile_shape(op.value.type).element)
        rewriter.replace(
            op.value,
            load_registers(
                rewriter.builder, element, dict(enumerate(pointers)), masks, others, width
            ),
        )


class LowerStore(LowerOp[nv_tileas.StoreOp]):
    """Stores vectors of contiguous pointers, as wide as the copy atom."""

    def lower(self, op: nv_tileas.StoreOp, rewriter: ThreadRewriter) -> None:
        element = register_type(op, tile_shape(op.value.type).element)
        pointers = rewriter.registers(op.pointers)
        masks = masks_of(op.mask, len(pointers), rewriter)
        if semantic_of(op) is not MemSemantic.WEAK:
            store_in_order(op, element, pointers, rewriter.registers(op.value), masks, rewriter)
            return
        # Copies would write the same value, but each write is traffic.
        masks = both(rewriter.builder, masks, one_writer(op, rewriter))
        width = vector_width(op, tile_shape(op.value.type).element)
        values = rewriter.registers(op.value)
        store_registers(rewriter.builder, element, dict(enumerate(pointers)), values, masks, width)


PATTERNS: Patterns = {
    nv_tileas.LoadOp: LowerLoad,
    nv_tileas.StoreOp: LowerStore,
}
