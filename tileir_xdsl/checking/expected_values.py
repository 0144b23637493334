"""Expected values of ops of a tile program: those of the interpreter, and their allowed errors.

Floats may differ by their own roundings and by those of earlier ops: the interpreter runs again
with random errors, see `rounding.py`. Elements that a load leaves undefined, and values that depend
on them, are not compared: the interpreter runs again with other values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import ml_dtypes
import numpy as np
from xdsl.dialects import ub
from xdsl.dialects.builtin import ModuleOp
from xdsl.interpreter import PythonValues
from xdsl.ir import Operation, OpResult, SSAValue

from tileir_xdsl.checking.inputs import LaunchInput
from tileir_xdsl.checking.observation import TOLERANCE, interpret
from tileir_xdsl.checking.rounding import MARGIN, SAMPLES, RoundingErrors, is_changeable
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileaa.atomics import AtomicOp
from tileir_xdsl.dialects.nv_tileaa.collectives import CollectiveOp
from tileir_xdsl.dialects.nv_tileaa.core import FuncOp, cluster_shape
from tileir_xdsl.dialects.nv_tileaa.pointer_accesses import LoadThroughPointersOp
from tileir_xdsl.dialects.nv_tileas.tiled_memory import TiledAtomicOp
from tileir_xdsl.interpreters import InterpreterError
from tileir_xdsl.interpreters.cuda_tile.undetermined import READS
from tileir_xdsl.interpreters.listeners import LaunchListener
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.interpreters.nv_tileas.locations import ViewedTile, accessed_location
from tileir_xdsl.interpreters.operands import Operands
from tileir_xdsl.interpreters.running_block import RunningBlock
from tileir_xdsl.interpreters.views import tile_addresses
from tileir_xdsl.transforms.convert_tileas_to_llvm.thread.probes import (
    is_probed,
)
from tileir_xdsl.walking import ops_in

FILLERS = (0, 1, 3)
"""Values put in place of undefined elements."""

BODIES = (nv_tileas.GenerateOp, CollectiveOp)
"""Ops whose bodies compute single elements."""

UNDEFINED = (AtomicOp, TiledAtomicOp, ub.PoisonOp)
"""Ops whose results depend on the order of threads, or are undefined."""

LOADS = (LoadThroughPointersOp, nv_tileaa.TiledLoadOp, nv_tileas.TiledLoadOp)
"""Ops, besides those of `cuda_tile`, that may leave elements undefined."""

SUMS = ("dot", "future_wait", "reduce", "scan")
"""Ops that add in another order than the interpreter; `future_wait` is for asynchronous dots."""

ULPS = 4
"""The error, in units in the last place, that every op may have."""


@dataclass(frozen=True)
class Made:
    """The value of one execution of an op, with its thread block and its number in that block."""

    result: OpResult
    block: int
    execution: int
    value: Array


@dataclass(frozen=True)
class Expected:
    """The expected value of an execution, with `allowed` errors and `defined` elements."""

    made: Made
    allowed: Array
    defined: Array


@dataclass
class Recorder(LaunchListener):
    """Records all values of a function that a probe could store, in their order."""

    function: FuncOp
    made: list[Made] = field(default_factory=list[Made])
    _counts: Counter[tuple[SSAValue, int]] = field(default_factory=Counter[tuple[SSAValue, int]])
    _running: RunningBlock | None = None

    def __post_init__(self) -> None:
        # Bodies of reductions are computed element by element, and have no tiles.
        self._probed = {
            result
            for op in ops_in(self.function)
            for result in op.results
            if is_probed(result) and not _is_in_body(op) and not isinstance(op, UNDEFINED)
        }

    def will_launch(self, running: RunningBlock) -> None:
        self._running = running

    def did_interpret_op(self, op: Operation, results: PythonValues) -> None:
        assert self._running is not None
        for result, value in zip(op.results, results, strict=False):
            if result in self._probed and isinstance(value, np.ndarray | np.generic):
                block = _thread_block(self._running, self.function)
                execution = self._counts[result, block]
                self._counts[result, block] += 1
                self.made.append(Made(result, block, execution, _as_number(np.asarray(value))))


def _as_number(value: Array) -> Array:
    """A copy; an i4, which numpy lacks, becomes an i8."""
    return value.astype(np.int8) if value.dtype == ml_dtypes.int4 else np.array(value)


def _is_in_body(op: Operation) -> bool:
    parent = op.parent_op()
    return parent is not None and (isinstance(parent, BODIES) or _is_in_body(parent))


def _thread_block(running: RunningBlock, function: FuncOp) -> int:
    """The linear number of the running thread block; a cluster extends along x."""
    (rows, columns), (row, column) = cluster_shape(function), running.cta
    (x, y, z), (extent_x, extent_y, _) = running.block, running.grid
    size = rows * columns
    return (z * extent_y + y) * extent_x * size + x * size + row * columns + column


class Errors(RoundingErrors):
    """Random roundings, also of asynchronous dots, whose results are read at their waits."""

    def did_interpret_op(self, op: Operation, results: PythonValues) -> None:
        super().did_interpret_op(op, results)
        if not isinstance(op, nv_tileas.FutureWaitOp):
            return
        for value in results:
            if is_changeable(value):
                scale = _scale(value) * float(ml_dtypes.finfo(value.dtype).eps)
                noise = self.random.uniform(-scale, scale, value.shape)
                value[...] = (value.astype(np.float64) + noise).astype(value.dtype)


@dataclass
class Fillers(LaunchListener):
    """Puts a number in place of elements that loads leave undefined: masked-off elements, and
    elements outside of the tensor without a padding value. `Fillers` also replaces results of
    atomic operations and poison.
    """

    filler: int
    undefined: tuple[type[Operation], ...] = UNDEFINED
    _given: dict[Operation, PythonValues] = field(default_factory=dict[Operation, PythonValues])

    def will_interpret_op(self, op: Operation, args: PythonValues) -> None:
        if isinstance(op, LOADS) or type(op) in READS:
            self._given[op] = args

    def did_interpret_op(self, op: Operation, results: PythonValues) -> None:
        if isinstance(op, self.undefined) and isinstance(results[0], np.ndarray):
            results[0][...] = self.filler
        if op in self._given:
            defined = _defined_elements(op, Operands(op, self._given.pop(op)))
            if defined is not None and not defined.all():
                results[0][~defined] = self.filler


def _defined_elements(op: Operation, operands: Operands) -> Array | None:
    """The mask of the elements that a load defines; None for all."""
    if (reads := READS.get(type(op))) is not None:
        return ~reads(op, operands).undetermined
    match op:
        case LoadThroughPointersOp() if op.mask is not None and op.other is None:
            return operands[op.mask]
        case nv_tileaa.TiledLoadOp() | nv_tileas.TiledLoadOp() if op.padding_value is None:
            location = accessed_location(op, operands)
            if isinstance(location, ViewedTile):
                return tile_addresses(location.view, location.indices)[1]
        case _:
            pass
    return None


def expected_values(
    module: ModuleOp, kernel: str, launch_input: LaunchInput, function: FuncOp
) -> list[Expected]:
    """The expected values of the probed ops of a kernel, in the order in which blocks compute them.

    The first executions of all blocks come first, then the second ones, and so on. Raises
    `InterpreterError` where the interpreter does.
    """

    def made_with(*listeners: LaunchListener) -> list[Made]:
        recorder = Recorder(function)
        interpret(module, kernel, launch_input, listeners=[*listeners, recorder])
        return recorder.made

    def others(*samples: LaunchListener) -> Iterator[list[Made]]:
        for sample in samples:
            try:
                made = made_with(sample)
            except InterpreterError:
                # An assertion or an index may depend on roundings.
                continue
            if [each.result for each in made] == [each.result for each in exact]:
                yield made

    exact = made_with()
    moved = [np.zeros(each.value.shape, np.float64) for each in exact]
    defined = [np.ones(each.value.shape, np.bool_) for each in exact]
    for sample in others(*map(Errors, range(SAMPLES))):
        for far, one, other in zip(moved, exact, sample, strict=True):
            np.maximum(far, distance(one.value, other.value), out=far)
    for sample in others(*map(Fillers, FILLERS)):
        for same, one, other in zip(defined, exact, sample, strict=True):
            same &= distance(one.value, other.value) == 0
    expected = [
        Expected(each, _allowed(each, far), same)
        for each, far, same in zip(exact, moved, defined, strict=True)
    ]
    return _side_by_side(expected)


def _side_by_side(expected: Sequence[Expected]) -> list[Expected]:
    """Sorts executions by their number in their thread block; the input is block after block.

    So executions of all blocks that one run of the kernel stores have neighbouring numbers.
    """
    counts = Counter[int]()
    places: list[int] = []
    for each in expected:
        places.append(counts[each.made.block])
        counts[each.made.block] += 1
    order = sorted(range(len(expected)), key=lambda number: (places[number], number))
    return [expected[number] for number in order]


def _is_float(value: Array) -> bool:
    return value.dtype.kind not in "biu"


def _scale(value: Array) -> float:
    """The largest magnitude of the finite elements."""
    finite = np.abs(value.astype(np.float64))
    finite = finite[np.isfinite(finite)]
    return float(finite.max()) if finite.size else 0.0


def distance(one: Array, other: Array) -> Array:
    """The absolute differences of elements; infinite for differing infinities and NaNs."""
    if not _is_float(one):
        return np.where(one == other, 0.0, np.inf)
    a, b = one.astype(np.float64), other.astype(np.float64)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    with np.errstate(all="ignore"):
        return np.where(same, 0.0, np.nan_to_num(np.abs(a - b), nan=np.inf, posinf=np.inf))


def _allowed(made: Made, moved: Array) -> Array:
    """The allowed errors of elements, given how far random errors have moved them."""
    if not _is_float(made.value):
        return moved
    value, eps = made.value.astype(np.float64), float(ml_dtypes.finfo(made.value.dtype).eps)
    kind = made.result.op.name.rpartition(".")[2]
    # Narrow elements are computed in f32 and rounded once, but where an order of terms matters.
    rounding = eps if kind in SUMS else min(eps, float(np.finfo(np.float32).eps))
    with np.errstate(all="ignore"):
        own = np.nan_to_num(ULPS * eps * np.abs(value), nan=0.0, posinf=0.0)
    finite = moved[np.isfinite(moved)]
    average = float(np.sqrt(np.mean(np.square(finite)))) if finite.size else 0.0
    return MARGIN * np.maximum(moved, average) + own + TOLERANCE * rounding * _scale(made.value)
