"""One operation in words that can be changed one at a time: the types around it, its properties."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from tests.tileiras_agreement.scaffold import Kernel, placed

Group = tuple[Attribute, ...]
"""The types of the operands that belong to one operand definition."""


@dataclass(frozen=True)
class Step:
    """An operation in a body; operands are numbers of values: the arguments, then all results."""

    operation: type[Operation]
    operands: tuple[int, ...] = ()
    results: tuple[Attribute, ...] = ()
    properties: Mapping[str, Attribute] = field(default_factory=dict[str, Attribute])
    bodies: tuple[Body, ...] = ()


@dataclass(frozen=True)
class Body:
    """A region of one block; bodies inside of it see its values under the same numbers."""

    arguments: tuple[Attribute, ...] = ()
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True)
class Draft:
    """An operation with the types of what it takes and gives; nothing of it need be valid.

    `globals` stand before the kernel; `about` is the operation that is looked at if it is another.
    """

    operation: type[Operation]
    operands: tuple[Group, ...] = ()
    results: tuple[Attribute, ...] = ()
    properties: Mapping[str, Attribute] = field(default_factory=dict[str, Attribute])
    bodies: tuple[Body, ...] = ()
    globals: tuple[Step, ...] = ()


def _region(body: Body, outer: Sequence[SSAValue]) -> Region:
    block = Block(arg_types=body.arguments)
    values = [*outer, *block.args]
    for step in body.steps:
        op = _step(step, values)
        block.add_op(op)
        values += op.results
    return Region(block)


def _step(step: Step, values: Sequence[SSAValue]) -> Operation:
    return step.operation.create(
        operands=[values[number] for number in step.operands],
        result_types=step.results,
        properties=dict(step.properties),
        regions=[_region(body, values) for body in step.bodies],
    )


def module_of(draft: Draft) -> ModuleOp:
    """A module with one kernel that has the operation between loads and stores; not verified."""
    kernel = Kernel()
    operands = [[kernel.source(type_) for type_ in group] for group in draft.operands]
    op = placed(
        draft.operation,
        operands,
        draft.results,
        dict(draft.properties),
        [_region(body, ()) for body in draft.bodies],
    )
    kernel.block.add_op(op)
    for result in op.results:
        kernel.sink(result)
    return kernel.module([_step(each, ()) for each in draft.globals])
