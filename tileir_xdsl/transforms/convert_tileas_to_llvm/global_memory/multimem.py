"""Accesses of multicast memory: one instruction per element accesses the memory of all devices.

16-bit floats are accessed in pairs of neighbours. LLVM has no intrinsics for `multimem`
instructions, so inline assembly is emitted. Source: PTX ISA, "multimem.ld_reduce, multimem.st,
multimem.red".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import llvm
from xdsl.dialects.builtin import VectorType, bf16, f16, f32, f64, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.analysis.layouts.multimem import packed_access
from tileir_xdsl.analysis.layouts.tile_layouts import layout_of
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.enumerations import MemoryOrdering as MemSemantic
from tileir_xdsl.dialects.enumerations import RMWMode
from tileir_xdsl.dialects.nv_tileaa.attributes import MemScope, MemScopeAttr
from tileir_xdsl.dialects.nv_tileaa.multimem import MultimemTileOp
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.layout.linear import LinearLayout

from ..shared_memory.layout_conversions import convert_registers
from ..shared_memory.single_transactions import run_transactions
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ThreadRewriter
from .memory_order import semantic_of
from .tile_addresses import tile_access

THREADS_PER_WARP = 32


@dataclass(frozen=True)
class Format:
    """An element type of `multimem` instructions: its register constraint, and its type suffixes.

    `plain` is the suffix of moves and additions, `ordered` of signed comparisons, and `unsigned` of
    unsigned ones.
    """

    constraint: str
    plain: str
    ordered: str
    unsigned: str


FORMATS: Mapping[Attribute, Format] = {
    i32: Format("r", "u32", "s32", "u32"),
    i64: Format("l", "u64", "s64", "u64"),
    f32: Format("f", "f32", "f32", "f32"),
    f64: Format("d", "f64", "f64", "f64"),
    f16: Format("r", "f16x2", "f16x2", "f16x2"),
    bf16: Format("r", "bf16x2", "bf16x2", "bf16x2"),
}
"""The element types of `multimem` instructions; 16-bit types are in pairs."""

SCOPES: Mapping[MemScope, str] = {
    MemScope.TILE_BLOCK: "cta",
    MemScope.CLUSTER: "cluster",
    MemScope.GPU: "gpu",
    MemScope.SYSTEM: "sys",
}


@dataclass(frozen=True)
class PackedRegisters:
    """The 32-bit or 64-bit registers of a tile that a thread accesses: their addresses and masks.

    `elements` is the layout of the tile, in which pairs of 16-bit registers are packed, and
    `layout` that of the tile of packed registers.
    """

    type: Attribute
    elements: LinearLayout
    layout: LinearLayout
    pointers: Sequence[SSAValue]
    masks: Sequence[SSAValue | None]

    @property
    def is_packed(self) -> bool:
        """Whether a packed register is a pair of elements."""
        return self.elements != self.layout


def packed_registers_of(op: MultimemTileOp, rewriter: ThreadRewriter) -> PackedRegisters:
    """The packed registers of an access; fails if 16-bit elements are not known to form pairs."""
    tile, division = tile_shape(op.tile.type), packed_access(op, rewriter.region.threads)
    elements, packed = division.elements, division.packed
    access = tile_access(op, op.tile, rewriter, elements)
    # One instruction has one predicate: half of a pair cannot be masked off.
    if packed > 1 and access.whole(packed) is not None:
        fail(
            op,
            f"'{op.name}' op expects pairs of {tile.element} that lie entirely in "
            "or entirely out of bounds",
        )
    pointers = access.pointers(packed)
    return PackedRegisters(
        i32 if packed > 1 else tile.element,
        elements,
        division.layout,
        [pointers[register] for register in range(0, elements.registers, packed)],
        access.masks()[::packed],
    )


def order_text(op: Operation) -> str:
    """The order suffix of an instruction: `.weak`, or semantics and scope: `.release.gpu`."""
    semantic, scope = semantic_of(op), op.properties.get("mem_scope")
    # `.weak` has no scope (PTX ISA, "multimem.ld_reduce").
    if semantic is MemSemantic.WEAK or not isinstance(scope, MemScopeAttr):
        return ".weak"
    return f".{semantic}.{SCOPES[scope.data]}"


def reduction_text(mode: RMWMode, form: Format) -> str:
    """`.add.u32`, `.min.s64`, `.and.b32`."""
    match mode:
        case RMWMode.AND | RMWMode.OR | RMWMode.XOR:
            # Bitwise operations have types of bits alone (PTX ISA, multimem).
            return f".{mode}.b{form.plain[1:]}"
        case RMWMode.UMIN | RMWMode.UMAX:
            # PTX says it in the type, the IR in the mode.
            return f".{mode[1:]}.{form.unsigned}"
        case RMWMode.MIN | RMWMode.MAX:
            return f".{mode}.{form.ordered}"
        case _:
            return f".{mode}.{form.plain}"


def assembly(
    text: str, constraints: str, operands: Sequence[SSAValue], result: Attribute | None
) -> llvm.InlineAsmOp:
    """An instruction that accesses memory."""
    return llvm.InlineAsmOp(
        text,
        f"{constraints},~{{memory}}",
        operands,
        None if result is None else [result],
        asm_dialect=0,
        # Loads as well: other devices write this memory between two of them.
        has_side_effects=True,
    )


def load_each(
    op: nv_tileaa.MultimemLoadReduceOp, text: str, form: Format, rewriter: ThreadRewriter
) -> None:
    """Emits one load per packed register, and converts the elements to the tile's layout."""
    builder, packed = rewriter.builder, packed_registers_of(op, rewriter)

    def load(pointer: SSAValue, _register: int) -> SSAValue:
        return builder.insert(assembly(text, f"={form.constraint},l", [pointer], packed.type))

    run_transactions(
        op, packed.layout, packed.pointers, packed.masks, load, rewriter, result=op.tile
    )
    if not packed.is_packed:
        return
    pair = VectorType(tile_shape(op.tile.type).element, (2,))
    elements: list[SSAValue] = []
    for word in rewriter.registers(op.tile):
        elements += builder.elements(builder.insert(llvm.BitcastOp(word, pair)), 2)
    held = layout_of(op, op.tile)
    assert held is not None
    rewriter.replace(op.tile, convert_registers(op, elements, packed.elements, held, rewriter))


def update_each(
    op: nv_tileaa.MultimemReduceOp | nv_tileaa.MultimemStoreOp,
    text: str,
    form: Format,
    rewriter: ThreadRewriter,
) -> None:
    """Emits one instruction without a result per packed register."""
    builder, values = rewriter.builder, rewriter.registers(op.tile)
    packed = packed_registers_of(op, rewriter)
    if packed.is_packed:
        held = layout_of(op, op.tile)
        assert held is not None
        elements = convert_registers(op, values, held, packed.elements, rewriter)
        pairs = [elements[first : first + 2] for first in range(0, len(elements), 2)]
        # Inline assembly takes `f16x2` as a 32-bit register.
        values = tuple(builder.insert(llvm.BitcastOp(builder.vector(p), i32)) for p in pairs)

    def update(pointer: SSAValue, register: int) -> SSAValue:
        operands = [pointer, values[register]]
        builder.insert_without_result(assembly(text, f"l,{form.constraint}", operands, None))
        return values[register]

    run_transactions(
        op, packed.layout, packed.pointers, packed.masks, update, rewriter, result=None
    )


class LowerMultimemLoadReduce(LowerOp[nv_tileaa.MultimemLoadReduceOp]):
    def lower(self, op: nv_tileaa.MultimemLoadReduceOp, rewriter: ThreadRewriter) -> None:
        form = FORMATS[tile_shape(op.tile.type).element]
        reduction = reduction_text(op.rmw_mode.data, form)
        text = f"multimem.ld_reduce{order_text(op)}.global{reduction} $0, [$1];"
        load_each(op, text, form, rewriter)


class LowerMultimemReduce(LowerOp[nv_tileaa.MultimemReduceOp]):
    def lower(self, op: nv_tileaa.MultimemReduceOp, rewriter: ThreadRewriter) -> None:
        form = FORMATS[tile_shape(op.tile.type).element]
        reduction = reduction_text(op.rmw_mode.data, form)
        text = f"multimem.red{order_text(op)}.global{reduction} [$0], $1;"
        update_each(op, text, form, rewriter)


class LowerMultimemStore(LowerOp[nv_tileaa.MultimemStoreOp]):
    def lower(self, op: nv_tileaa.MultimemStoreOp, rewriter: ThreadRewriter) -> None:
        form = FORMATS[tile_shape(op.tile.type).element]
        text = f"multimem.st{order_text(op)}.global.{form.plain} [$0], $1;"
        update_each(op, text, form, rewriter)


PATTERNS: Patterns = {
    nv_tileaa.MultimemLoadReduceOp: LowerMultimemLoadReduce,
    nv_tileaa.MultimemReduceOp: LowerMultimemReduce,
    nv_tileaa.MultimemStoreOp: LowerMultimemStore,
}
