"""The `nvvm` mma of a warp with a sparse operand A or with block scales."""

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from tileir_xdsl.backend.ptx.instructions import Instruction, Operand, VectorOperand
from tileir_xdsl.backend.ptx.selection import Rule, Selector
from tileir_xdsl.dialects.nvvm.matrix import WarpMMAOp
from tileir_xdsl.dialects.nvvm.scaled_matrix import MmaBlockScaleOp, MmaSpBlockScaleOp
from tileir_xdsl.dialects.nvvm.sparse_matrix import MmaSpOp


def _emit(selector: Selector, op: WarpMMAOp, *rest: Operand) -> None:
    """The instruction of an mma, with its fragments and then `rest`."""

    def registers(values: Sequence[SSAValue]) -> tuple[int, ...]:
        return tuple(
            selector.in_register(c) for value in values for c in selector.components(value)
        )

    opcode = op.form.opcode
    if op.saturates:
        opcode = opcode.replace(".row.col", ".row.col.satfinite")
    results = selector.results(op)
    a, b, c = (registers(part) for part in (op.operandA, op.operandB, op.operandC))
    operands = (*map(VectorOperand, (results, a, b, c)), *rest)
    in_position = tuple(zip(results, c, strict=True))
    selector.lines.append(Instruction(opcode, operands, 1, in_position=in_position))


def _metadata(selector: Selector, op: MmaSpOp | MmaSpBlockScaleOp) -> tuple[Operand, Operand]:
    chosen = selector.constant(op.sparsitySelector)
    if chosen is None or chosen.bits >= op.selectors:
        selector.unsupported(op, f"the sparsity selector must be a constant below {op.selectors}")
    return selector.register(op.sparseMetadata), str(chosen.bits)


def _scales(selector: Selector, op: MmaBlockScaleOp | MmaSpBlockScaleOp) -> list[Operand]:
    found: list[Operand] = []
    for word, positions in (
        (op.scaleAData, (op.byteIdA, op.threadIdA)),
        (op.scaleBData, (op.byteIdB, op.threadIdB)),
    ):
        found += [selector.register(word), VectorOperand(tuple(map(selector.operand, positions)))]
    return found


def _select_sparse(selector: Selector, op: MmaSpOp) -> None:
    _emit(selector, op, *_metadata(selector, op))


def _select_scaled(selector: Selector, op: MmaBlockScaleOp) -> None:
    _emit(selector, op, *_scales(selector, op))


def _select_sparse_scaled(selector: Selector, op: MmaSpBlockScaleOp) -> None:
    _emit(selector, op, *_metadata(selector, op), *_scales(selector, op))


RULES: dict[type[Operation], Rule] = {
    MmaSpOp: Rule(_select_sparse, has_effects=True),
    MmaBlockScaleOp: Rule(_select_scaled, has_effects=True),
    MmaSpBlockScaleOp: Rule(_select_sparse_scaled, has_effects=True),
}
"""Every lane takes part in these collective instructions, even if it does not read the result."""
