"""Names for ops in reports, by which options can refer to them too."""

from xdsl.ir import Operation


class OperationLabels:
    """Numbers the ops of one function in the order of the program, from 0 for the first inside.

    Made before a pass changes anything, so that the numbers are those of its input.
    """

    def __init__(self, function: Operation) -> None:
        inside = (op for op in function.walk() if op is not function)
        self._numbers = {op: number for number, op in enumerate(inside)}

    def number(self, op: Operation) -> int:
        """The number of an op that was there when the labels were made."""
        return self._numbers[op]

    def label(self, op: Operation) -> str:
        """The number, the name and, where they have them, the names of the results of an op.

        `#4 nv_tileas.tiled_load %tile`.
        """
        names = [f"%{result.name_hint}" for result in op.results if result.name_hint]
        return " ".join((f"#{self.number(op)}", op.name, *names))

    def find(self, number: int) -> Operation | None:
        """The op with a number; None if there is none."""
        return next((op for op, known in self._numbers.items() if known == number), None)
