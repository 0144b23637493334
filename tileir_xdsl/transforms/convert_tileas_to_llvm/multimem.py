"""Accesses of multicast memory: one instruction for each element, for the memory of all devices.

LLVM has no intrinsics for these instructions, so they are inline assembly. Source: PTX ISA,
"multimem.ld_reduce, multimem.st, multimem.red".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import llvm
from xdsl.dialects.builtin import f32, f64, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileaa.attributes import (
    MemScope,
    MemScopeAttr,
    MemSemantic,
    RMWMode,
)
from tileir_xdsl.dialects.nv_tileaa.multimem import MultimemTileOp
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape

from .order import order_access, semantic_of
from .patterns import LowerOp, Patterns
from .tile_access import tile_access
from .transactions import Transaction, run_transactions
from .values import ThreadProgram


@dataclass(frozen=True)
class Format:
    """An element type of these instructions: the constraint of its register, and its names.

    `plain` is its name where bits are moved or added, `ordered` where they are compared as signed
    numbers, and `unsigned` as unsigned ones.
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
}
"""The element types of which an instruction takes a single one; those of 16 bits come in pairs."""

SCOPES: Mapping[MemScope, str] = {
    MemScope.TILE_BLOCK: "cta",
    MemScope.CLUSTER: "cluster",
    MemScope.GPU: "gpu",
    MemScope.SYSTEM: "sys",
}


def format_of(op: Operation, tile: SSAValue, program: ThreadProgram) -> Format:
    """The format of the elements of a tile; fails for those that no instruction takes alone."""
    element = tile_shape(tile.type).element
    if element not in FORMATS:
        name = program.target.name
        fail(op, f"'{op.name}' op single elements of {element} are not supported on {name}")
    return FORMATS[element]


def order_text(op: Operation) -> str:
    """`.weak`, or the semantics and scope: `.release.gpu`."""
    semantic, scope = semantic_of(op), op.properties.get("mem_scope")
    if semantic is MemSemantic.WEAK or not isinstance(scope, MemScopeAttr):
        return ".weak"
    return f".{semantic}.{SCOPES[scope.data]}"


def reduction_text(mode: RMWMode, form: Format) -> str:
    """`.add.u32`, `.min.s64`, `.and.b32`."""
    match mode:
        case RMWMode.AND | RMWMode.OR | RMWMode.XOR:
            return f".{mode}.b{form.plain[1:]}"
        case RMWMode.UMIN | RMWMode.UMAX:
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
        has_side_effects=True,
    )


def access_each(
    op: MultimemTileOp,
    tile: SSAValue,
    program: ThreadProgram,
    transact: Transaction,
    result: SSAValue | None,
) -> None:
    """One transaction for each element of a tile that is inside of the memory object."""
    access = tile_access(op, tile, program)
    pointers = access.pointers(1)
    run_transactions(
        op,
        access.layout,
        [pointers[register] for register in range(access.layout.registers)],
        access.masks(),
        transact,
        program,
        result=result,
    )


class LowerMultimemLoadReduce(LowerOp[nv_tileaa.MultimemLoadReduceOp]):
    def lower(self, op: nv_tileaa.MultimemLoadReduceOp, program: ThreadProgram) -> None:
        order_access(op, op.token, program, writes=False)
        form = format_of(op, op.tile, program)
        reduction = reduction_text(op.rmw_mode.data, form)
        text = f"multimem.ld_reduce{order_text(op)}.global{reduction} $0, [$1];"
        element = tile_shape(op.tile.type).element

        def load(pointer: SSAValue, _register: int) -> SSAValue:
            return program.builder.insert(
                assembly(text, f"={form.constraint},l", [pointer], element)
            )

        access_each(op, op.tile, program, load, op.tile)


def update_each(
    op: nv_tileaa.MultimemReduceOp | nv_tileaa.MultimemStoreOp,
    text: str,
    form: Format,
    program: ThreadProgram,
) -> None:
    """One instruction for each element, without a result."""
    values = program.registers[op.tile]

    def update(pointer: SSAValue, register: int) -> SSAValue:
        operands = [pointer, values[register]]
        program.builder.insert_without_result(
            assembly(text, f"l,{form.constraint}", operands, None)
        )
        return values[register]

    access_each(op, op.tile, program, update, None)


class LowerMultimemReduce(LowerOp[nv_tileaa.MultimemReduceOp]):
    def lower(self, op: nv_tileaa.MultimemReduceOp, program: ThreadProgram) -> None:
        order_access(op, op.token, program, writes=True)
        form = format_of(op, op.tile, program)
        reduction = reduction_text(op.rmw_mode.data, form)
        text = f"multimem.red{order_text(op)}.global{reduction} [$0], $1;"
        update_each(op, text, form, program)


class LowerMultimemStore(LowerOp[nv_tileaa.MultimemStoreOp]):
    def lower(self, op: nv_tileaa.MultimemStoreOp, program: ThreadProgram) -> None:
        order_access(op, op.token, program, writes=True)
        form = format_of(op, op.tile, program)
        text = f"multimem.st{order_text(op)}.global.{form.plain} [$0], $1;"
        update_each(op, text, form, program)


PATTERNS: Patterns = {
    nv_tileaa.MultimemLoadReduceOp: LowerMultimemLoadReduce,
    nv_tileaa.MultimemReduceOp: LowerMultimemReduce,
    nv_tileaa.MultimemStoreOp: LowerMultimemStore,
}
