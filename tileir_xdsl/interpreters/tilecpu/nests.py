"""Nests of `tilecpu`, and their reductions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.interpreter import Interpreter, PythonValues
from xdsl.ir import Block, Operation

from tileir_xdsl.dialects import tilecpu as dialect
from tileir_xdsl.interpreters.collectives import Combine, Tiles, combination
from tileir_xdsl.interpreters.element_types import element_of
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.integer_operations import wrap
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.interpreters.nv_tileaa.bodies import ELEMENTWISE, body_function
from tileir_xdsl.interpreters.registration import RegionTable, StatefulTable
from tileir_xdsl.interpreters.tilecpu.buffers import TileBuffer
from tileir_xdsl.interpreters.tilecpu.indices import mapped, nest_extents, nest_indices

TERMINATORS: tuple[type[Operation], ...] = (dialect.ReturnOp,)
"""The ops that end functions."""

MOST_PARTIAL_RESULTS = 32

COMMUTATIVE = frozenset(
    {
        *("nv_tileaa.addf", "nv_tileaa.mulf", "nv_tileaa.maxf", "nv_tileaa.minf"),
        *("arith.addf", "arith.mulf", "nv_tileaa.addi", "arith.addi", "arith.muli"),
        *("arith.maximumf", "arith.minimumf", "arith.maxnumf", "arith.minnumf"),
        *("arith.maxsi", "arith.maxui", "arith.minsi", "arith.minui"),
        *("arith.andi", "arith.ori", "arith.xori"),
    }
)
"""The ops whose partial results may be combined out of order."""


def _nest(_execution: Execution, interpreter: Interpreter, op: dialect.NestOp) -> PythonValues:
    interpreter.run_ssacfg_region(op.body, nest_indices(op.get_extents()), op.name)
    return ()


def _index(_execution: Execution, op: dialect.IndexOp) -> PythonValues:
    (index,) = mapped(op, op.index)
    return (wrap(index, element_of(op.result.type).dtype),)


def _is_commutative(body: Block) -> bool:
    ops = list(body.ops)
    if len(ops) != 2 or len(body.args) != 2 or ops[0].name not in COMMUTATIVE:
        return False
    combining, end = ops
    return set(combining.operands) == set(body.args) and list(end.operands) == list(
        combining.results
    )


def reduce_partially(parts: Sequence[Array], combine: Combine) -> Tiles:
    """Reduces the first dimension in the order of `tilecpu.reduce`."""
    extent = len(parts[0])
    count = min(MOST_PARTIAL_RESULTS, extent)
    results = tuple(part[:count] for part in parts)
    for start in range(count, extent, count):
        results = combine(results, tuple(part[start : start + count] for part in parts))
    while count > 1:
        count //= 2
        lower = tuple(result[:count] for result in results)
        results = combine(lower, tuple(result[count : 2 * count] for result in results))
    return tuple(np.asarray(result[0]) for result in results)


def reduce_in_order(parts: Sequence[Array], combine: Combine) -> Tiles:
    """Reduces the first dimension, from the first element to the last."""
    results = tuple(part[0] for part in parts)
    for number in range(1, len(parts[0])):
        results = combine(results, tuple(part[number] for part in parts))
    return tuple(np.asarray(result) for result in results)


def _reduce(
    _execution: Execution, interpreter: Interpreter, op: dialect.ReduceOp, *values: object
) -> PythonValues:
    count, extents = len(op.inputs), nest_extents(op)
    parts = [
        np.moveaxis(np.broadcast_to(np.asarray(value), extents), op.axis, 0)
        for value in values[:count]
    ]
    combine = combination(body_function(interpreter, op.body), op.body.block, ELEMENTWISE)
    reduce = reduce_partially if _is_commutative(op.body.block) else reduce_in_order
    for result, buffer in zip(reduce(parts, combine), values[count:], strict=True):
        assert isinstance(buffer, TileBuffer)
        buffer.array[...] = result.reshape(buffer.array.shape)
    return ()


INDICES: StatefulTable = {dialect.IndexOp: _index}

NESTS: RegionTable = {dialect.NestOp: _nest, dialect.ReduceOp: _reduce}
