"""The report of a slicing plan."""

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation

from tileir_xdsl.explain import OperationLabels, Report, ReportValue

from .plan import LoopPlan, SlicingPlan, TiledOperand

PASS_NAME = "tileas-slicing"


def describe_plan(module: ModuleOp, plan: SlicingPlan) -> Report:
    """The plans of a module by function; made before the ops that they name are changed."""
    report = Report(PASS_NAME)
    labels: dict[Operation, OperationLabels] = {}
    for loop, loop_plan in plan.loops.items():
        scope = _function_of(loop)
        if scope not in labels:
            labels[scope] = OperationLabels(scope)
        _add_loop(report, labels[scope], _name_of(scope), loop, loop_plan)
    return report


def _function_of(op: Operation) -> Operation:
    """The function, or the outermost op, around an op."""
    scope = op
    while (parent := scope.parent_op()) is not None:
        scope = parent
        if isinstance(scope.properties.get("sym_name"), StringAttr):
            break
    return scope


def _name_of(scope: Operation) -> str:
    name = scope.properties.get("sym_name")
    return name.data if isinstance(name, StringAttr) else "module"


def _add_loop(
    report: Report, labels: OperationLabels, function: str, loop: scf.ForOp, plan: LoopPlan
) -> None:
    slices: list[ReportValue] = ["computed before the loop"] * plan.count
    if plan.ranges is not None:
        slices = [f"{part.lower} to {part.upper} step {part.step}" for part in plan.ranges]
    arguments = loop.body.block.args[1:]
    report.add(
        function,
        loop=labels.label(loop),
        slices=slices,
        carried_values=[
            {"value": argument.name_hint or str(position), "later slices start from": start.value}
            for position, (argument, start) in enumerate(zip(arguments, plan.starts, strict=True))
        ],
        tiled_operands=[_describe_operand(labels, plan, operand) for operand in plan.operands],
    )


def _describe_operand(
    labels: OperationLabels, plan: LoopPlan, operand: TiledOperand
) -> dict[str, ReportValue]:
    facts: dict[str, ReportValue] = {
        "op": labels.label(operand.operation),
        "operand": operand.name,
        "taken": operand.taken.value,
    }
    for divided in operand.divided:
        place = f"{divided.scale} * induction variable + {divided.offset}"
        parts = [] if plan.ranges is None else [divided.interval(part) for part in plan.ranges]
        facts[f"dimension {divided.dimension}"] = [
            place,
            *(f"slice {n}: {least} to {most}" for n, (least, most) in enumerate(parts)),
        ]
    return facts
