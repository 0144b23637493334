"""Loads and stores through tiles of pointers, and the tokens that order them.

A token orders accesses of the whole tile block, which several threads carry out: an access that
must follow a conflicting one waits at a barrier of the block first.
"""

from collections.abc import Mapping, Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i1, i8, i32
from xdsl.ir import Attribute, SSAValue

from tileir_xdsl.analysis.access_width import AccessOp, access_tile
from tileir_xdsl.analysis.copy_atoms import VECTOR_BYTES
from tileir_xdsl.analysis.divisibility import element_bytes
from tileir_xdsl.analysis.tile_layouts import layout_of
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileaa.attributes import MemSemantic
from tileir_xdsl.dialects.nv_tileaa.memory import LoadThroughPointersOp
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileaa.views import LoadTileOp
from tileir_xdsl.layout.linear import LinearLayout

from .builder import LLVMBuilder
from .patterns import LowerOp, Patterns
from .values import PendingAccesses, ThreadProgram, register_type


class LowerCreateMemToken(LowerOp[nv_tileaa.CreateMemTokenOp]):
    def lower(self, op: nv_tileaa.CreateMemTokenOp, program: ThreadProgram) -> None:
        program.tokens[op.result] = PendingAccesses()


class LowerJoinMemToken(LowerOp[nv_tileaa.JoinMemTokenOp]):
    def lower(self, op: nv_tileaa.JoinMemTokenOp, program: ThreadProgram) -> None:
        pending = PendingAccesses()
        for token in op.tokens:
            pending |= program.tokens[token]
        program.tokens[op.result] = pending


def order_access(op: AccessOp, program: ThreadProgram) -> None:
    """Waits for conflicting accesses that the token names, and makes the access' own token."""
    if op.mem_semantic.data != MemSemantic.WEAK:
        fail(op, f"'{op.name}' op mem_semantic {op.mem_semantic.data} is not supported in a thread")
    is_load = isinstance(op, LoadThroughPointersOp | LoadTileOp)
    pending = PendingAccesses() if op.token is None else program.tokens[op.token]
    if pending.stores or (pending.loads and not is_load):
        program.barrier()
        pending = PendingAccesses()
    result_token = op.results[-1] if op.results else None
    if result_token is not None and result_token is not access_tile(op):
        own = PendingAccesses(loads=is_load, stores=not is_load)
        program.tokens[result_token] = pending | own


def vector_width(op: AccessOp, element: Attribute) -> int:
    """How many elements the op's copy atom moves at once."""
    atom = op.properties.get("atom")
    if not isinstance(atom, nv_tileas.AtomAttr) or atom.data not in VECTOR_BYTES:
        fail(op, f"'{op.name}' op expects a copy atom of global memory")
    return max(1, VECTOR_BYTES[atom.data] // element_bytes(element))


def one_writer(op: AccessOp, program: ThreadProgram) -> SSAValue | None:
    """Where several threads hold the same elements, the condition that picks one of them."""
    return one_of_copies(layout_of(op, access_tile(op)), program)


def one_of_copies(layout: LinearLayout | None, program: ThreadProgram) -> SSAValue | None:
    """The same for a tile of a layout, or for a scalar, which all threads hold."""
    if layout is None:
        replicated = program.threads - 1
    else:
        bases = layout.thread_bases()
        replicated = sum(1 << bit for bit, base in enumerate(bases) if base == 0)
    if not replicated:
        return None
    builder = program.builder
    copy = builder.insert(llvm.AndOp(builder.thread_index(), builder.integer(replicated, i32)))
    return builder.compare("eq", copy, builder.integer(0, i32))


def load_registers(
    builder: LLVMBuilder,
    element: Attribute,
    pointers: Mapping[int, SSAValue],
    masks: Sequence[SSAValue | None],
    others: Sequence[SSAValue] | None,
    width: int,
) -> tuple[SSAValue, ...]:
    """Loads one element a register, `width` neighbours at once; i1 is a byte in memory.

    Pointers are named by register; those of the first of every `width` registers are used.
    """
    memory_element = i8 if element == i1 else element
    if element == i1 and others is not None:
        others = [builder.insert(llvm.ZExtOp(other, i8)) for other in others]
    loaded: list[SSAValue] = []
    for first in range(0, len(masks), width):
        group = slice(first, first + width)
        alignment = width * element_bytes(memory_element)
        passed = None if others is None else others[group]
        loaded += builder.load(pointers[first], memory_element, alignment, masks[group], passed)
    if element == i1:
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
    """Stores one element a register, `width` neighbours at once; i1 is a byte in memory.

    Pointers are named by register; those of the first of every `width` registers are used.
    """
    memory_element = i8 if element == i1 else element
    if element == i1:
        values = [builder.insert(llvm.ZExtOp(value, i8)) for value in values]
    for first in range(0, len(masks), width):
        group = slice(first, first + width)
        alignment = width * element_bytes(memory_element)
        builder.store(pointers[first], values[group], alignment, masks[group])


def both(
    builder: LLVMBuilder, masks: Sequence[SSAValue | None], condition: SSAValue | None
) -> list[SSAValue | None]:
    """Every mask and the condition."""
    if condition is None:
        return list(masks)
    return [builder.conjunction([c for c in (mask, condition) if c is not None]) for mask in masks]


class LowerLoad(LowerOp[nv_tileas.LoadOp]):
    """Vectors of pointers that are neighbours, as the copy atom promises, load at once."""

    def lower(self, op: nv_tileas.LoadOp, program: ThreadProgram) -> None:
        order_access(op, program)
        element = register_type(op, tile_shape(op.value.type).element)
        pointers = program.registers[op.pointers]
        masks = [None] * len(pointers) if op.mask is None else program.registers[op.mask]
        others = None if op.other is None else program.registers[op.other]
        width = vector_width(op, tile_shape(op.value.type).element)
        program.registers[op.value] = load_registers(
            program.builder, element, dict(enumerate(pointers)), masks, others, width
        )


class LowerStore(LowerOp[nv_tileas.StoreOp]):
    """Vectors of pointers that are neighbours, as the copy atom promises, store at once."""

    def lower(self, op: nv_tileas.StoreOp, program: ThreadProgram) -> None:
        order_access(op, program)
        element = register_type(op, tile_shape(op.value.type).element)
        pointers = program.registers[op.pointers]
        masks = [None] * len(pointers) if op.mask is None else program.registers[op.mask]
        masks = both(program.builder, masks, one_writer(op, program))
        width = vector_width(op, tile_shape(op.value.type).element)
        values = program.registers[op.value]
        store_registers(program.builder, element, dict(enumerate(pointers)), values, masks, width)


PATTERNS: Patterns = {
    nv_tileaa.CreateMemTokenOp: LowerCreateMemToken,
    nv_tileaa.JoinMemTokenOp: LowerJoinMemToken,
    nv_tileas.LoadOp: LowerLoad,
    nv_tileas.StoreOp: LowerStore,
}
