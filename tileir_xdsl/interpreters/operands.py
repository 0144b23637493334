"""The values of an op's operands by their names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.ir import Operation, SSAValue


class Operands:
    """The values of the operands of an op, looked up by operand: `operands[op.mask]`."""

    def __init__(self, op: Operation, values: Sequence[Any]):
        self._values = dict(zip(op.operands, values, strict=True))

    def __getitem__(self, operand: SSAValue) -> Any:
        return self._values[operand]

    def optional(self, operand: SSAValue | None) -> Any:
        """The value of an optional operand, None if it is absent."""
        return None if operand is None else self._values[operand]

    def several(self, operands: Sequence[SSAValue]) -> list[Any]:
        """The values of a variadic operand."""
        return [self._values[operand] for operand in operands]
