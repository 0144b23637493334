"""Accesses executed once per element, even if several threads hold copies of it.

One of these threads executes the access; if the result is used, the others read it from shared
memory.
"""

from collections.abc import Callable, Sequence

from xdsl.dialects import llvm
from xdsl.ir import Block, Operation, SSAValue

from tileir_xdsl.dialects.llvm.values import PoisonOp
from tileir_xdsl.layout.linear import LinearLayout

from ..thread.program import ThreadRewriter
from ..thread.replicas import both, one_of_copies
from .staging_buffers import StagedTile, StagingSlice, through_staging

Transaction = Callable[[SSAValue, int], SSAValue]
"""An atomic operation on a pointer for a register's element, which returns the old value."""


def guarded(
    rewriter: ThreadRewriter, condition: SSAValue | None, emit: Callable[[], SSAValue]
) -> SSAValue:
    """The result of `emit` where a condition holds; undefined elsewhere."""
    if condition is None:
        return emit()
    builder = rewriter.builder
    then, after = Block(), Block()
    start = builder.block
    builder.enter(then)
    builder.open_scope()
    value = emit()
    builder.close_scope()
    result = after.insert_arg(value.type, 0)
    builder.insert_without_result(llvm.BrOp(after, value))
    builder.block = start
    # Poison costs no instruction; where it could be read, `masked_off` is selected below.
    nothing = builder.insert(PoisonOp(value.type))
    builder.insert_without_result(llvm.CondBrOp(condition, then, [], after, [nothing]))
    builder.enter(after)
    return result


def run_transactions(
    op: Operation,
    layout: LinearLayout | None,
    pointers: Sequence[SSAValue],
    masks: Sequence[SSAValue | None],
    transact: Transaction,
    rewriter: ThreadRewriter,
    *,
    result: SSAValue | None,
    masked_off: Sequence[SSAValue] | None = None,
) -> None:
    """Runs one transaction for each register that is not masked off.

    Binds the result if it is used; its masked-off elements are `masked_off`, if given.
    """
    writer = one_of_copies(layout, rewriter)
    conditions = both(rewriter.builder, masks, writer)
    copies = 0 if layout is None else layout.replicated_registers
    old: list[SSAValue] = []
    for register, (pointer, condition) in enumerate(zip(pointers, conditions, strict=True)):
        # Others would see a second transaction on the element, as with an addition.
        if register & copies:
            old.append(old[register & ~copies])
            continue
        old.append(guarded(rewriter, condition, lambda p=pointer, r=register: transact(p, r)))
    if result is None or not result.uses:
        if result is not None:
            rewriter.replace(result, tuple(old))
        return
    # Without copies in other threads everyone has its own result.
    if writer is not None:
        size = 1 if layout is None else layout.size
        position = StagingSlice(0, ()) if layout is None else StagingSlice.whole(layout.shape)
        tile = StagedTile(old, layout, position)
        old = list(through_staging(op, size, [[tile]], layout, position, rewriter))
    if masked_off is not None:
        builder = rewriter.builder
        old = [
            value if mask is None else builder.select(mask, value, other)
            for value, mask, other in zip(old, masks, masked_off, strict=True)
        ]
    rewriter.replace(result, tuple(old))


def masks_of(mask: SSAValue | None, count: int, rewriter: ThreadRewriter) -> list[SSAValue | None]:
    """The registers of a mask; all None without a mask."""
    return [None] * count if mask is None else list(rewriter.registers(mask))
