"""The `nvvm` product of a warp with a sparse factor."""

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from tileir_xdsl.backend.ptx.instructions import Group, Instruction
from tileir_xdsl.backend.ptx.selection import Rule, Selector
from tileir_xdsl.dialects.nvvm.sparse_matrix import MmaSpOp


def _select_mma_sp(selector: Selector, op: MmaSpOp) -> None:
    chosen = selector.constant(op.sparsitySelector)
    if chosen is None or chosen.bits >= op.selectors:
        selector.unsupported(op, f"the sparsity selector must be a constant below {op.selectors}")
    opcode = op.form.opcode
    if op.saturates:
        opcode = opcode.replace(".row.col", ".row.col.satfinite")

    def registers(values: Sequence[SSAValue]) -> tuple[int, ...]:
        return tuple(
            selector.in_register(c) for value in values for c in selector.components(value)
        )

    results = selector.results(op)
    a, b, c = (registers(part) for part in (op.operandA, op.operandB, op.operandC))
    operands = (*map(Group, (results, a, b, c)), selector.register(op.sparseMetadata))
    in_place = tuple(zip(results, c, strict=True))
    instruction = Instruction(opcode, (*operands, str(chosen.bits)), 1, in_place=in_place)
    selector.lines.append(instruction)


RULES: dict[type[Operation], Rule] = {MmaSpOp: Rule(_select_mma_sp, has_effects=True)}
"""Collective: every lane takes part, whether or not it reads the result."""
