"""Linear maps over F2 of the thread index, and of other integers, as instructions."""

from collections.abc import Sequence
from itertools import pairwise

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i32
from xdsl.ir import SSAValue

from tileir_xdsl.dialects.llvm.intrinsics import CtPopOp

from .builder import Index, LLVMBuilder


def exclusive_or(builder: LLVMBuilder, lhs: Index, rhs: Index) -> Index:
    """The exclusive or of two i32, folded where both are known."""
    if isinstance(lhs, int) and isinstance(rhs, int):
        return lhs ^ rhs
    if lhs == 0:
        return rhs
    if rhs == 0:
        return lhs
    return builder.compute(llvm.XOrOp, builder.integer(lhs, i32), builder.integer(rhs, i32))


def linear_map(builder: LLVMBuilder, number: SSAValue, bases: Sequence[int]) -> Index:
    """The exclusive or of the bases whose bits are set in an i32.

    A run of bases that double becomes one mask and one shift, or one multiplication for bases of
    several bits.
    """
    total: Index = 0
    for first, length in _doubling_runs(bases):
        mask = builder.integer(((1 << length) - 1) << first, i32)
        part: Index = builder.compute(llvm.AndOp, number, mask)
        base = bases[first]
        if base & (base - 1) == 0:
            part = _shifted(builder, part, base.bit_length() - 1 - first)
        else:
            common = min(first, (base & -base).bit_length() - 1)
            part = _shifted(builder, part, common - first)
            # Several bits each: one product in place of a shift and an exclusive or for every bit.
            part = builder.multiply(part, base >> common, i32)
        total = exclusive_or(builder, total, part)
    return total


def thread_map(builder: LLVMBuilder, bases: Sequence[int]) -> Index:
    """`linear_map` of the thread's index in its block."""
    return linear_map(builder, builder.thread_index(), bases)


def thread_parity(builder: LLVMBuilder, mask: int) -> SSAValue | None:
    """Whether an odd number of masked bits of the thread index is set; None for an empty mask."""
    if not mask:
        return None
    bits = builder.compute(llvm.AndOp, builder.thread_index(), builder.integer(mask, i32))
    if mask & (mask - 1):
        bits = builder.compute(llvm.AndOp, builder.compute(CtPopOp, bits), builder.integer(1, i32))
    return builder.compare("ne", bits, builder.integer(0, i32))


def exchange(
    builder: LLVMBuilder, values: Sequence[SSAValue], shifts: Sequence[int]
) -> list[SSAValue]:
    """Permutes values in each thread: result `i` of thread `t` is value `i ^ shift(t)`; `shifts`
    are the bases of that map.
    """
    result = list(values)
    for bit in range((len(values) - 1).bit_length()):
        mask = sum(1 << index for index, shift in enumerate(shifts) if shift >> bit & 1)
        condition = thread_parity(builder, mask)
        if condition is not None:
            result = [
                builder.select(condition, result[position ^ 1 << bit], result[position])
                for position in range(len(result))
            ]
    return result


def offset_from(
    builder: LLVMBuilder, threads: Index, bases: Sequence[int], constant: int
) -> tuple[Index, int]:
    """The offset `threads ^ constant` as the sum of a value and a constant.

    `bases` are the bases of `threads`; constant bits that no base has are in the added constant.
    """
    reach = 0
    for base in bases:
        reach |= base
    # Added bits become the immediate of the access, where an exclusive or needs an instruction.
    return exclusive_or(builder, threads, constant & reach), constant & ~reach


def _shifted(builder: LLVMBuilder, value: Index, left: int) -> Index:
    if not left or isinstance(value, int):
        return value << left if isinstance(value, int) and left > 0 else value
    op, count = (llvm.ShlOp, left) if left > 0 else (llvm.LShrOp, -left)
    return builder.compute(op, value, builder.integer(count, i32))


def _doubling_runs(bases: Sequence[int]) -> list[tuple[int, int]]:
    """Runs of bases that double from one to the next: the first bit, and the length of each.

    Sums of the bases of a run cause no carries.
    """
    runs: list[tuple[int, int]] = []
    for bit, base in enumerate(bases):
        if not base:
            continue
        if runs:
            first, length = runs[-1]
            follows = first + length == bit and bases[bit - 1] * 2 == base
            if follows and _is_free_of_carries(bases[first], length + 1):
                runs[-1] = (first, length + 1)
                continue
        runs.append((bit, 1))
    return runs


def _is_free_of_carries(base: int, length: int) -> bool:
    """Whether multiples of a base by numbers of `length` bits are sums without carries."""
    ones = [bit for bit in range(base.bit_length()) if base >> bit & 1]
    return all(high - low >= length for low, high in pairwise(ones))
