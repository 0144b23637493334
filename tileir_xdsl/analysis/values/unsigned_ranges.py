"""The largest value that an integer may have, read as unsigned.

Bounds come from constants, `assume`, the limits of grids and the arithmetic between them. Bounds
show when sums of sizes and coordinates fit in 32 bits.
"""

from collections.abc import Callable, Mapping, Sequence
from math import prod

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, IntAttr, IntegerAttr, IntegerType
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue

from tileir_xdsl.analysis.regions.scopes import function_around
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.element_interfaces import RepeatedElementsOpInterface
from tileir_xdsl.dialects.nv_tileaa.core import cluster_shape
from tileir_xdsl.dialects.nv_tileaa.types import MemRefType, tile_shape
from tileir_xdsl.rewriting import look_up

from .on_demand import FactsOnDemand
from .rotated_loops import Bounds, rotated_bounds

LARGEST_GRID = (2**31 - 1, 2**16 - 1, 2**16 - 1)
"""Blocks of a grid along each axis: CUDA programming guide, technical specifications."""

Bound = Callable[[Operation, Sequence[int], int], int]
"""The largest value of an op's result, given those of its operands and of its type."""


def _constant(op: Operation, operands: Sequence[int], most: int) -> int:
    assert isinstance(op, arith.ConstantOp)
    return op.value.value.data & most if isinstance(op.value, IntegerAttr) else most


def _assume(op: Operation, operands: Sequence[int], most: int) -> int:
    assert isinstance(op, nv_tileaa.AssumeOp)
    predicate = op.predicate
    if not isinstance(predicate, nv_tileaa.BoundedAttr):
        return operands[0]
    lower, upper = predicate.lower, predicate.upper
    if not isinstance(lower, IntAttr) or lower.data < 0:
        return operands[0]
    # Bounds are of signed values (Tile IR spec, 8.12.1).
    stated = upper.data if isinstance(upper, IntAttr) else most >> 1
    return min(operands[0], stated)


def _program_id(op: Operation, operands: Sequence[int], most: int) -> int:
    assert isinstance(op, nv_tileaa.GetProgramIdOp)
    axis, function = op.axis.value.data, function_around(op)
    # The blocks of a cluster follow each other along x, and the grid counts clusters.
    blocks = 1 if function is None or axis else prod(cluster_shape(function))
    return LARGEST_GRID[axis] // blocks - 1


def _cta_id(op: Operation, operands: Sequence[int], most: int) -> int:
    assert isinstance(op, nv_tileaa.GetCtaIdOp)
    function = function_around(op)
    return most if function is None else cluster_shape(function)[op.axis.value.data] - 1


def _program_count(op: Operation, operands: Sequence[int], most: int) -> int:
    assert isinstance(op, nv_tileaa.GetNumProgramsOp)
    return LARGEST_GRID[op.axis.value.data]


def _size(op: Operation, operands: Sequence[int], most: int) -> int:
    assert isinstance(op, nv_tileaa.GetDimSizeOp)
    type, axis, maker = op.source.type, op.axis.value.data, op.source.owner
    assert isinstance(type, MemRefType)
    sizes = type.get_shape()
    if sizes[axis] != DYNAMIC_INDEX:
        return min(sizes[axis], most)
    if isinstance(maker, nv_tileaa.MakeMemRefOp):
        return min(operands[sizes[:axis].count(DYNAMIC_INDEX)], most)
    return most


def _range(op: Operation, operands: Sequence[int], most: int) -> int:
    assert isinstance(op, nv_tileaa.MakeRangeOp)
    (extent,) = tile_shape(op.result.type).shape
    return _exact(operands[0] + extent - 1, most)


def _generated(op: Operation, operands: Sequence[int], most: int) -> int:
    assert isinstance(op, nv_tileas.GenerateOp)
    return tile_shape(op.result.type).shape[0] - 1 if op.is_range else most


def _sum(op: Operation, operands: Sequence[int], most: int) -> int:
    return _exact(operands[0] + operands[1], most)


def _product(op: Operation, operands: Sequence[int], most: int) -> int:
    return _exact(operands[0] * operands[1], most)


def _same(op: Operation, operands: Sequence[int], most: int) -> int:
    return _exact(operands[0], most)


def _sign_extension(op: Operation, operands: Sequence[int], most: int) -> int:
    # A value that may be negative becomes a large one.
    return operands[0] if operands[0] <= _most(op.operands[0]) >> 1 else most


def _quotient(op: Operation, operands: Sequence[int], most: int) -> int:
    """The bound of an unsigned quotient, rounded up or down; only a constant divisor lowers it."""
    divisor = _constant_operand(op.operands[1])
    return operands[0] if divisor is None else -(-operands[0] // divisor)


def _signed_quotient(op: Operation, operands: Sequence[int], most: int) -> int:
    return _quotient(op, operands, most) if max(operands) <= most >> 1 else most


def _remainder(op: Operation, operands: Sequence[int], most: int) -> int:
    return min(operands[0], max(0, operands[1] - 1))


def _signed_remainder(op: Operation, operands: Sequence[int], most: int) -> int:
    return _remainder(op, operands, most) if max(operands) <= most >> 1 else most


def _smaller(op: Operation, operands: Sequence[int], most: int) -> int:
    return min(operands)


def _smaller_signed(op: Operation, operands: Sequence[int], most: int) -> int:
    return min(operands) if max(operands) <= most >> 1 else most


def _larger(op: Operation, operands: Sequence[int], most: int) -> int:
    return max(operands)


def _larger_signed(op: Operation, operands: Sequence[int], most: int) -> int:
    """The bound of a signed maximum: one non-negative operand makes the result non-negative."""
    fitting = [operand for operand in operands if operand <= most >> 1]
    return most if not fitting else max(max(fitting), min(max(operands), most >> 1))


def _selection(op: Operation, operands: Sequence[int], most: int) -> int:
    return max(operands[1:])


BOUNDS: Mapping[type[Operation], Bound] = {
    arith.CeilDivUIOp: _quotient,
    arith.CeilDivSIOp: _signed_quotient,
    arith.ConstantOp: _constant,
    arith.DivSIOp: _signed_quotient,
    arith.DivUIOp: _quotient,
    arith.ExtSIOp: _sign_extension,
    arith.ExtUIOp: _same,
    arith.FloorDivSIOp: _signed_quotient,
    arith.MaxSIOp: _larger_signed,
    arith.MaxUIOp: _larger,
    arith.MinSIOp: _smaller_signed,
    arith.MinUIOp: _smaller,
    arith.MuliOp: _product,
    arith.RemSIOp: _signed_remainder,
    arith.RemUIOp: _remainder,
    arith.SelectOp: _selection,
    nv_tileaa.AddIOp: _sum,
    nv_tileaa.AssumeOp: _assume,
    nv_tileaa.GetCtaIdOp: _cta_id,
    nv_tileaa.GetDimSizeOp: _size,
    nv_tileaa.GetNumProgramsOp: _program_count,
    nv_tileaa.GetProgramIdOp: _program_id,
    nv_tileaa.MakeRangeOp: _range,
    nv_tileas.GenerateOp: _generated,
    nv_tileaa.TruncIOp: _same,
}
"""The function for each op that derives the bound of its result from those of its operands."""


def _bound_of(op: Operation) -> Bound | None:
    bound = look_up(BOUNDS, op)
    return _same if bound is None and isinstance(op, RepeatedElementsOpInterface) else bound


class UnsignedRanges(FactsOnDemand[int]):
    """The largest value that an integer or the elements of a tile may have, as unsigned."""

    def sources(self, value: SSAValue) -> Sequence[SSAValue]:
        """The values that decide the bound of a value."""
        if isinstance(value, BlockArgument):
            loop = _loop_of(value)
            return () if loop is None else (loop.lb, loop.ub)
        assert isinstance(value, OpResult)
        op = value.op
        if isinstance(op, nv_tileaa.GetDimSizeOp):
            maker = op.source.owner
            return tuple(maker.sizes) if isinstance(maker, nv_tileaa.MakeMemRefOp) else ()
        return () if _bound_of(op) is None else tuple(op.operands)

    def fact(self, value: SSAValue) -> int:
        """The bound of a value."""
        most = _most(value)
        if isinstance(value, BlockArgument):
            return self._induction_bound(value, most)
        assert isinstance(value, OpResult)
        bound = _bound_of(value.op)
        if bound is None:
            return most
        return min(most, bound(value.op, [self.known[o] for o in self.sources(value)], most))

    def _induction_bound(self, value: BlockArgument, most: int) -> int:
        """The bound of an induction variable, which stays below its upper bound from 0 on."""
        loop = _loop_of(value)
        if loop is None or self.known[loop.lb] > most >> 1:
            return most
        return max(0, min(self.known[loop.ub], most >> 1) - 1)


def _loop_of(value: BlockArgument) -> scf.ForOp | Bounds | None:
    """The loop whose induction variable a value is, or the bounds of a rotated loop."""
    loop = value.block.parent_op()
    if isinstance(loop, scf.ForOp):
        return loop if value.index == 0 else None
    return rotated_bounds(value)


def _most(value: SSAValue) -> int:
    """The largest unsigned value of a type; 64 bits wide for a type that is not an integer."""
    element = tile_shape(value.type).element
    return (1 << (element.width.data if isinstance(element, IntegerType) else 64)) - 1


def _exact(value: int, most: int) -> int:
    """A bound, or the largest value of the type if the op may wrap around."""
    return value if value <= most else most


def _constant_operand(value: SSAValue) -> int | None:
    """The value of a positive constant."""
    attribute = getattr(value.owner, "value", None)
    if not isinstance(attribute, IntegerAttr) or attribute.value.data <= 0:
        return None
    return attribute.value.data
