"""Which op's values a pass has changed.

The pass runs again on a copy of the module in which every op has a location of its own. A
replacement of an op has the location of that op, or no location and the same neighbours. So the
values of an op and of its replacement can be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, ModuleOp, StringAttr, UnknownLoc
from xdsl.interpreter import PythonValues
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue

from tileir_xdsl.checking.inputs import LaunchInput
from tileir_xdsl.checking.observation import interpret, same_values
from tileir_xdsl.interpreters.listeners import LaunchListener
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.walking import clone_of, ops_in

Values = tuple[Array, ...]
"""The operand or result arrays of an op."""


@dataclass
class Trace(LaunchListener):
    """For every op that ran, in the order of first execution, the arrays of each execution."""

    taken: dict[Operation, list[Values]] = field(default_factory=dict[Operation, list[Values]])
    made: dict[Operation, list[Values]] = field(default_factory=dict[Operation, list[Values]])

    def will_interpret_op(self, op: Operation, args: PythonValues) -> None:
        self.taken.setdefault(op, []).append(_arrays(args))

    def did_interpret_op(self, op: Operation, results: PythonValues) -> None:
        self.made.setdefault(op, []).append(_arrays(results))

    def by_location(self) -> dict[Attribute, list[Operation]]:
        """The ops that ran at each location."""
        found: dict[Attribute, list[Operation]] = {}
        for op in self.taken:
            found.setdefault(op.location, []).append(op)
        return found


def _arrays(values: PythonValues) -> Values:
    return tuple(np.array(value) for value in values if isinstance(value, np.ndarray))


def first_changed_op(
    before: ModuleOp,
    apply: Callable[[ModuleOp], None],
    kernel: str,
    launch_input: LaunchInput,
) -> Operation | None:
    """The first op of `before`, in the order of execution, whose values differ after `apply`.

    None if all ops that are found again have equal values; the result of `apply` must be
    executable.
    """
    numbered, changed, originals = _numbered_and_changed(before, apply)
    first, second = Trace(), Trace()
    interpret(numbered, kernel, launch_input, listeners=[first])
    interpret(changed, kernel, launch_input, listeners=[second])
    stand_ins = second.by_location()
    for op, taken in first.taken.items():
        others = stand_ins.get(op.location, [])
        made = first.made.get(op, [])
        if any(made):
            changes = _differs(made, [second.made.get(other, []) for other in others])
        else:
            changes = _differs(taken, [second.taken[other] for other in others])
        if changes:
            return originals[op]
    return None


def first_rewritten_op(before: ModuleOp, apply: Callable[[ModuleOp], None]) -> Operation | None:
    """The first op of `before`, in the order of the text, that `apply` changes or erases.

    None if `apply` changes no op. Used where values of ops cannot be compared.
    """
    numbered, changed, originals = _numbered_and_changed(before, apply)
    stand_ins: dict[Attribute, list[Operation]] = {}
    for op in ops_in(changed):
        stand_ins.setdefault(op.location, []).append(op)
    for op, original in originals.items():
        kept = stand_ins.get(op.location, [])
        if op is not numbered and not any(_form(op) == _form(other) for other in kept):
            return original
    return None


def _form(op: Operation) -> object:
    """An op without its regions; its operands are identified by the ops that define them."""
    return (
        op.name,
        op.attributes,
        op.properties,
        op.result_types,
        [_place(operand) for operand in op.operands],
        len(op.successors),
    )


def _place(value: SSAValue) -> object:
    """The origin of a value: the location of its op or block, and its number there."""
    match value:
        case OpResult():
            return value.op.location, value.index
        case BlockArgument():
            around = value.block.parent_op()
            return around and around.location, value.index
        case _:
            return None


def _numbered_and_changed(
    before: ModuleOp, apply: Callable[[ModuleOp], None]
) -> tuple[ModuleOp, ModuleOp, dict[Operation, Operation]]:
    """A copy whose ops have distinct locations, this copy after `apply`, and the original ops.

    The original ops are keyed by the ops of the copy.
    """
    numbered = clone_of(before)
    originals = dict(zip(ops_in(numbered), ops_in(before), strict=True))
    for number, op in enumerate(originals):
        op.location = FileLineColLoc(StringAttr(_MARK), IntAttr(number), IntAttr(0))
    changed = clone_of(numbered)
    apply(changed)
    _locate_new_ops(changed, len(originals))
    return numbered, changed, originals


_MARK = "op"
"""The file name in locations that number ops."""


def _number(op: Operation) -> int | None:
    location = op.location
    if isinstance(location, FileLineColLoc) and location.filename.data == _MARK:
        return location.line.data
    return None


def _locate_new_ops(changed: ModuleOp, count: int) -> None:
    """Gives each op without a location that of the op that it has replaced.

    A pattern that sets no locations inserts new ops between the neighbours of the old op. The last
    new op replaces the last missing op between these neighbours.
    """
    gone = set(range(count)) - {_number(op) for op in ops_in(changed)}
    last, new = 0, list[Operation]()
    for op in [*ops_in(changed), None]:
        number = count if op is None else _number(op)
        if op is not None and number is None:
            if isinstance(op.location, UnknownLoc):
                new.append(op)
            continue
        assert number is not None
        between = [other for other in range(last + 1, number) if other in gone]
        for old, each in zip(reversed(between), reversed(new), strict=False):
            each.location = FileLineColLoc(StringAttr(_MARK), IntAttr(old), IntAttr(0))
        last, new = number, []


def _differs(values: Sequence[Values], candidates: Sequence[Sequence[Values]]) -> bool:
    """Whether some candidates have the shapes of `values`, and none is equal."""
    comparable = [c for c in candidates if _shapes(c) == _shapes(values)]
    return bool(comparable) and not any(_same(values, c) for c in comparable)


def _shapes(values: Sequence[Values]) -> list[list[object]]:
    return [[(array.dtype, array.shape) for array in arrays] for arrays in values]


def _same(first: Sequence[Values], second: Sequence[Values]) -> bool:
    return all(
        same_values(a, b)
        for one, other in zip(first, second, strict=True)
        for a, b in zip(one, other, strict=True)
    )
