"""Changes of ops that passes make by mistake, by class: ordering, operands, masks, slices, facts."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from xdsl.dialects import llvm, scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tileir_xdsl.dialects import cuda_tile, nv_tileaa, nv_tileas

Change = Callable[[Operation], None]


def forward(number: int = 0) -> Change:
    """Drops an op, whose results are some of its operands: waits, handshakes, casts."""

    def change(op: Operation) -> None:
        values = list(op.operands[number : number + len(op.results)])
        if [each.type for each in values] == [each.type for each in op.results]:
            Rewriter.replace_op(op, [], values)

    return change


def first_operand_only(op: Operation) -> None:
    """Waits for the first of several tokens only."""
    if len(op.operands) > 1:
        op.operands = op.operands[:1]


def restart(op: Operation) -> None:
    """Has a loop begin every iteration with the token or iterator that it began with first."""
    loop = op.parent_op()
    if not isinstance(loop, scf.ForOp | cuda_tile.ForOp):
        return
    initials = list(loop.operands[3:])
    for number, value in enumerate(initials):
        if isinstance(value.type, _ORDERS):
            op.operands[number] = value


_ORDERS = (
    cuda_tile.TokenType,
    nv_tileaa.MemTokenType,
    nv_tileas.PipelineIteratorType,
)


def set_property(name: str, value: Attribute) -> Change:
    """Gives an op another attribute, where it has one of the name."""

    def change(op: Operation) -> None:
        if name in op.properties:
            op.properties[name] = value

    return change


def add_to_property(name: str, number: int) -> Change:
    """Adds a number to an integer of an op."""

    def change(op: Operation) -> None:
        old = op.properties.get(name)
        if isinstance(old, IntegerAttr):
            kept = cast("IntegerAttr", old)
            op.properties[name] = IntegerAttr(kept.value.data + number, kept.type)

    return change


def scale_property(name: str, factor: int) -> Change:
    """Multiplies an integer of an op, such as an alignment that is claimed."""

    def change(op: Operation) -> None:
        old = op.properties.get(name)
        if isinstance(old, IntegerAttr):
            kept = cast("IntegerAttr", old)
            op.properties[name] = IntegerAttr(kept.value.data * factor, kept.type)

    return change


def move_up(op: Operation) -> None:
    """Moves an op before all ops that it does not use, such as a release before the last read."""
    makers = {operand.owner for operand in op.operands}
    before = op.prev_op
    while before is not None and before not in makers:
        first, before = before, before.prev_op
        op.detach()
        Rewriter.insert_op(op, InsertPoint.before(first))


def swap_alike(op: Operation) -> None:
    """Swaps the first two operands, where they have one type."""
    first, second, *rest = op.operands
    if first.type == second.type:
        op.operands = (second, first, *rest)


def swap_last(op: Operation) -> None:
    """Swaps the last two operands that have one type, such as coordinates."""
    operands = list(op.operands)
    for number in reversed(range(1, len(operands))):
        if operands[number].type == operands[number - 1].type:
            operands[number - 1 : number + 1] = reversed(operands[number - 1 : number + 1])
            op.operands = operands
            return


def repeat(first: int, second: int) -> Change:
    """Takes one operand twice in place of two of one type."""

    def change(op: Operation) -> None:
        operands: list[SSAValue] = list(op.operands)
        if second < len(operands) and operands[first].type == operands[second].type:
            operands[second] = operands[first]
            op.operands = operands

    return change


def claim_alignment(op: Operation) -> None:
    """Claims that a pointer of the kernel is aligned to 16 bytes."""
    assert isinstance(op, cuda_tile.EntryOp)
    for argument in list(op.body.block.args):
        element = getattr(argument.type, "element_type", None)
        if isinstance(element, cuda_tile.PointerType):
            _claim(argument, InsertPoint.at_start(op.body.block))


def _claim(pointer: SSAValue, at: InsertPoint) -> None:
    claim = cuda_tile.AssumeOp(pointer, cuda_tile.DivByAttr(16))
    pointer.replace_uses_with_if(claim.result, lambda use: use.operation is not claim)
    Rewriter.insert_op(claim, at)


def other_predicate(old: int, new: int) -> Change:
    """Has a comparison say yes for equal numbers, or no."""

    def change(op: Operation) -> None:
        predicate = op.properties.get("predicate")
        if isinstance(predicate, IntegerAttr) and predicate.value.data == old:
            op.properties["predicate"] = IntegerAttr(new, predicate.type)

    return change


def one_iteration_less(op: Operation) -> None:
    """Ends a loop an iteration early."""
    lower, upper, step, *rest = op.operands
    element = cuda_tile.SubIOp(upper, step) if isinstance(op, cuda_tile.ForOp) else None
    if element is not None:
        Rewriter.insert_op(element, InsertPoint.before(op))
        op.operands = (lower, element.result, step, *rest)


def factor_out(op: Operation) -> None:
    """Makes `(a + b) * c` of `a * c + b * c`: sums round elsewhere."""
    if not isinstance(op, llvm.FAddOp):
        return
    lhs, rhs = op.lhs.owner, op.rhs.owner
    if isinstance(lhs, llvm.FMulOp) and isinstance(rhs, llvm.FMulOp) and lhs.rhs is rhs.rhs:
        total = llvm.FAddOp(lhs.lhs, rhs.lhs)
        Rewriter.insert_op(total, InsertPoint.before(op))
        Rewriter.replace_op(op, llvm.FMulOp(total.res, lhs.rhs))


def same_allocation(op: Operation) -> None:
    """Puts every allocation of shared memory at the beginning."""
    found = op.attributes.get("nv_tileas.smem") or op.properties.get("nv_tileas.smem")
    if isinstance(found, nv_tileas.AllocationAttr):
        placed = nv_tileas.AllocationAttr(0, found.size)
        (op.attributes if "nv_tileas.smem" in op.attributes else op.properties)[
            "nv_tileas.smem"
        ] = placed
