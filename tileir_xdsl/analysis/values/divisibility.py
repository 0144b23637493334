"""Divisibility, contiguity and constancy of integers and pointers, dimension by dimension.

The facts decide how wide a memory access may be. All facts are powers of two. For one dimension of
a tile facts hold for every aligned group of consecutive indices along it:

- contiguity n: groups of n hold consecutive integers (pointers: consecutive elements);
- divisibility n: n divides the first member of every such contiguous group (pointers: its address
  in bytes);
- constancy n: groups of n hold equal values.

A scalar has one dimension of extent 1.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntAttr, IntegerAttr
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue

from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.element_interfaces import OrderedElementsOpInterface
from tileir_xdsl.dialects.nv_tileaa.types import PointerType, tile_shape
from tileir_xdsl.rewriting import look_up

from .on_demand import FactsOnDemand

UNBOUNDED = 1 << 62
"""The divisibility of zero, and the largest divisor that an assume may state."""


def power_of_two_divisor(value: int) -> int:
    """The largest power of two that divides a value."""
    return UNBOUNDED if value == 0 else min(value & -value, UNBOUNDED)


@dataclass(frozen=True)
class AxisFacts:
    """The facts about a value, one entry a dimension; `constant` if all elements equal it."""

    contiguity: tuple[int, ...]
    divisibility: tuple[int, ...]
    constancy: tuple[int, ...]
    constant: int | None = None

    def divisibility_of_groups(self, dim: int, size: int) -> int:
        """The divisor of the first members of groups of `size`, at most the contiguity."""
        divisor = self.divisibility[dim]
        return divisor if size >= self.contiguity[dim] else min(divisor, size)


def scalar_facts(divisibility: int = 1, constant: int | None = None) -> AxisFacts:
    """The facts of a scalar."""
    return AxisFacts((1,), (divisibility,), (1,), constant)


def unknown_facts(shape: tuple[int, ...]) -> AxisFacts:
    """The facts of a value of which nothing is known."""
    ones = (1,) * max(1, len(shape))
    return AxisFacts(ones, ones, ones)


def element_bytes(type: Attribute) -> int:
    """The bytes that one element of a type takes in memory; pointers take 8, tf32 4, i1 takes 1.

    Raises:
        ValueError: the type has no size in memory.
    """
    if isinstance(type, PointerType):
        return 8
    width = getattr(type, "bitwidth", None)
    if width is None:
        raise ValueError(f"no size in memory is known for {type}")
    return max(1, (1 << (width - 1).bit_length()) // 8)


class DivisibilityAnalysis(FactsOnDemand[AxisFacts]):
    """The facts of integers and pointers, scalar or tensor; results of unknown ops have none."""

    def sources(self, value: SSAValue) -> Sequence[SSAValue]:
        """The values that decide the facts of a value."""
        if (loop := _loop_counted_by(value)) is not None:
            return (loop.lb, loop.step)
        if isinstance(value, OpResult) and _transfer_of(value.op) is not None:
            return value.op.operands
        return ()

    def fact(self, value: SSAValue) -> AxisFacts:
        """The facts of a value."""
        if (loop := _loop_counted_by(value)) is not None:
            start, step = (self.known[bound].divisibility[0] for bound in (loop.lb, loop.step))
            return scalar_facts(min(start, step))
        transfer = _transfer_of(value.op) if isinstance(value, OpResult) else None
        if transfer is None:
            return unknown_facts(tile_shape(value.type).shape)
        assert isinstance(value, OpResult)
        return transfer(value.op, [self.known[operand] for operand in value.op.operands])


def _loop_counted_by(value: SSAValue) -> scf.ForOp | None:
    """The loop whose induction variable a value is."""
    if not isinstance(value, BlockArgument) or value.index:
        return None
    loop = value.owner.parent_op()
    return loop if isinstance(loop, scf.ForOp) else None


Transfer = Callable[[Operation, list[AxisFacts]], AxisFacts]


def _constant(op: Operation, operands: list[AxisFacts]) -> AxisFacts:
    assert isinstance(op, arith.ConstantOp)
    if isinstance(op.value, IntegerAttr):
        value = op.value.value.data
        return scalar_facts(power_of_two_divisor(value), value)
    return unknown_facts(tile_shape(op.result.type).shape)


def _assume(op: Operation, operands: list[AxisFacts]) -> AxisFacts:
    assert isinstance(op, nv_tileaa.AssumeOp)
    facts, predicate = operands[0], op.predicate
    if isinstance(predicate, nv_tileaa.SameElementsAttr):
        lengths = (power_of_two_divisor(length.data) for length in predicate.lengths)
        constancy = tuple(map(max, facts.constancy, lengths))
        return AxisFacts(facts.contiguity, facts.divisibility, constancy, facts.constant)
    if not isinstance(predicate, nv_tileaa.DivByAttr):
        return facts
    divisor = predicate.divisor.data
    contiguity = list(facts.contiguity)
    if isinstance(predicate.every, IntAttr) and isinstance(predicate.along, IntAttr):
        every, along = power_of_two_divisor(predicate.every.data), predicate.along.data
        contiguity[along] = max(contiguity[along], every)
    divisibility = tuple(max(known, divisor) for known in facts.divisibility)
    return AxisFacts(tuple(contiguity), divisibility, facts.constancy, facts.constant)


def _make_range(op: Operation, operands: list[AxisFacts]) -> AxisFacts:
    (extent,) = tile_shape(op.results[0].type).shape
    return AxisFacts((extent,), (operands[0].divisibility[0],), (1,))


def _generated(op: Operation, operands: list[AxisFacts]) -> AxisFacts:
    assert isinstance(op, nv_tileas.GenerateOp)
    shape = tile_shape(op.result.type).shape
    # The first element of a range is 0.
    return AxisFacts(shape, (UNBOUNDED,), (1,)) if op.is_range else unknown_facts(shape)


def _splat(op: Operation, operands: list[AxisFacts]) -> AxisFacts:
    shape = tile_shape(op.results[0].type).shape
    divisibility = operands[0].divisibility[0]
    return AxisFacts((1,) * len(shape), (divisibility,) * len(shape), shape, operands[0].constant)


def _view(op: Operation, operands: list[AxisFacts]) -> AxisFacts:
    """The facts of a view that adds or drops dimensions of extent 1; other views have none."""
    source = tile_shape(op.operands[0].type).shape
    result = tile_shape(op.results[0].type).shape
    kept = [dim for dim, extent in enumerate(source) if extent != 1]
    if [source[dim] for dim in kept] != [extent for extent in result if extent != 1]:
        return unknown_facts(result)
    facts, remaining = operands[0], iter(kept)
    dims = [None if extent == 1 else next(remaining) for extent in result]
    return AxisFacts(
        tuple(1 if dim is None else facts.contiguity[dim] for dim in dims),
        tuple(1 if dim is None else facts.divisibility[dim] for dim in dims),
        tuple(1 if dim is None else facts.constancy[dim] for dim in dims),
        facts.constant,
    )


def _broadcast(op: Operation, operands: list[AxisFacts]) -> AxisFacts:
    source = tile_shape(op.operands[0].type).shape
    result = tile_shape(op.results[0].type).shape
    facts = operands[0]
    repeated = [before != after for before, after in zip(source, result, strict=True)]
    return AxisFacts(
        tuple(1 if new else known for new, known in zip(repeated, facts.contiguity, strict=True)),
        facts.divisibility,
        tuple(
            extent if new else known
            for new, extent, known in zip(repeated, result, facts.constancy, strict=True)
        ),
        facts.constant,
    )


def _extension(op: Operation, operands: list[AxisFacts]) -> AxisFacts:
    """The facts of an extension: an aligned group never crosses the wrap of the narrow type."""
    facts = operands[0]
    contiguity = tuple(map(min, facts.contiguity, facts.divisibility))
    dims = range(len(contiguity))
    divisibility = tuple(facts.divisibility_of_groups(dim, contiguity[dim]) for dim in dims)
    return AxisFacts(contiguity, divisibility, facts.constancy, facts.constant)


def _add_scaled(lhs: AxisFacts, rhs: AxisFacts, scale: int) -> AxisFacts:
    """`lhs + scale * rhs`, where one step of contiguity of the sum is one step of `rhs`."""
    contiguity: list[int] = []
    divisibility: list[int] = []
    for dim in range(len(lhs.contiguity)):
        size = min(rhs.contiguity[dim], lhs.constancy[dim])
        contiguity.append(size)
        rhs_divisor = min(rhs.divisibility_of_groups(dim, size) * scale, UNBOUNDED)
        divisibility.append(min(lhs.divisibility[dim], rhs_divisor))
    return AxisFacts(
        tuple(contiguity), tuple(divisibility), tuple(map(min, lhs.constancy, rhs.constancy))
    )


def _add(op: Operation, operands: list[AxisFacts]) -> AxisFacts:
    lhs, rhs = operands
    one, other = _add_scaled(lhs, rhs, 1), _add_scaled(rhs, lhs, 1)
    return one if max(one.contiguity) >= max(other.contiguity) else other


def _multiply(op: Operation, operands: list[AxisFacts]) -> AxisFacts:
    lhs, rhs = operands
    if rhs.constant == 1:
        return lhs
    if lhs.constant == 1:
        return rhs
    divisibility = tuple(
        min(lhs.divisibility_of_groups(dim, 1) * rhs.divisibility_of_groups(dim, 1), UNBOUNDED)
        for dim in range(len(lhs.contiguity))
    )
    constancy = tuple(map(min, lhs.constancy, rhs.constancy))
    return AxisFacts((1,) * len(divisibility), divisibility, constancy)


def _add_pointer(op: Operation, operands: list[AxisFacts]) -> AxisFacts:
    pointer = tile_shape(op.operands[0].type).element
    assert isinstance(pointer, PointerType)
    return _add_scaled(operands[0], operands[1], element_bytes(pointer.pointee))


def _compare(op: Operation, operands: list[AxisFacts]) -> AxisFacts:
    """The facts of a comparison. Groups compare alike with a bound that is a multiple of their
    size.
    """
    lhs, rhs = operands
    constancy: list[int] = []
    for dim in range(len(lhs.contiguity)):
        sizes = [min(lhs.constancy[dim], rhs.constancy[dim])]
        for moving, bound in ((lhs, rhs), (rhs, lhs)):
            size = min(
                moving.contiguity[dim],
                moving.divisibility[dim],
                bound.constancy[dim],
                bound.divisibility[dim],
            )
            if _is_strict_below(op, moving is lhs):
                sizes.append(size)
        constancy.append(max(sizes))
    ones = (1,) * len(constancy)
    return AxisFacts(ones, ones, tuple(constancy))


def _is_strict_below(op: Operation, moving_is_lhs: bool) -> bool:
    """Whether a comparison has the form `moving < bound` or its negation."""
    assert isinstance(op, arith.CmpiOp)
    predicate = arith.CMPI_COMPARISON_OPERATIONS[op.predicate.value.data]
    forms = ("slt", "sge", "ult", "uge") if moving_is_lhs else ("sgt", "sle", "ugt", "ule")
    return predicate in forms


def _bitwise(op: Operation, operands: list[AxisFacts]) -> AxisFacts:
    """The facts of a bitwise op: the result is constant in groups where both operands are."""
    ones = (1,) * len(operands[0].constancy)
    pairs = zip(*(facts.constancy for facts in operands), strict=True)
    return AxisFacts(ones, ones, tuple(map(min, pairs)))


TRANSFER: dict[type[Operation], Transfer] = {
    arith.AddiOp: _add,
    arith.AndIOp: _bitwise,
    arith.ConstantOp: _constant,
    arith.MuliOp: _multiply,
    arith.OrIOp: _bitwise,
    nv_tileaa.AddIOp: _add,
    nv_tileaa.AddPtrOp: _add_pointer,
    nv_tileaa.AssumeOp: _assume,
    nv_tileaa.BroadcastOp: _broadcast,
    arith.CmpiOp: _compare,
    arith.ExtSIOp: _extension,
    arith.ExtUIOp: _extension,
    nv_tileaa.MakeRangeOp: _make_range,
    nv_tileaa.SplatOp: _splat,
    nv_tileas.GenerateOp: _generated,
}
"""The function for each op that derives the facts of its results from those of its operands."""


def _transfer_of(op: Operation) -> Transfer | None:
    """The function that derives the facts of an op's results; None where nothing is known."""
    transfer = look_up(TRANSFER, op)
    return _view if transfer is None and isinstance(op, OrderedElementsOpInterface) else transfer
