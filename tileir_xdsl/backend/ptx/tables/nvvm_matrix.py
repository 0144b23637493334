"""The `nvvm` mma instructions that update their accumulator in place: mma.sync, wgmma."""

from collections.abc import Container, Sequence
from contextlib import AbstractContextManager, nullcontext

from xdsl.dialects import llvm
from xdsl.ir import Block, Operation, SSAValue

from tileir_xdsl.backend.ptx.instructions import Instruction, Operand, VectorOperand
from tileir_xdsl.backend.ptx.registers import PREDICATE, Constant
from tileir_xdsl.backend.ptx.selection import Rule, Selector
from tileir_xdsl.dialects.nvvm.attributes import (
    MMALayout,
    MMAOverflow,
    WGMMAScaleIn,
    WGMMAScaleOut,
)
from tileir_xdsl.dialects.nvvm.matrix import MmaOp
from tileir_xdsl.dialects.nvvm.wgmma import (
    WgmmaBase,
    WgmmaFenceAlignedOp,
    WgmmaMmaAsyncOp,
    WgmmaMmaAsyncRegisterOp,
)


def _registers(selector: Selector, values: Sequence[SSAValue]) -> tuple[int, ...]:
    """The registers of a fragment."""
    components = [c for value in values for c in selector.components(value)]
    return tuple(selector.in_register(component) for component in components)


def _select_mma(selector: Selector, op: MmaOp) -> None:
    opcode = op.form.opcode
    overflow = op.intOverflowBehavior
    if overflow is not None and overflow.data is MMAOverflow.SATFINITE:
        opcode = opcode.replace(".row.col", ".row.col.satfinite")
    results = selector.results(op)
    a, b, c = (_registers(selector, part) for part in (op.operandA, op.operandB, op.operandC))
    in_position = tuple(zip(results, c, strict=True))
    groups = tuple(map(VectorOperand, (results, a, b, c)))
    selector.lines.append(Instruction(opcode, groups, 1, in_position=in_position))


# wgmma works in place: its accumulator goes into the result's registers first.

_SIGNS = {WGMMAScaleIn.ONE: "1", WGMMAScaleIn.NEGATIVE: "-1"}
_FLOATS = ("f16", "bf16", "tf32", "e4m3", "e5m2")
_TRANSPOSABLE = ("f16", "bf16")


def _select_wgmma(selector: Selector, op: WgmmaMmaAsyncOp) -> None:
    _emit_wgmma(selector, op, selector.operand(op.descriptorA), transposes_a=True)


def _select_wgmma_register(selector: Selector, op: WgmmaMmaAsyncRegisterOp) -> None:
    # A constant is moved into its register before the fence: wgmma reads registers as it runs.
    with _before(selector, _last_fence(op)):
        a = VectorOperand(_registers(selector, op.operandsA))
    _emit_wgmma(selector, op, a, transposes_a=False)


def _before(selector: Selector, op: Operation | None) -> AbstractContextManager[None]:
    """Emits the instructions of its `with` block before an op; in place if it is None."""
    return nullcontext() if op is None else selector.at(op)


def _last_fence(op: Operation, makers: Container[Operation | Block] = ()) -> Operation | None:
    """The closest `wgmma.fence` before an op in its block; None if a maker comes after it."""
    before = op.prev_op
    while before is not None and not isinstance(before, WgmmaFenceAlignedOp):
        if before in makers:
            return None
        before = before.prev_op
    return before


def _emit_wgmma(selector: Selector, op: WgmmaBase, a: Operand, *, transposes_a: bool) -> None:
    opcode = op.form.opcode
    if op.saturates:
        opcode += ".satfinite"
    descriptor = selector.operand(op.descriptorB)
    scale = _scale(selector, op)
    results = VectorOperand(selector.results(op))
    immediates: list[str] = []
    if op.typeA.data in _FLOATS:
        immediates += [_SIGNS[op.scaleA.data], _SIGNS[op.scaleB.data]]
    if op.typeA.data in _TRANSPOSABLE:
        # 0 is K-major: rows of A, columns of B.
        transposed = [str(int(op.layoutB.data is MMALayout.ROW))]
        if transposes_a:
            transposed.insert(0, str(int(op.layoutA.data is MMALayout.COLUMN)))
        immediates += transposed
    if op.predicate is None and op.scaleD.data is WGMMAScaleOut.ZERO:
        # The former value of the accumulator does not matter.
        selector.emit(opcode, (results,), a, descriptor, scale, *immediates)
        return
    if _follows_wgmma(op):
        selector.share(op.inouts, op.results_)
    else:
        # Instructions that write the accumulator come before the fence, if they can.
        with _before(selector, _last_fence(op, _inserted(op.inouts))):
            accumulator = selector.components(op.inouts)
            for result, component in zip(results.items, accumulator, strict=True):
                assert isinstance(result, int)
                selector.move(result, component)
    # The accumulator is read and written; the moves, or the first wgmma's, are its definition.
    selector.emit(opcode, (), results, a, descriptor, scale, *immediates)


def _follows_wgmma(op: WgmmaBase) -> bool:
    """Whether only `op` uses the accumulator that the preceding wgmma has written.

    Coalescing would remove moves between the two, but takes seven times as long for 32 wgmmas.
    """
    owner = op.inouts.owner
    return (
        isinstance(owner, WgmmaMmaAsyncOp | WgmmaMmaAsyncRegisterOp)
        and owner.parent is op.parent
        and op.inouts.has_one_use()
    )


def _inserted(struct: SSAValue) -> set[Operation | Block]:
    """The ops that define the fields of a struct."""
    makers: set[Operation | Block] = set()
    while isinstance(insert := struct.owner, llvm.InsertValueOp):
        value = insert.value
        while isinstance(extract := value.owner, llvm.ExtractValueOp):
            value = extract.container
        makers.add(value.owner)
        struct = insert.container
    if not isinstance(struct.owner, llvm.UndefOp):
        makers.add(struct.owner)
    return makers


def _scale(selector: Selector, op: WgmmaBase) -> int | str:
    """The operand that tells whether to add to the accumulator: a predicate, or a constant."""
    if op.predicate is not None:
        return selector.register(op.predicate)
    if op.scaleD.data is WGMMAScaleOut.ONE:
        return "1"
    return selector.in_register(Constant(0, PREDICATE))


RULES: dict[type[Operation], Rule] = {
    MmaOp: Rule(_select_mma, has_effects=True),
    WgmmaMmaAsyncOp: Rule(_select_wgmma, has_effects=True),
    WgmmaMmaAsyncRegisterOp: Rule(_select_wgmma_register, has_effects=True),
}
"""Every lane takes part in these collective instructions, even if it does not read the result."""
