"""Which op of a tile program its PTX computes otherwise.

`convert-tileas-to-llvm` has probes: the kernel stores the registers of chosen ops in a buffer, each
execution by itself. From the registers of all threads the tile is put together by its layout, and
compared with what the interpreter made of the same op in the same execution. The first op, as the
interpreter runs, whose tile differs is at fault; if none differs, it is the store whose elements
do. As many ops as the buffer has space for are probed in one run.

Floats may differ by roundings, and by what those of earlier ops make of them: the interpreter runs
again with random errors, see `rounding.py`. Elements that a load leaves undefined, and what depends
on them, are not compared: the interpreter runs with others there.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from math import prod
from typing import Any

import ml_dtypes
import numpy as np
from xdsl.dialects import llvm, ub
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, ModuleOp, StringAttr, UnitAttr
from xdsl.interpreter import PythonValues
from xdsl.ir import Operation, OpResult, SSAValue

from tileir_xdsl import emulator
from tileir_xdsl.analysis.layouts.tile_layouts import layout_of
from tileir_xdsl.analysis.mma.mmas_in_flight import started_by
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.checking.inputs import LaunchInput
from tileir_xdsl.checking.observation import TOLERANCE, interpret
from tileir_xdsl.checking.rounding import MARGIN, SAMPLES, RoundingErrors, is_changeable
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileaa.atomics import AtomicOp
from tileir_xdsl.dialects.nv_tileaa.core import FuncOp, cluster_shape
from tileir_xdsl.dialects.nv_tileaa.pointer_accesses import LoadThroughPointersOp
from tileir_xdsl.dialects.nv_tileas.tiled_memory import TiledAtomicOp
from tileir_xdsl.dialects.source_locations import LINE_INFO_ATTRIBUTE
from tileir_xdsl.explain.labels import OperationLabels
from tileir_xdsl.interpreters import InterpreterError
from tileir_xdsl.interpreters.address_space import SLOT_BITS, Allocation, Touch
from tileir_xdsl.interpreters.element_types import element_of
from tileir_xdsl.interpreters.execution import Execution, LaunchListener
from tileir_xdsl.interpreters.memory_order import Access, ProgramOrder, Token
from tileir_xdsl.interpreters.numerics import ELEMENTS, POINTER, Array
from tileir_xdsl.interpreters.nv_tileas.locations import ViewedTile, accessed_location
from tileir_xdsl.interpreters.operands import Operands
from tileir_xdsl.interpreters.views import tile_addresses
from tileir_xdsl.layout import f2
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.runtime.launching import dynamic_shared_memory, with_tensor_maps
from tileir_xdsl.transforms.convert_tileas_to_llvm.thread.probes import (
    COUNTER_BYTES,
    ProbedValue,
    Probes,
    is_probed,
    plan_probes,
    stored_offsets,
)

Convert = Callable[[ModuleOp, Mapping[int, int]], None]
"""Converts a module to `llvm` with probes: how many executions to store, by the numbers of ops."""

BUFFER_BYTES = 1 << 28
"""How much one run stores."""

FILLERS = (0, 1, 3)
"""What is put in place of undefined elements."""

CANCELLING = (
    nv_tileaa.CancelNextProgramIdOp,
    nv_tileas.CancelNextProgramIdOp,
    nv_tileas.AsyncCancelNextProgramIdOp,
)
"""Ops by which tile blocks take over others."""

DONE = (nv_tileas.ToAsyncOp, nv_tileas.CreateNoneOp)
"""Ops that make asynchronous values without any work."""

BODIES = (nv_tileas.GenerateOp, nv_tileas.ReduceOp, nv_tileas.ScanOp)
"""Ops whose bodies are about single elements."""

UNDEFINED = (AtomicOp, TiledAtomicOp, ub.PoisonOp)
"""Ops whose results depend on which thread is first, or on nothing."""

SUMS = ("dot", "future_wait", "reduce", "scan")
"""Ops that add in another order than the interpreter; asynchronous dots are waited for."""

ULPS = 4
"""Units in the last place by which elements of any op may differ."""


@dataclass(frozen=True)
class Made:
    """What one execution of an op made: on which thread block, and as the how-many-th there."""

    result: OpResult
    block: int
    execution: int
    value: Array


@dataclass(frozen=True)
class Expected:
    """What an execution may make: elements with `allowed` errors, and those that are `defined`."""

    made: Made
    allowed: Array
    defined: Array


def first_wrong_op(
    module: ModuleOp, convert: Convert, kernel: str, launch_input: LaunchInput
) -> Operation | None:
    """The first op of an `nv_tileas` module that the PTX of a kernel computes otherwise.

    None if there is none, or if tile blocks take over others, as then it depends on the time which
    thread block computes what. Raises `InterpreterError` where the interpreter does.
    """
    function = _function(module, kernel)
    if any(isinstance(op, CANCELLING) for op in function.walk()):
        return None
    expected = _expected(module, kernel, launch_input, function)
    blocks = prod(launch_input.grid) * prod(cluster_shape(function))
    found: Difference | None = None
    stopped: int | None = None
    pointers = Pointers()
    for executions in _runs(function, expected, blocks):
        probes = plan_probes(function, executions)
        # What runs after the first difference that is known cannot come before it.
        first = min(n for n, each in enumerate(expected) if each.made.result in probes.values)
        if found is not None and found.number <= first:
            continue
        probed = _with_numbers(module, function)
        convert(probed, executions)
        probes = _stored_probes(probes, probed, kernel)
        run = Stored(
            probes, function, np.zeros((blocks, probes.threads, probes.thread_bytes), np.uint8)
        )
        stopped = run.launch(probed, kernel, launch_input)
        wrong = _first_difference(expected, run, pointers, complete=stopped is None)
        if wrong is not None and (found is None or wrong.number < found.number):
            found = wrong
    if found is None:
        return None if stopped is None else OperationLabels(function).find(stopped)
    return _op_at_fault(found)


def _op_at_fault(difference: Difference) -> Operation:
    """The op that a difference tells of: one that reads what another started is not at fault."""
    op = difference.result.op
    parent = op.parent_op()
    # Whether it runs at all, the op decides that has it in one of its regions.
    if not difference.is_executed and parent is not None and not isinstance(parent, FuncOp):
        return parent
    if isinstance(op, nv_tileas.FutureWaitOp):
        starts = [start for start in started_by(op.source, op) if not isinstance(start, DONE)]
        return starts[0] if len(starts) == 1 else op
    return op


def _function(module: ModuleOp, kernel: str) -> FuncOp:
    return next(op for op in module.walk() if isinstance(op, FuncOp) and op.sym_name.data == kernel)


# What the interpreter computes.


@dataclass
class Recorder(LaunchListener):
    """Everything that a probe could store of a function, in the order in which it is made."""

    function: FuncOp
    made: list[Made] = field(default_factory=list[Made])
    _counts: Counter[tuple[SSAValue, int]] = field(default_factory=Counter[tuple[SSAValue, int]])
    _execution: Execution | None = None

    def __post_init__(self) -> None:
        # Bodies of reductions are computed element by element, and have no tiles.
        self._probed = {
            result
            for op in self.function.walk()
            for result in op.results
            if is_probed(result) and not _is_in_body(op) and not isinstance(op, UNDEFINED)
        }

    def will_launch(self, execution: Execution) -> None:
        self._execution = execution

    def did_interpret_op(self, op: Operation, results: PythonValues) -> None:
        assert self._execution is not None
        for result, value in zip(op.results, results, strict=False):
            if result in self._probed and isinstance(value, np.ndarray | np.generic):
                block = _thread_block(self._execution, self.function)
                execution = self._counts[result, block]
                self._counts[result, block] += 1
                self.made.append(Made(result, block, execution, _as_number(np.asarray(value))))


def _as_number(value: Array) -> Array:
    """A copy; an i4, which numpy does not know, becomes an i8."""
    return value.astype(np.int8) if value.dtype == ml_dtypes.int4 else np.array(value)


def _is_in_body(op: Operation) -> bool:
    parent = op.parent_op()
    return parent is not None and (isinstance(parent, BODIES) or _is_in_body(parent))


def _thread_block(execution: Execution, function: FuncOp) -> int:
    """The linear number of the thread block that runs; a cluster extends along x."""
    (rows, columns), (row, column) = cluster_shape(function), execution.cta
    (x, y, z), (extent_x, extent_y, _) = execution.block, execution.grid
    size = rows * columns
    return (z * extent_y + y) * extent_x * size + x * size + row * columns + column


class Errors(RoundingErrors):
    """Random roundings, also of asynchronous dots, which are read where they are waited for."""

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
    """Puts a number in place of what loads leave undefined: where they are masked off or outside,
    and nothing says what they give instead. So it does for results of atomic operations and poison.
    """

    filler: int
    _given: dict[Operation, PythonValues] = field(default_factory=dict[Operation, PythonValues])

    def will_interpret_op(self, op: Operation, args: PythonValues) -> None:
        if isinstance(op, LoadThroughPointersOp | nv_tileas.TiledLoadOp):
            self._given[op] = args

    def did_interpret_op(self, op: Operation, results: PythonValues) -> None:
        if isinstance(op, UNDEFINED) and isinstance(results[0], np.ndarray):
            results[0][...] = self.filler
        if op in self._given:
            defined = _defined_elements(op, Operands(op, self._given.pop(op)))
            if defined is not None and not defined.all():
                results[0][~defined] = self.filler


def _defined_elements(op: Operation, operands: Operands) -> Array | None:
    """The mask of the elements that a load defines; None for all."""
    match op:
        case LoadThroughPointersOp() if op.mask is not None and op.other is None:
            return operands[op.mask]
        case nv_tileas.TiledLoadOp() if op.padding_value is None:
            location = accessed_location(op, operands)
            if isinstance(location, ViewedTile):
                return tile_addresses(location.view, location.indices)[1]
        case _:
            pass
    return None


def _expected(
    module: ModuleOp, kernel: str, launch_input: LaunchInput, function: FuncOp
) -> list[Expected]:
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
            np.maximum(far, _distance(one.value, other.value), out=far)
    for sample in others(*map(Fillers, FILLERS)):
        for same, one, other in zip(defined, exact, sample, strict=True):
            same &= _distance(one.value, other.value) == 0
    return [
        Expected(each, _allowed(each, far), same)
        for each, far, same in zip(exact, moved, defined, strict=True)
    ]


def _is_float(value: Array) -> bool:
    return value.dtype.kind not in "biu"


def _scale(value: Array) -> float:
    """The largest magnitude of the finite elements."""
    finite = np.abs(value.astype(np.float64))
    finite = finite[np.isfinite(finite)]
    return float(finite.max()) if finite.size else 0.0


def _distance(one: Array, other: Array) -> Array:
    """How far elements are from each other; infinitely far for other infinities and NaNs."""
    if not _is_float(one):
        return np.where(one == other, 0.0, np.inf)
    a, b = one.astype(np.float64), other.astype(np.float64)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    with np.errstate(all="ignore"):
        return np.where(same, 0.0, np.nan_to_num(np.abs(a - b), nan=np.inf, posinf=np.inf))


def _allowed(made: Made, moved: Array) -> Array:
    """How far elements may be off, when random errors have moved them as far as they have."""
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


# Stores.


@dataclass
class Writes(ProgramOrder, LaunchListener):
    """Which op has written which elements: allocation, byte offsets and bytes of each."""

    NOTES_TOUCHES = True

    made: list[tuple[Operation, Touch]] = field(default_factory=list[tuple[Operation, Touch]])
    allocations: Sequence[Allocation] = ()

    def listeners(self) -> Sequence[LaunchListener]:
        return (self,)

    def will_launch(self, execution: Execution) -> None:
        self.allocations = execution.memory.allocations

    def perform(self, access: Access, action: Callable[[], Any]) -> tuple[Any, Token]:
        done = super().perform(access, action)
        self.made += [(access.op, touch) for touch in access.touches if touch.writes]
        return done


def storing_op(
    module: ModuleOp, kernel: str, launch_input: LaunchInput, argument: int, element: int
) -> Operation | None:
    """The op that last stores an element of an argument, or the one that stores nearest to it."""
    writes = Writes()
    interpret(module, kernel, launch_input, memory_order=writes)
    arrays = [n for n, each in enumerate(launch_input.arguments) if isinstance(each, np.ndarray)]
    allocation = writes.allocations[arrays.index(argument)]
    array = launch_input.arguments[argument]
    assert isinstance(array, np.ndarray)
    byte = element * array.itemsize
    nearest: tuple[int, Operation] | None = None
    for op, touch in writes.made:
        if touch.allocation is allocation and touch.offsets.size:
            far = int(np.abs(touch.offsets.astype(np.int64) - byte).min())
            if nearest is None or far <= nearest[0]:
                nearest = far, op
    return None if nearest is None else nearest[1]


# What PTX computes.


def _runs(function: FuncOp, expected: Sequence[Expected], blocks: int) -> Iterator[dict[int, int]]:
    """The ops that each run probes, with their executions: as many as the buffer has space for."""
    labels, wanted = OperationLabels(function), dict[int, int]()
    for each in expected:
        number = labels.number(each.made.result.op)
        wanted[number] = max(wanted.get(number, 0), each.made.execution + 1)
    run: dict[int, int] = {}
    for number, count in wanted.items():
        larger = plan_probes(function, {**run, number: count})
        if run and larger.thread_bytes * larger.threads * blocks > BUFFER_BYTES:
            yield run
            run = {}
        run[number] = count
    if run:
        yield run


def _stored_probes(probes: Probes, probed: ModuleOp, kernel: str) -> Probes:
    """The probes of a kernel that are stored: some tiles have no registers of their own."""
    (offsets,) = (
        stored_offsets(op)
        for op in probed.walk()
        if isinstance(op, llvm.FuncOp) and op.sym_name.data == kernel
    )
    values = {value: each for value, each in probes.values.items() if each.offset in offsets}
    return replace(probes, values=values)


def _with_numbers(module: ModuleOp, function: FuncOp) -> ModuleOp:
    """A copy of a module, whose PTX tells by its lines from which ops of a function it comes."""
    labels, copy = OperationLabels(function), module.clone()
    copy.attributes[LINE_INFO_ATTRIBUTE] = UnitAttr()
    for op, same in zip(module.walk(), copy.walk(), strict=True):
        if function.is_ancestor(op) and op is not function:
            # Line 0 is none.
            line = IntAttr(labels.number(op) + 1)
            same.location = FileLineColLoc(StringAttr("op"), line, IntAttr(0))
    return copy


def _number_at(ptx: str, line: int) -> int | None:
    """The number of the op that a line of such PTX comes from."""
    stated = [text.split() for text in ptx.splitlines()[:line] if text.lstrip().startswith(".loc")]
    return int(stated[-1][2]) - 1 if stated else None


@dataclass(frozen=True)
class Stored:
    """The registers that probes have stored: the bytes of each thread of each block."""

    probes: Probes
    function: FuncOp
    bytes: Array

    def launch(self, probed: ModuleOp, kernel: str, launch_input: LaunchInput) -> int | None:
        """Runs the kernel; returns the number of the op at which it stops with an error."""
        arguments = with_tensor_maps(probed, kernel, launch_input.copy_arguments())
        ptx = emit(probed)
        try:
            emulator.load(ptx).launch(
                kernel,
                launch_input.grid,
                [*arguments, self.bytes],
                dynamic_shared=dynamic_shared_memory(probed, kernel),
                output=io.StringIO(),
            )
        except emulator.EmulatorError as error:
            # What came before has been stored.
            return None if error.line is None else _number_at(ptx, error.line)
        return None

    def executions(self, value: ProbedValue, block: int) -> Array:
        """How often each thread of a block has executed the op of a value."""
        counters = self.bytes[block, :, value.offset : value.offset + COUNTER_BYTES]
        return np.ascontiguousarray(counters).view(np.int64)[:, 0]

    def registers(
        self, value: ProbedValue, block: int, execution: int, dtype: np.dtype[Any]
    ) -> Array:
        """The registers after one execution: those of each thread."""
        start = value.offset + COUNTER_BYTES + execution * value.execution_bytes
        stored = self.bytes[block, :, start : start + value.execution_bytes]
        return np.ascontiguousarray(stored).view(dtype)

    def elements(self, value: ProbedValue, block: int) -> Array:
        """The row-major numbers of the elements that the registers of each thread hold."""
        layout = layout_of(value.result.op, value.result)
        if layout is None:
            return np.zeros((self.probes.threads, 1), np.int64)
        rank = block % prod(cluster_shape(self.function)) % layout.blocks
        return _elements(layout, self.probes.threads) ^ f2.apply(layout.block, rank)


@cache
def _elements(layout: LinearLayout, threads: int) -> Array:
    """The elements that each thread of the first thread block holds."""
    bases = layout.thread_bases()
    thread_parts = [f2.apply(bases, thread % (1 << len(bases))) for thread in range(threads)]
    held = [f2.apply(layout.register, register) for register in range(layout.registers)]
    return np.bitwise_xor.outer(np.array(thread_parts), np.array(held))


@dataclass
class Pointers:
    """How far apart the addresses of an allocation are in the interpreter and in the emulator."""

    shifts: dict[int, int] = field(default_factory=dict[int, int])

    def translated(self, pointers: Array, like: Array) -> Array:
        """Addresses of the emulator as those of the interpreter, which should be `like`."""
        result = pointers.copy()
        # Pointers that no access uses may be a little before their allocation.
        nearest = (like + (1 << SLOT_BITS - 1)) >> SLOT_BITS
        for base in np.unique(nearest).tolist():
            here = nearest == base
            if base not in self.shifts:
                far, counts = np.unique(pointers[here] - like[here], return_counts=True)
                self.shifts[base] = int(far[np.argmax(counts)]) if base else 0
            result[here] -= like.dtype.type(self.shifts[base])
        return result


@dataclass(frozen=True)
class Difference:
    """A value that PTX computes otherwise, or never: the number of the execution, its result."""

    number: int
    result: OpResult
    is_executed: bool


def _first_difference(
    expected: Sequence[Expected], stored: Stored, pointers: Pointers, *, complete: bool
) -> Difference | None:
    """The first execution whose value PTX has computed otherwise, or not at all if `complete`."""
    for number, each in enumerate(expected):
        result = each.made.result
        if result not in stored.probes.values:
            continue
        counts = stored.executions(stored.probes.values[result], each.made.block)
        active = counts > each.made.execution
        if not active.any():
            if complete:
                return Difference(number, result, is_executed=False)
        elif _differs(each, active, stored, pointers, complete=complete):
            return Difference(number, result, is_executed=True)
    return None


def _differs(
    expected: Expected, active: Array, stored: Stored, pointers: Pointers, *, complete: bool
) -> bool:
    """Whether the registers of the threads that have executed an op are others."""
    made = expected.made
    value = stored.probes.values[made.result]
    element = element_of(made.result.type)
    elements = stored.elements(value, made.block)
    # Where one thread computes for all, it has everything.
    if complete and np.setdiff1d(elements, elements[active]).size:
        return True
    elements = elements[active]
    actual = stored.registers(value, made.block, made.execution, made.value.dtype)[active]
    wanted = made.value.reshape(-1)[elements]
    if element == ELEMENTS["i4"]:
        # Only its low bits are those of the number.
        actual = actual << 4 >> 4
    if element is POINTER:
        actual = pointers.translated(actual, wanted)
    allowed = expected.allowed.reshape(-1)[elements]
    differs = _distance(wanted, actual) > allowed
    return bool((expected.defined.reshape(-1)[elements] & differs).any())
