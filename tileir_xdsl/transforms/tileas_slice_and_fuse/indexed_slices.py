"""Loops that extract slices of register tiles by their induction variable, to be unrolled.

    scf.for %i = %c0 to %c4 step %c1 { %s = extract_slice %t[%zero, %i] .. }

Registers have no addresses. A slice whose index is only known at run time is staged in shared
memory: every iteration writes the whole tile and reads the slice. Such a loop gets a `sliceCount`
equal to its iterations. Then `tileas-slicing` unrolls the loop, and folds replace each slice by its
registers.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, TensorType, i32
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.analysis.values.divisibility import element_bytes
from tileir_xdsl.analysis.values.tile_chains import constant_index
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileaa.types import PointerType, tile_shape
from tileir_xdsl.transforms.tileas_slicing.partition import Range
from tileir_xdsl.walking import ops_in

SLICE_COUNT = "sliceCount"
SCALAR_ARITHMETIC = (arith.AddiOp, arith.MuliOp, arith.SubiOp, nv_tileaa.AddIOp)
"""The scalar ops through which indices are traced to induction variables."""
IndexedSlice = nv_tileaa.ExtractSliceOp | nv_tileaa.InsertSliceOp

MOST_WORK = 512
"""The most elements that a thread computes in all iterations of an unrolled loop."""


@dataclass(frozen=True)
class IndexedLoop:
    """A loop that extracts slices by its induction variable.

    Attributes:
        trips: its iterations.
        staged_bytes: the largest tile that a slice is taken of, as it would be in shared memory.
        work: the elements that a thread computes in one iteration, at most.
    """

    trips: int
    staged_bytes: int
    work: int

    @property
    def pays(self) -> bool:
        """Whether unrolling the loop is worth the size of the code."""
        return self.trips * self.work <= MOST_WORK

    @property
    def attributes(self) -> Mapping[str, Attribute]:
        """The attributes to set on the loop."""
        return {SLICE_COUNT: IntegerAttr(self.trips, i32)}


def indexed_loops(function: nv_tileaa.FuncOp, threads: int) -> dict[scf.ForOp, IndexedLoop]:
    """The loops of a function with constant bounds that extract slices by their induction
    variable.
    """
    loops: dict[scf.ForOp, list[IndexedSlice]] = {}
    for op in ops_in(function):
        if isinstance(op, IndexedSlice):
            for loop in _loops_of(op):
                loops.setdefault(loop, []).append(op)
    found: dict[scf.ForOp, IndexedLoop] = {}
    for loop, slices in loops.items():
        bounds = [constant_index(value) for value in (loop.lb, loop.ub, loop.step)]
        lower, upper, step = bounds
        if (
            lower is None
            or upper is None
            or step is None
            or step < 1
            or SLICE_COUNT in loop.attributes
        ):
            continue
        trips = Range(lower, upper, step).trips
        if trips > 1:
            staged = max(_bytes(_whole(op)) for op in slices)
            found[loop] = IndexedLoop(trips, staged, _work(loop, threads))
    return found


def _whole(op: IndexedSlice) -> SSAValue:
    return op.source if isinstance(op, nv_tileaa.ExtractSliceOp) else op.destination


def _loops_of(op: IndexedSlice) -> Iterator[scf.ForOp]:
    """The loops whose induction variables determine the index of a slice; none if other values do,
    too.
    """
    part = op.result if isinstance(op, nv_tileaa.ExtractSliceOp) else op.source
    shapes = zip(tile_shape(_whole(op).type).shape, tile_shape(part.type).shape, strict=True)
    variables: set[SSAValue] = set()
    for index, (extent, size) in zip(op.indices, shapes, strict=True):
        if extent != size and not _collect(index, variables):
            return
    for variable in variables:
        loop = variable.owner.parent_op()
        assert isinstance(loop, scf.ForOp)
        yield loop


def _collect(index: SSAValue, variables: set[SSAValue], depth: int = 8) -> bool:
    """Whether an index depends on constants and induction variables alone; adds these to
    `variables`.
    """
    owner = index.owner
    if isinstance(owner, arith.ConstantOp):
        return True
    if not isinstance(owner, Operation):
        loop = owner.parent_op()
        if isinstance(loop, scf.ForOp) and owner.args[0] is index:
            variables.add(index)
            return True
        return False
    # Bounds the walk; no index of a program is computed in so many steps.
    return (
        depth > 0
        and isinstance(owner, SCALAR_ARITHMETIC)
        and all(_collect(operand, variables, depth - 1) for operand in owner.operands)
    )


def _elements(value: SSAValue) -> int:
    return prod(tile_shape(value.type).shape) if isinstance(value.type, TensorType) else 1


def _bytes(value: SSAValue) -> int:
    element = tile_shape(value.type).element
    return _elements(value) * (8 if isinstance(element, PointerType) else element_bytes(element))


def _work(loop: scf.ForOp, threads: int) -> int:
    """The elements that a thread computes in an iteration, without extracted and inserted
    slices.
    """
    return sum(
        -(-_elements(result) // threads)
        for op in ops_in(loop.body)
        if not isinstance(op, IndexedSlice)
        for result in op.results
    )
