"""Atomic operations: one transaction per element, by one of the threads that hold the element.

If the result is used, the executing thread sends it to other threads that hold copies of the
element.
"""

from collections.abc import Callable, Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerType,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from tileir_xdsl.analysis.layouts.tile_layouts import layout_of
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.llvm.atomics import AtomicBinOp, AtomicCmpXchgOp, AtomicRMWOp
from tileir_xdsl.dialects.llvm.attributes import AtomicOrdering
from tileir_xdsl.dialects.llvm.intrinsics import MaximumOp, MinimumOp
from tileir_xdsl.dialects.llvm.loads_and_stores import LoadOp
from tileir_xdsl.targets import Feature

from ..shared_memory.single_transactions import Transaction, masks_of, run_transactions
from ..thread.builder import LLVMBuilder
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ThreadRewriter
from .memory_order import ordering_of
from .tile_addresses import tile_access

INTEGER_MODES: dict[str, AtomicBinOp] = {
    "add": AtomicBinOp.ADD,
    "and": AtomicBinOp.AND,
    "dec": AtomicBinOp.UDEC_WRAP,
    "inc": AtomicBinOp.UINC_WRAP,
    "max": AtomicBinOp.MAX,
    "min": AtomicBinOp.MIN,
    "or": AtomicBinOp.OR,
    "umax": AtomicBinOp.UMAX,
    "umin": AtomicBinOp.UMIN,
    "xchg": AtomicBinOp.XCHG,
    "xor": AtomicBinOp.XOR,
}
"""The integer atomic instruction for each read-modify-write mode."""

FLOAT_FUNCTIONS: dict[str, Callable[[SSAValue, SSAValue], Operation]] = {
    "add": llvm.FAddOp,
    "addf": llvm.FAddOp,
    "max": MaximumOp,
    "min": MinimumOp,
}
"""The float functions for compare-and-swap loops, which replace missing instructions."""

FLOAT_MODES = {*FLOAT_FUNCTIONS, "xchg"}


def bits_type(type: Attribute) -> IntegerType:
    """The integer type with the bit width of a float."""
    match type:
        case Float64Type():
            return i64
        case Float32Type():
            return i32
        case _:
            return i16


def as_bits(builder: LLVMBuilder, value: SSAValue) -> SSAValue:
    """The bits of a float; an integer is unchanged."""
    if isinstance(value.type, IntegerType):
        return value
    return builder.insert(llvm.BitcastOp(value, bits_type(value.type)))


def from_bits(builder: LLVMBuilder, value: SSAValue, type: Attribute) -> SSAValue:
    """The inverse of `as_bits`."""
    return value if value.type == type else builder.insert(llvm.BitcastOp(value, type))


def modification(
    op: Operation, mode: str, values: Sequence[SSAValue], rewriter: ThreadRewriter
) -> Transaction:
    """A read-modify-write by an instruction, or by a compare-and-swap loop if there is none.

    Raises `PassFailedException` for a mode that the element type does not support.
    """
    builder = rewriter.builder
    ordering, scope = ordering_of(op)
    if ordering is AtomicOrdering.NOT_ATOMIC:
        # `atom` without semantics and scope is `.relaxed.gpu` (PTX ISA, "atom").
        ordering, scope = AtomicOrdering.MONOTONIC, "device"
    modes = INTEGER_MODES if isinstance(values[0].type, IntegerType) else FLOAT_MODES
    if mode not in modes:
        fail(op, f"'{op.name}' op does not support {mode} on {values[0].type}")

    def instruction(kind: AtomicBinOp, pointer: SSAValue, value: SSAValue) -> SSAValue:
        return builder.insert(AtomicRMWOp(kind, pointer, value, ordering, scope))

    def transact(pointer: SSAValue, register: int) -> SSAValue:
        value = values[register]
        type = value.type
        if isinstance(type, IntegerType):
            return instruction(INTEGER_MODES[mode], pointer, value)
        # `atom.exch` takes bits alone (PTX ISA, "atom").
        if mode == "xchg":
            old = instruction(AtomicBinOp.XCHG, pointer, as_bits(builder, value))
            return from_bits(builder, old, type)
        # Of floats PTX adds atomically; scalar maxima and minima it has for integers alone.
        if mode in ("add", "addf") and has_float_addition(type, rewriter):
            return instruction(AtomicBinOp.FADD, pointer, value)
        assert isinstance(type, AnyFloat)
        function = FLOAT_FUNCTIONS[mode]
        return exchange_until_equal(
            rewriter,
            pointer,
            type,
            ordering,
            scope,
            lambda old: builder.insert(function(old, value)),
        )

    return transact


def has_float_addition(type: Attribute, rewriter: ThreadRewriter) -> bool:
    """Whether the target has an atomic addition of a float type."""
    # `atom.add.bf16` came with sm_90, that of f16 with sm_70 (PTX ISA, "atom").
    if isinstance(type, BFloat16Type):
        return Feature.BF16_ARITHMETIC in rewriter.function.target.features
    return isinstance(type, Float16Type | Float32Type | Float64Type)


def exchange_until_equal(
    rewriter: ThreadRewriter,
    pointer: SSAValue,
    type: AnyFloat,
    ordering: AtomicOrdering,
    scope: str | None,
    function: Callable[[SSAValue], SSAValue],
) -> SSAValue:
    """Emits a compare-and-swap loop that replaces a value in memory by a function of the value."""
    builder = rewriter.builder
    bits = bits_type(type)
    alignment = bits.width.data // 8
    # Relaxed: a weak load would race with the exchanges of other threads.
    first = builder.insert(LoadOp(pointer, bits, alignment, AtomicOrdering.MONOTONIC, scope))
    loop, after = Block(arg_types=[bits]), Block(arg_types=[bits])
    builder.insert_without_result(llvm.BrOp(loop, first))
    builder.enter(loop)
    builder.open_scope()
    expected = loop.args[0]
    new = as_bits(builder, function(from_bits(builder, expected, type)))
    both_fields = builder.insert(
        AtomicCmpXchgOp(pointer, expected, new, ordering, AtomicOrdering.MONOTONIC, scope)
    )
    old, done = builder.field(both_fields, 0), builder.field(both_fields, 1)
    # A failed exchange returned the current value: no second load is needed.
    builder.insert_without_result(llvm.CondBrOp(done, after, [old], loop, [old]))
    builder.close_scope()
    builder.enter(after)
    return from_bits(builder, after.args[0], type)


def exchange(
    op: nv_tileaa.AtomicCASOp,
    compare: Sequence[SSAValue],
    replacement: Sequence[SSAValue],
    rewriter: ThreadRewriter,
) -> Transaction:
    """An atomic compare-and-swap of bits."""
    builder = rewriter.builder
    ordering, scope = ordering_of(op)
    # An exchange that fails writes nothing, so it has nothing to release.
    failure = AtomicOrdering.ACQUIRE if "acq" in ordering.value else AtomicOrdering.MONOTONIC

    def transact(pointer: SSAValue, register: int) -> SSAValue:
        expected, new = compare[register], replacement[register]
        fields = builder.insert(
            AtomicCmpXchgOp(
                pointer,
                as_bits(builder, expected),
                as_bits(builder, new),
                ordering,
                failure,
                scope,
            )
        )
        return from_bits(builder, builder.field(fields, 0), expected.type)

    return transact


class LowerAtomicRMW(LowerOp[nv_tileaa.AtomicRMWOp]):
    def lower(self, op: nv_tileaa.AtomicRMWOp, rewriter: ThreadRewriter) -> None:
        pointers, values = rewriter.registers(op.pointers), rewriter.registers(op.value)
        run_transactions(
            op,
            layout_of(op, op.value),
            pointers,
            masks_of(op.mask, len(pointers), rewriter),
            modification(op, op.rmw_mode.data.value, values, rewriter),
            rewriter,
            result=op.old,
        )


class LowerAtomicCAS(LowerOp[nv_tileaa.AtomicCASOp]):
    def lower(self, op: nv_tileaa.AtomicCASOp, rewriter: ThreadRewriter) -> None:
        pointers, compare = rewriter.registers(op.pointers), rewriter.registers(op.compare)
        run_transactions(
            op,
            layout_of(op, op.compare),
            pointers,
            masks_of(op.mask, len(pointers), rewriter),
            exchange(op, compare, rewriter.registers(op.replacement), rewriter),
            rewriter,
            result=op.old,
            masked_off=compare,
        )


class LowerTiledAtomicRMW(LowerOp[nv_tileas.TiledAtomicRMWOp]):
    """Lowers an atomic access of one tile of a view; out-of-bounds elements are skipped."""

    def lower(self, op: nv_tileas.TiledAtomicRMWOp, rewriter: ThreadRewriter) -> None:
        access = tile_access(op, op.value, rewriter)
        pointers = access.pointers(1)
        run_transactions(
            op,
            access.layout,
            [pointers[register] for register in range(access.layout.registers)],
            access.masks(),
            modification(op, op.rmw_mode.data.value, rewriter.registers(op.value), rewriter),
            rewriter,
            result=op.old,
        )


PATTERNS: Patterns = {
    nv_tileaa.AtomicCASOp: LowerAtomicCAS,
    nv_tileaa.AtomicRMWOp: LowerAtomicRMW,
    nv_tileas.TiledAtomicRMWOp: LowerTiledAtomicRMW,
}
