"""Integer comparisons, shared between the registers of a thread.

Registers whose elements are known to compare equally share one comparison. For example,
neighbouring positions in a row compare equally with a length that is a multiple of their number. If
registers differ by constants, the first one's difference to the other operand is computed once and
compared with constants. Bounds checks of accesses use the same differences, so that comparisons are
shared. Operands that were extended to 64 bits, such as positions in the mask of a gather, are
compared in 32 bits.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import IntegerType, i32, i64
from xdsl.ir import SSAValue

from tileir_xdsl.analysis.layouts.tile_layouts import layout_of
from tileir_xdsl.analysis.values.divisibility import DivisibilityAnalysis
from tileir_xdsl.analysis.values.unsigned_ranges import UnsignedRanges
from tileir_xdsl.layout.linear import element_coordinate

from ..thread.builder import ICMP_PREDICATES, LLVMBuilder
from ..thread.constants import known_integer
from ..thread.elementwise import element_of
from ..thread.patterns import LowerOp
from ..thread.program import ThreadRewriter

DEPTH = 3
"""The maximal depth of the search for constants in sums: positions in a tile, block and range."""


class LowerCompare(LowerOp[arith.CmpiOp]):
    """Lowers a comparison of tiles or scalars."""

    def lower(self, op: arith.CmpiOp, rewriter: ThreadRewriter) -> None:
        pairs = [rewriter.registers(operand) for operand in op.operands]
        count = max(map(len, pairs))
        # A scalar or splat has one register for all elements.
        lhs, rhs = (values if len(values) == count else values * count for values in pairs)
        groups = _groups(op) or tuple((register,) for register in range(count))
        representatives = {group: groups.index(group) for group in groups}
        distances = _distances(op, lhs, rhs)
        # One constant only would add a subtraction and save nothing.
        if distances is not None and distances.pays(representatives.values()):
            compared = {
                group: distances.compare(op, register, rewriter.builder)
                for group, register in representatives.items()
            }
        else:
            predicate = ICMP_PREDICATES[op.predicate.value.data]
            compared = {
                group: compare(rewriter.builder, predicate, lhs[register], rhs[register])
                for group, register in representatives.items()
            }
        rewriter.replace(op.result, tuple(compared[group] for group in groups))


def compare(builder: LLVMBuilder, predicate: str, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """Compares two registers, in 32 bits if both were extended from 32 bits.

    A comparison of 64 bits needs two instructions. Sign extension preserves signed and unsigned
    order; zero extension preserves unsigned order, which signed predicates then also use.
    """
    for extension in (llvm.SExtOp, llvm.ZExtOp):
        words = [_word(builder, value, extension) for value in (lhs, rhs)]
        if None not in words and any(known_integer(value) is None for value in (lhs, rhs)):
            kept = predicate if extension is llvm.SExtOp else predicate.replace("s", "u")
            return builder.compare(kept, *(word for word in words if word is not None))
    return builder.compare(predicate, lhs, rhs)


def _word(
    builder: LLVMBuilder, value: SSAValue, extension: type[llvm.SExtOp] | type[llvm.ZExtOp]
) -> SSAValue | None:
    """The 32-bit value from which a 64-bit value was extended; for a constant, the constant if it
    fits.
    """
    if value.type != i64:
        return None
    if (known := known_integer(value)) is not None:
        least = -(1 << 31) if extension is llvm.SExtOp else 0
        return builder.integer(known, i32) if least <= known < least + (1 << 32) else None
    owner = value.owner
    return owner.arg if isinstance(owner, extension) and owner.arg.type == i32 else None


def _groups(op: arith.CmpiOp) -> tuple[tuple[int, ...], ...]:
    """For each register, the first element of its group of equal comparisons; empty for a
    scalar.
    """
    layout = layout_of(op, op.result)
    if layout is None:
        return ()
    constancy = DivisibilityAnalysis().of(op.result).constancy
    return tuple(
        tuple(
            position & -equal
            for position, equal in zip(
                element_coordinate(element, layout.shape), constancy, strict=True
            )
        )
        for element in layout.register_elements()
    )


@dataclass(frozen=True)
class Distances:
    """Left minus right operands: the difference of `first` and `second`, plus a constant of each
    register.
    """

    first: SSAValue
    second: SSAValue
    constants: tuple[int, ...]

    def pays(self, registers: Iterable[int]) -> bool:
        """Whether registers have several constants, so that the common difference saves
        instructions.
        """
        return len({self.constants[register] for register in registers}) > 1

    def compare(self, op: arith.CmpiOp, register: int, builder: LLVMBuilder) -> SSAValue:
        """Compares one register; distances of non-negative numbers are signed."""
        type = element_of(op.lhs)
        assert isinstance(type, IntegerType)
        # Distances of numbers below half of the range are signed, whatever the predicate.
        predicate = ICMP_PREDICATES[op.predicate.value.data].replace("u", "s")
        distance = builder.subtract(self.first, self.second, type)
        values = (builder.integer(each, type) for each in (distance, -self.constants[register]))
        return builder.compare(predicate, *values)


def _distances(
    op: arith.CmpiOp, lhs: Sequence[SSAValue], rhs: Sequence[SSAValue]
) -> Distances | None:
    """The distances, if operands are never negative and registers differ by constants; otherwise
    None.
    """
    ranges, type = UnsignedRanges(), element_of(op.lhs)
    if not isinstance(type, IntegerType) or len(lhs) == 1:
        return None
    # A difference of such numbers may wrap around.
    if any(ranges.of(operand) >= 1 << (type.width.data - 1) for operand in op.operands):
        return None
    left, right = _constants(lhs), _constants(rhs)
    if left is None or right is None:
        return None
    constants = tuple(a - b for a, b in zip(left, right, strict=True))
    return Distances(lhs[0], rhs[0], constants)


def _constants(registers: Sequence[SSAValue]) -> Sequence[int] | None:
    """The differences of the other registers to the first; None unless all are constant."""
    (terms, first), *others = map(_parts, registers)
    # As sequences: the same sum in another order is taken for a different one.
    if any(other != terms for other, _ in others):
        return None
    return [0, *(constant - first for _, constant in others)]


def _parts(value: SSAValue, depth: int = DEPTH) -> tuple[tuple[SSAValue, ...], int]:
    """The unknown terms of a sum, and the sum of the constant terms."""
    if (known := known_integer(value)) is not None:
        return (), known
    if depth == 0 or not isinstance(value.owner, llvm.AddOp):
        return (value,), 0
    (left, low), (right, high) = (_parts(each, depth - 1) for each in value.owner.operands)
    return left + right, low + high
