"""Square matrices of registers, transposed by shuffles."""

from collections.abc import Sequence

from xdsl.ir import SSAValue

from tileir_xdsl.builders.llvm_code import LLVMCode


def transpose(code: LLVMCode, rows: Sequence[SSAValue]) -> list[SSAValue]:
    """The columns of a square matrix whose rows are vectors, by `log2` perfect shuffles.

    Each shuffle interleaves the lanes of rows that are half the matrix apart.
    """
    side = len(rows)
    low = [lane // 2 + side * (lane % 2) for lane in range(side)]
    high = [lane + side // 2 for lane in low]
    values, reach = [*rows], side
    while reach > 1:
        halves = zip(values[: side // 2], values[side // 2 :], strict=True)
        values = [
            code.shuffle(first, second, lanes) for first, second in halves for lanes in (low, high)
        ]
        reach //= 2
    return values
