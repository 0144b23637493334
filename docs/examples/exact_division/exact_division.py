"""`exact-division`: a division by a power of two is a multiplication by its inverse.

    %eight = nv_tileaa.splat %c8 : f32 -> tensor<128xf32, #L>
    %q = nv_tileaa.divf %x, %eight : tensor<128xf32, #L>
    // becomes
    %i = nv_tileaa.splat %c0125 : f32 -> tensor<128xf32, #L>
    %q = nv_tileaa.mulf %x, %i {exact_division.by = "multiplication"} : tensor<128xf32, #L>

Both are rounded once, from the same exact value, so they are the same number. The pass chooses the
cheaper one of the two, writes its choice on the op, and reports it. An op that has a choice keeps
it; `force` makes another one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, FloatAttr, ModuleOp, StringAttr, bf16, f16, f32, f64
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.universe import Universe
from xdsl.utils.type import get_element_type_or_self

from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects.enumerations import RoundingMode
from tileir_xdsl.dialects.nv_tileaa import DivFOp, FuncOp, MulFOp, SplatOp
from tileir_xdsl.dialects.nv_tileaa.folding import constant_element
from tileir_xdsl.explain import OperationLabels, Report, forced_ops, write_report
from tileir_xdsl.extensions import Extension, PlacedPass

CHOICE = "exact_division.by"
"""The attribute of an op that has the choice."""

DIVISION, MULTIPLICATION = "division", "multiplication"

COSTS: Mapping[str, float] = {DIVISION: 9, MULTIPLICATION: 1}
"""Instructions of a thread for each element. A division of f32 is a reciprocal, its refinement and
a branch to the slow path, as a listing of `div.rn.f32` shows."""

MOST_EXPONENT: Mapping[Attribute, int] = {f16: 14, bf16: 126, f32: 126, f64: 1022}
"""Up to which n both 2**n and 2**-n are normal numbers of a type: IEEE 754, table 3.5."""

IEEE = (
    RoundingMode.NEAREST_EVEN,
    RoundingMode.ZERO,
    RoundingMode.POSITIVE_INF,
    RoundingMode.NEGATIVE_INF,
)


def inverse_of(op: DivFOp) -> float | str:
    """The exact inverse of the divisor, or the reason why there is none."""
    divisor, type = constant_element(op.rhs), get_element_type_or_self(op.result.type)
    if not isinstance(divisor, float):
        return "the divisor is not a constant"
    if op.rounding_mode.data not in IEEE:
        return "an approximation is asked for"
    mantissa, exponent = math.frexp(divisor)
    if abs(mantissa) != 0.5:
        return f"{divisor:g} is not a power of two"
    if abs(exponent - 1) > MOST_EXPONENT.get(type, -1):
        return f"{type} has no exact inverse of {divisor:g}"
    return 1 / divisor


@dataclass(frozen=True)
class Decision:
    """The choice for one division."""

    op: DivFOp
    chosen: str
    inverse: float | str


def decide(op: DivFOp, forced: str | None) -> Decision:
    """The forced choice, else that of the attribute, else the cheapest that is possible."""
    inverse = inverse_of(op)
    possible = [DIVISION, *([MULTIPLICATION] if isinstance(inverse, float) else [])]
    written = op.attributes.get(CHOICE)
    wanted = forced or (written.data if isinstance(written, StringAttr) else None)
    if wanted is not None and wanted not in COSTS:
        fail(op, f"cannot be computed by '{wanted}', expected {' or '.join(COSTS)}")
    if wanted is not None and wanted not in possible:
        fail(op, f"cannot be computed by {wanted}: {inverse}")
    return Decision(op, wanted or min(possible, key=COSTS.__getitem__), inverse)


def report(decision: Decision, labels: OperationLabels, function: str, to: Report) -> None:
    """Adds a decision: the candidates with costs, and why others are not possible."""
    reason, costs = decision.inverse, dict(COSTS)
    pruned: dict[str, str] = {}
    if isinstance(reason, str):
        del costs[MULTIPLICATION]
        pruned[MULTIPLICATION] = reason
    to.add(
        function,
        op=labels.label(decision.op),
        strategy=decision.chosen,
        costs=costs,
        pruned=pruned,
        why="the fewest instructions of those that give the same number",
    )


def rewrite(decision: Decision) -> None:
    """Writes the choice on the division, or on the multiplication that takes its place."""
    op, inverse = decision.op, decision.inverse
    if decision.chosen == DIVISION or isinstance(inverse, str):
        op.attributes[CHOICE] = StringAttr(decision.chosen)
        return
    type = op.result.type
    element = get_element_type_or_self(type)
    assert isinstance(element, AnyFloat)
    constant = arith.ConstantOp(FloatAttr(inverse, element))
    new: list[Operation] = [constant]
    operand = constant.result
    if operand.type != type:
        splat = SplatOp(operand, type)
        operand = splat.result
        new.append(splat)
    mulf = MulFOp(op.lhs, operand, op.rounding_mode.data, op.flush_to_zero is not None)
    mulf.attributes |= op.attributes | {CHOICE: StringAttr(MULTIPLICATION)}
    mulf.result.name_hint = op.result.name_hint
    new.append(mulf)
    for each in new:
        # So that a report can tell where an instruction is from.
        each.location = op.location
    Rewriter.replace_op(op, new)


@dataclass(frozen=True)
class ExactDivisionPass(ModulePass):
    """Divisions by powers of two become multiplications."""

    name = "exact-division"

    explain: str | None = None
    """A file for the report of choices and costs; JSON if its name ends in `.json`."""
    force: str | None = None
    """Choices to take, e.g. `#4=division, kernel#7=multiplication`; numbers are the report's."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = [each for each in op.walk() if isinstance(each, FuncOp)]
        # Before anything changes: the numbers are those of the input.
        labels = {function: OperationLabels(function) for function in functions}
        forced = forced_ops(self.force, labels, lambda each: isinstance(each, DivFOp))
        for each in forced:
            if not isinstance(each, DivFOp):
                fail(each, "has no choice: it is not a division")
        said = Report(self.name)
        for function in functions:
            divisions = [each for each in function.walk() if isinstance(each, DivFOp)]
            for decision in [decide(each, forced.get(each)) for each in divisions]:
                report(decision, labels[function], function.sym_name.data, said)
                rewrite(decision)
        if self.explain is not None:
            write_report(said, self.explain)


EXTENSION = Extension(
    "exact_division",
    passes=(
        PlacedPass(
            ExactDivisionPass,
            level="nv_tileas",
            # Before the compiler chooses how to divide.
            before="tileas-select-lowering",
            ops=frozenset({DivFOp.name}),
        ),
    ),
)
"""For `tileir compile --with exact_division`."""

UNIVERSE = Universe(all_passes={ExactDivisionPass.name: lambda: ExactDivisionPass})
"""For `xdsl-opt -p exact-division`."""
