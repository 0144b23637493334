"""Reductions of a nest, with partial results in vectors, in the order of `tilecpu.reduce`.

Along the last dimension, partial results are lanes of vectors that the loop carries. A loop along
another dimension is inside the loop over the last dimension. In that case partial results are on
the stack, in rows of a vector each.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import llvm
from xdsl.dialects.builtin import AnyFloat, i32
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.analysis.iteration_space.index_maps import Index, Term, strides_of
from tileir_xdsl.builders.llvm_code import lanes_of, vector_of
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import tilecpu
from tileir_xdsl.dialects.tilecpu.types import ALIGNMENT, BufferType, element_bytes

from .bodies import Body, Version, loop_over
from .combining import commutative_op, identity_of
from .elementwise import llvm_element
from .memory import store_elements
from .ordered_keys import combined_keys, float_of, has_keys, key_of, losing_key
from .reduction_tree import Values, fold_halves, partial_results

Vectors = list[list[SSAValue]]
"""For each operand of a reduction, the vectors of its partial results."""


@dataclass(frozen=True)
class Reduction:
    """One reduction of a nest."""

    op: tilecpu.ReduceOp
    combining: Operation | None
    """The only op of the body, if it is commutative."""

    @property
    def keyed(self) -> Operation | None:
        """The op of a reduction whose partial results are keys (`ordered_keys.py`)."""
        op = self.combining
        return op if op is not None and has_keys(op) else None

    @property
    def elements(self) -> list[Attribute]:
        """The types of the operands in registers."""
        found = [llvm_element(value.type) for value in self.op.inputs]
        return [element for element in found if element is not None]

    @property
    def partial_types(self) -> list[Attribute]:
        """The types of partial results."""
        return self.elements if self.keyed is None else [i32]

    @property
    def identity(self) -> float:
        """The initial partial result, before any element."""
        assert self.combining is not None
        return identity_of(self.combining) if self.keyed is None else losing_key(self.combining)


def reductions_in(nest: tilecpu.NestOp) -> list[Reduction]:
    """The reductions of a nest, all along one dimension. Raises `PassFailedException`."""
    found = [
        Reduction(op, commutative_op(op.body.block))
        for op in nest.body.block.ops
        if isinstance(op, tilecpu.ReduceOp)
    ]
    for reduction in found[1:]:
        if reduction.op.axis != found[0].op.axis:
            fail(
                reduction.op, f"expects all reductions of a nest along dimension {found[0].op.axis}"
            )
    return found


def combine_with(version: Version, reduction: Reduction) -> Callable[[Values, Values], Values]:
    """The body of a reduction as a function, on scalars or vectors."""
    block = reduction.op.body.block

    def combine(earlier: Values, later: Values) -> Values:
        lanes = lanes_of(earlier[0].type)
        body = Body(version, (), lanes)
        pairs = zip(earlier, later, strict=True)
        for argument, value in zip(
            block.args, (each for pair in pairs for each in pair), strict=True
        ):
            body.values[argument] = value
        last = block.last_op
        assert last is not None
        for op in block.ops:
            if op is not last:
                body.emit(op)
        return [body.vector(value) for value in last.operands]

    return combine


def _combine(version: Version, reduction: Reduction) -> Callable[[Values, Values], Values]:
    """The function that combines partial results."""
    op = reduction.keyed
    if op is None:
        return combine_with(version, reduction)
    code = version.kernel.code
    return lambda earlier, later: [combined_keys(code, op, earlier[0], later[0])]


def _taken(body: Body, reduction: Reduction) -> Values:
    """The elements that a reduction combines, as partial results."""
    op, values = reduction.keyed, [body.vector(value) for value in reduction.op.inputs]
    return values if op is None else [key_of(body.kernel.code, op, value) for value in values]


def emit_reductions(version: Version, reductions: Sequence[Reduction]) -> None:
    """Emits a nest with reductions."""
    nest = version.nest
    extents = nest.get_extents()
    axis, last = reductions[0].op.axis, len(extents) - 1
    keeps_order = any(reduction.combining is None for reduction in reductions)
    outer = [dim for dim in range(last + 1) if dim != axis]
    if axis != last:
        lanes = None if nest.lanes == 1 else nest.lanes
        write = _in_order if keeps_order else _in_rows
        loop_over(version, outer, lanes, lambda at: write(version, reductions, at, lanes))
        return
    if keeps_order:
        loop_over(version, outer, None, lambda at: _in_order(version, reductions, at, None))
        return
    lanes = min(nest.lanes, partial_results(extents[axis]))
    loop_over(version, outer, None, lambda at: _in_lanes(version, reductions, at, lanes))


def _indices(at: Mapping[int, SSAValue], axis: int, index: SSAValue) -> list[SSAValue]:
    every = {**at, axis: index}
    return [every[dim] for dim in sorted(every)]


def _in_lanes(
    version: Version, reductions: Sequence[Reduction], at: Mapping[int, SSAValue], lanes: int
) -> None:
    """Reduces along the last dimension."""
    code, axis = version.kernel.code, reductions[0].op.axis
    extent = version.nest.get_extents()[axis]
    count = partial_results(extent)
    width = None if lanes == 1 else lanes
    parts = count // lanes
    initial = [
        code.constant(_number(reduction.identity, element), vector_of(element, width))
        for reduction in reductions
        for element in reduction.partial_types
        for _ in range(parts)
    ]

    def step(first: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
        accumulators = list(carried)
        for part in range(parts):
            index = code.plus(first, code.integer(part * lanes)) if part else first
            body = version.body(_indices(at, axis, index), width)
            start = 0
            for reduction in reductions:
                slots = range(start + part, start + part + parts * len(reduction.elements), parts)
                earlier = [accumulators[slot] for slot in slots]
                combined = _combine(version, reduction)(earlier, _taken(body, reduction))
                for slot, value in zip(slots, combined, strict=True):
                    accumulators[slot] = value
                start += parts * len(reduction.elements)
        return accumulators

    zero, end = code.integer(0), code.integer(extent)
    if extent == count:
        results: Sequence[SSAValue] = step(zero, initial)
    else:
        results = code.loop(zero, end, code.integer(count), initial, step, runs=True)
    start = 0
    for reduction in reductions:
        partials: Vectors = []
        for _ in reduction.elements:
            partials.append(list(results[start : start + parts]))
            start += parts
        scalars = fold_halves(code, partials, _combine(version, reduction))
        _store_results(version, reduction, at, _left(version, reduction, scalars), None)


def _left(version: Version, reduction: Reduction, partials: Values) -> Values:
    """Converts partial results to elements: keys to their floats."""
    code = version.kernel.code
    return partials if reduction.keyed is None else [float_of(code, key) for key in partials]


def _in_rows(
    version: Version,
    reductions: Sequence[Reduction],
    at: Mapping[int, SSAValue],
    lanes: int | None,
) -> None:
    """Reduces along a dimension that is not the last, for a vector of columns."""
    code, axis = version.kernel.code, reductions[0].op.axis
    extent = version.nest.get_extents()[axis]
    count = partial_results(extent)
    rows = [_Rows(version, reduction, count, lanes) for reduction in reductions]

    def first(index: SSAValue, _carried: Sequence[SSAValue]) -> list[SSAValue]:
        body = version.body(_indices(at, axis, index), lanes)
        for reduction, row in zip(reductions, rows, strict=True):
            row.store(index, _taken(body, reduction))
        return []

    def further(index: SSAValue, _carried: Sequence[SSAValue]) -> list[SSAValue]:
        body = version.body(_indices(at, axis, index), lanes)
        slot = code.add(llvm.AndOp(index, code.integer(count - 1)))
        for reduction, row in zip(reductions, rows, strict=True):
            combined = _combine(version, reduction)(row.load(slot), _taken(body, reduction))
            row.store(slot, combined)
        return []

    zero, one = code.integer(0), code.integer(1)
    code.loop(zero, code.integer(count), one, [], first, runs=True)
    if extent > count:
        code.loop(code.integer(count), code.integer(extent), one, [], further, runs=True)
    for reduction, row in zip(reductions, rows, strict=True):
        row.fold(count, _combine(version, reduction))
        _store_results(version, reduction, at, _left(version, reduction, row.load(zero)), lanes)


class _Rows:
    """Partial results on the stack: `count` vectors for each operand."""

    def __init__(self, version: Version, reduction: Reduction, count: int, lanes: int | None):
        self._code = version.kernel.code
        self._types = [vector_of(element, lanes) for element in reduction.partial_types]
        self._bytes = [element_bytes(element) * (lanes or 1) for element in reduction.partial_types]
        self._memory = [version.kernel.stack(size * count) for size in self._bytes]

    def _pointers(self, row: SSAValue) -> list[SSAValue]:
        code = self._code
        pairs = zip(self._memory, self._bytes, strict=True)
        return [code.offset(base, code.times(row, code.integer(size))) for base, size in pairs]

    def load(self, row: SSAValue) -> Values:
        triples = zip(self._pointers(row), self._types, self._bytes, strict=True)
        return [self._code.load(at, kind, min(ALIGNMENT, size)) for at, kind, size in triples]

    def store(self, row: SSAValue, values: Values) -> None:
        for pointer, value, size in zip(self._pointers(row), values, self._bytes, strict=True):
            self._code.store(value, pointer, min(ALIGNMENT, size))

    def fold(self, count: int, combine: Callable[[Values, Values], Values]) -> None:
        """Combines the rows, half with half, until one row is left."""
        code, half = self._code, count // 2
        while half:
            distance = code.integer(half)

            def step(
                row: SSAValue, _carried: Sequence[SSAValue], by: SSAValue = distance
            ) -> Values:
                self.store(row, combine(self.load(row), self.load(code.plus(row, by))))
                return []

            code.loop(code.integer(0), distance, code.integer(1), [], step, runs=True)
            half //= 2


def _in_order(
    version: Version,
    reductions: Sequence[Reduction],
    at: Mapping[int, SSAValue],
    lanes: int | None,
) -> None:
    """Combines from the first element to the last."""
    code, axis = version.kernel.code, reductions[0].op.axis
    extent = version.nest.get_extents()[axis]

    def elements(index: SSAValue) -> list[Values]:
        body = version.body(_indices(at, axis, index), lanes)
        return [[body.vector(value) for value in each.op.inputs] for each in reductions]

    def step(index: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
        later, results, start = elements(index), list[SSAValue](), 0
        for reduction, values in zip(reductions, later, strict=True):
            earlier = list(carried[start : start + len(values)])
            results += combine_with(version, reduction)(earlier, values)
            start += len(values)
        return results

    initial = [value for values in elements(code.integer(0)) for value in values]
    one, end = code.integer(1), code.integer(extent)
    results = code.loop(one, end, one, initial, step, runs=extent > 1)
    start = 0
    for reduction in reductions:
        count = len(reduction.elements)
        _store_results(version, reduction, at, list(results[start : start + count]), lanes)
        start += count


def _store_results(
    version: Version,
    reduction: Reduction,
    at: Mapping[int, SSAValue],
    values: Values,
    lanes: int | None,
) -> None:
    """Stores the results of a reduction: one, or `lanes` neighbours."""
    code, extents = version.kernel.code, version.nest.get_extents()
    kept = [dim for dim in range(len(extents)) if dim != reduction.op.axis]
    strides = strides_of(tuple(extents[dim] for dim in kept))
    terms = (Term(dim, 1, extents[dim], step) for dim, step in zip(kept, strides, strict=True))
    every = {**at, reduction.op.axis: code.integer(0)}
    body = Body(version, [every[dim] for dim in sorted(every)], lanes)
    offset = body.position(Index(tuple(terms))).first
    for value, buffer in zip(values, reduction.op.outputs, strict=True):
        assert isinstance(buffer.type, BufferType)
        element = buffer.type.element_type
        size = element_bytes(element)
        pointer = body.element_pointer(version.kernel.buffer(buffer), offset, size)
        store_elements(code, value, pointer, element, size)


def _number(identity: float, element: Attribute) -> float:
    return float(identity) if isinstance(element, AnyFloat) else int(identity)
