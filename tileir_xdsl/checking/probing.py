"""Which op of a tile program has another result in PTX.

`convert-tileas-to-llvm` has probes: the kernel stores the registers of chosen ops in a buffer,
separately for each execution. The layout maps the registers of all threads to the elements of the
tile. The tile is compared with the interpreter's tile of the same op in the same execution
(`expected_values.py`). The op at fault is that of the first execution whose tile differs; without
one, it is the store of the differing elements. One run covers as many executions as the buffer has
space for. If there are more executions, `bisection.py` chooses the executions for the next run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue
from xdsl.traits import IsTerminator, is_side_effect_free

from tileir_xdsl.analysis.mma.mmas_in_flight import started_by
from tileir_xdsl.checking.bisection import first_wrong
from tileir_xdsl.checking.expected_values import Expected, Made, expected_values
from tileir_xdsl.checking.inputs import LaunchInput
from tileir_xdsl.checking.stored_registers import (
    Difference,
    Pointers,
    Stored,
    first_difference,
    stored_probes,
    with_numbers,
)
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileaa.core import FuncOp, cluster_shape
from tileir_xdsl.dialects.nv_tileas.control import ProgramIdRequestOp
from tileir_xdsl.explain.labels import OperationLabels
from tileir_xdsl.transforms.convert_tileas_to_llvm.thread.probes import (
    ProbedValue,
    plan_probes,
)
from tileir_xdsl.walking import ops_in

Convert = Callable[[ModuleOp, Mapping[int, int]], None]
"""Converts a module to `llvm` with probes: how many executions to store of each numbered op."""

BUFFER_BYTES = 1 << 28
"""The bytes that one run stores."""

CANCELLING = (
    nv_tileaa.CancelNextProgramIdOp,
    ProgramIdRequestOp,
)
"""Ops by which running tile blocks take the work of others."""

DONE = (nv_tileas.ToAsyncOp, nv_tileas.CreateNoneOp)
"""Ops that return asynchronous values without work."""


def first_wrong_op(
    module: ModuleOp, convert: Convert, kernel: str, launch_input: LaunchInput
) -> Operation | None:
    """The first op of an `nv_tileas` module whose result differs in the PTX of a kernel.

    None if no op is at fault. Also None if tile blocks take the work of others: timing then decides
    which thread block computes which tile. Raises `InterpreterError` if the interpreter fails.
    """
    function = _function(module, kernel)
    if any(isinstance(op, CANCELLING) for op in ops_in(function)):
        return None
    expected = expected_values(module, kernel, launch_input, function)
    executions = ProbedExecutions(module, function, convert, launch_input, expected)
    wrong = first_wrong(executions)
    if wrong is not None:
        return _op_at_fault(executions.differences[wrong])
    stopped = executions.stopped
    return None if stopped is None else OperationLabels(function).find(stopped)


@dataclass
class ProbedExecutions:
    """The executions of the probed ops of a kernel.

    `differences` are those that runs have found; `stopped` is the number of the op at which the
    last run failed. `unstored` are values without registers of their own.
    """

    module: ModuleOp
    function: FuncOp
    convert: Convert
    launch_input: LaunchInput
    expected: Sequence[Expected]
    differences: dict[int, Difference] = field(default_factory=dict[int, Difference])
    stopped: int | None = None
    unstored: set[SSAValue] = field(default_factory=set[SSAValue])

    def __post_init__(self) -> None:
        labels, self._pointers = OperationLabels(self.function), Pointers()
        self.blocks = prod(self.launch_input.grid) * prod(cluster_shape(self.function))
        self._ops = [labels.number(each.made.result.op) for each in self.expected]
        self._once = plan_probes(self.function, dict.fromkeys(self._ops, 1))
        values = {number: list[ProbedValue]() for number in self._ops}
        for value in self._once.values.values():
            values[labels.number(value.result.op)].append(value)
        self._values = values

    @property
    def count(self) -> int:
        return len(self.expected)

    def parts(self, numbers: Sequence[int]) -> list[Sequence[int]]:
        parts, part, run = list[Sequence[int]](), list[int](), _Run()
        for number in numbers:
            more = self._bytes(run.added(self._ops[number], self.expected[number].made))
            size = (run.bytes + more) * self._once.threads * self.blocks
            if part and more and size > BUFFER_BYTES:
                parts.append(part)
                part, run = [], _Run()
                more = self._bytes(run.added(self._ops[number], self.expected[number].made))
            run.bytes += more
            run.add(self._ops[number], self.expected[number].made)
            part.append(number)
        return [*parts, part] if part else parts

    def _bytes(self, added: tuple[int, int, int]) -> int:
        """The additional bytes of an op for one more execution."""
        op, before, after = added
        if before == after:
            return 0
        sizes = [
            sum(replace(value, executions=count).bytes for value in self._values[op])
            for count in (before, after)
        ]
        return sizes[1] - (sizes[0] if before else 0)

    def run(self, numbers: Sequence[int]) -> int | None:
        run, first = _Run(), dict[tuple[SSAValue, int], int]()
        for number in numbers:
            op, made = self._ops[number], self.expected[number].made
            run.add(op, made)
            first[made.result, made.block] = run.first[op, made.block]
        probes = plan_probes(self.function, run.counts)
        probed = with_numbers(self.module, self.function)
        self.convert(probed, run.counts)
        kernel = self.function.sym_name.data
        kept = stored_probes(probes, probed, kernel)
        self.unstored |= {value for value in probes.values if value not in kept.values}
        stored = Stored.of(kept, self.function, self.blocks, self.launch_input, first)
        self.stopped = stored.launch(probed, kernel, self.launch_input.grid)
        found = first_difference(
            self.expected, numbers, stored, self._pointers, complete=self.stopped is None
        )
        if found is None:
            return None
        self.differences[found.number] = found
        return found.number

    def current(self, end: int) -> Sequence[int]:
        """The last execution of each op on each block; of values that loops carry the last two.

        The list omits results whose users are all in the same basic block and have been executed.
        """
        made = [each.made for each in self.expected[:end]]
        executed = {(each.result.op, each.block): number for number, each in enumerate(made)}
        last: dict[tuple[SSAValue, int], list[int]] = {}
        for number, each in enumerate(made):
            kept = last.setdefault((each.result, each.block), [])
            kept.append(number)
            del kept[: -2 if _is_carried(each.result) else -1]

        def is_over(number: int) -> bool:
            result, block = made[number].result, made[number].block
            return all(
                use.operation.parent is result.op.parent
                and executed.get((use.operation, block), -1) > number
                for use in result.uses
            )

        return sorted(n for kept in last.values() for n in kept if not is_over(n))

    def is_certain(self, number: int) -> bool:
        found = self.differences[number]
        return found.is_executed and self._is_computed(found.result.op)

    def _is_computed(self, op: Operation) -> bool:
        """Whether the operands of an op are all current values or computed from them."""
        return is_side_effect_free(op) and all(map(self._is_current, _captured(op)))

    def _is_current(self, value: SSAValue) -> bool:
        if isinstance(value, OpResult):
            if value in self._once.values and value not in self.unstored:
                return True
            return self._is_computed(value.op)
        assert isinstance(value, BlockArgument)
        parent = value.block.parent_op()
        if isinstance(parent, scf.ForOp):
            if value.index == 0:
                return True
            carried = value.block.last_op
            assert carried is not None
            given = parent.iter_args[value.index - 1], carried.operands[value.index - 1]
            return all(isinstance(each, OpResult) and self._is_current(each) for each in given)
        return isinstance(parent, FuncOp)


@dataclass
class _Run:
    """The executions that one run stores: how many of each op, and the first on each block."""

    counts: dict[int, int] = field(default_factory=dict[int, int])
    first: dict[tuple[int, int], int] = field(default_factory=dict[tuple[int, int], int])
    bytes: int = 0

    def added(self, op: int, made: Made) -> tuple[int, int, int]:
        """An op, and the number of its stored executions before and after adding one."""
        first = self.first.get((op, made.block), made.execution)
        before = self.counts.get(op, 0)
        return op, before, max(before, made.execution - first + 1)

    def add(self, op: int, made: Made) -> None:
        """Adds the next execution of an op on a block."""
        _, _, self.counts[op] = self.added(op, made)
        self.first.setdefault((op, made.block), made.execution)


def _captured(op: Operation) -> Iterator[SSAValue]:
    """The operands of an op and of ops in its regions that are defined outside of it."""
    for inner in ops_in(op):
        for operand in inner.operands:
            owner = operand.owner
            if inner is op or not op.is_ancestor(owner):
                yield operand


def _is_carried(value: SSAValue) -> bool:
    """Whether a terminator forwards a value to the next iteration."""
    return any(use.operation.has_trait(IsTerminator) for use in value.uses)


def _op_at_fault(difference: Difference) -> Operation:
    """The op at fault for a difference. For an op that reads the result of asynchronous work, this
    is the op that started the work.
    """
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
    return next(
        op for op in ops_in(module) if isinstance(op, FuncOp) and op.sym_name.data == kernel
    )
