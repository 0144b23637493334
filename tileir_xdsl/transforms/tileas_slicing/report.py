"""The report of a slicing plan."""

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.traits import IsTerminator

from tileir_xdsl.analysis.regions.scopes import scope_name, scope_of
from tileir_xdsl.explain import OperationLabels, Report, ReportValue

from .plan import LoopPlan, SlicingPlan, StagePlan, TiledOperand

PASS_NAME = "tileas-slicing"


def describe_plan(module: ModuleOp, plan: SlicingPlan) -> Report:
    """The report of a module's plans by function, made before their ops are changed."""
    report = Report(PASS_NAME)
    labels: dict[Operation, OperationLabels] = {}
    for op, op_plan in (*plan.loops.items(), *plan.stages.items()):
        scope = scope_of(op)
        if scope not in labels:
            labels[scope] = OperationLabels(scope)
        if isinstance(op_plan, LoopPlan):
            facts = _describe_loop(labels[scope], op, op_plan)
        else:
            facts = _describe_stage(labels[scope], op, op_plan)
        report.add(scope_name(scope), **facts)
    return report


def _describe_loop(
    labels: OperationLabels, loop: Operation, plan: LoopPlan
) -> dict[str, ReportValue]:
    slices: list[ReportValue] = ["computed before the loop"] * plan.count
    if plan.ranges is not None:
        slices = [f"{part.lower} to {part.upper} step {part.step}" for part in plan.ranges]
    arguments = loop.regions[0].block.args[1:]
    return {
        "loop": labels.label(loop),
        "slices": slices,
        "carried values": [
            {"value": argument.name_hint or str(position), "later slices start from": start.value}
            for position, (argument, start) in enumerate(zip(arguments, plan.starts, strict=True))
        ],
        "tiled operands": [_describe_operand(labels, plan, operand) for operand in plan.operands],
    }


def _describe_stage(
    labels: OperationLabels, op: Operation, plan: StagePlan
) -> dict[str, ReportValue]:
    divided = {part.operation for part in plan.divided}
    return {
        "stage": labels.label(op),
        "slices": plan.count,
        "one for each slice": [labels.label(part.operation) for part in plan.divided],
        "for the whole tile": [
            labels.label(inner)
            for inner in op.regions[0].block.ops
            if inner not in divided and not inner.has_trait(IsTerminator)
        ],
    }


def _describe_operand(
    labels: OperationLabels, plan: LoopPlan, operand: TiledOperand
) -> dict[str, ReportValue]:
    facts: dict[str, ReportValue] = {
        "op": labels.label(operand.operation),
        "operand": operand.name,
        "taken": operand.taken.value,
    }
    for divided in operand.divided:
        position = f"{divided.scale} * induction variable + {divided.offset}"
        parts = [] if plan.ranges is None else [divided.interval(part) for part in plan.ranges]
        facts[f"dimension {divided.dimension}"] = [
            position,
            *(f"slice {n}: {least} to {most}" for n, (least, most) in enumerate(parts)),
        ]
    return facts
