"""Names for ops, in reports and in options."""

from collections.abc import Callable
from functools import cached_property

from xdsl.ir import Operation

from tileir_xdsl.walking import ops_in

MOST_LISTED = 16
"""The most ops that a diagnostic lists."""


def any_operation(_op: Operation) -> bool:
    """Accepts every op: each one has a choice."""
    return True


class OperationLabels:
    """Numbers the ops of a function in program order; the first op inside gets 0.

    Labels are made before a pass changes anything, so that they number the pass's input. Numbers
    are computed at first use, since most runs have no report.
    """

    def __init__(self, function: Operation) -> None:
        self._ops = ops_in(function)[1:]

    @cached_property
    def _numbers(self) -> dict[Operation, int]:
        return {op: number for number, op in enumerate(self._ops)}

    def number(self, op: Operation) -> int:
        """The number of an op that existed when the labels were made."""
        return self._numbers[op]

    def label(self, op: Operation) -> str:
        """The number and the name of an op, and the names of its results, if any.

        `#4 nv_tileas.tiled_load %tile`.
        """
        names = [f"%{result.name_hint}" for result in op.results if result.name_hint]
        return " ".join((f"#{self.number(op)}", op.name, *names))

    def find(self, number: int) -> Operation | None:
        """The op with a number; None if no op has it."""
        return self._ops[number] if 0 <= number < len(self._ops) else None

    def expected(self, has_choice: Callable[[Operation], bool] = any_operation) -> str:
        """The end of a diagnostic: the ops that could have been named, with numbers."""
        labels = [self.label(op) for op in self._ops if has_choice(op)]
        if not labels:
            return "and no op of it has a choice"
        rest = len(labels) - MOST_LISTED
        more = f" and {rest} more" if rest > 0 else ""
        return f"expected one of {', '.join(labels[:MOST_LISTED])}{more}"
