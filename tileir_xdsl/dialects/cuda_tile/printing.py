"""Prints the short text form as NVIDIA's disassembler does, including blanks and SSA names.

Operations inside of a module are printed without `cuda_tile.`. SSA names follow from the operations
alone, as in MLIR. A result or block argument gets the name that its operation suggests; if that
name is taken, `_N` from a counter is appended. Other results get numbers, other block arguments
`argN`. Values of a region are named before the values of nested regions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from io import StringIO

from xdsl.dialects.builtin import StringAttr, UnregisteredOp
from xdsl.ir import Block, Operation, OpResult, Region, SSAValue
from xdsl.printer import Printer

from tileir_xdsl.dialects.cuda_tile.core import ModuleOp
from tileir_xdsl.dialects.cuda_tile.interfaces import CudaTileOperation

_SHORT_NAMES = {"cuda_tile.pow": "fpowf"}
"""Operations whose short name differs from their name."""


@dataclass
class _Counters:
    """The next free numbers in a scope."""

    value: int = 0
    argument: int = 0
    conflict: int = 0


@dataclass
class _Scope:
    """Names taken in a region and the regions around it."""

    parent: _Scope | None = None
    names: set[str] = field(default_factory=set[str])

    def is_taken(self, name: str) -> bool:
        scope: _Scope | None = self
        while scope is not None:
            if name in scope.names:
                return True
            scope = scope.parent
        return False


class ValueNames:
    """The SSA names of all values inside of `operation`, without `%`."""

    def __init__(self, operation: Operation):
        self._names: dict[SSAValue, str] = {}
        self._groups: dict[Operation, tuple[tuple[int, int], ...]] = {}
        self._number_operation(operation, _Counters(), _Scope())
        # Last region first: the order in which the counters of siblings restart does not matter.
        work = [(region, _Counters(), _Scope()) for region in operation.regions]
        while work:
            region, counters, parent = work.pop()
            scope = _Scope(parent)
            self._number_region(region, counters, scope)
            for block in region.blocks:
                for op in block.ops:
                    for inner in op.regions:
                        copy = _Counters(counters.value, counters.argument, counters.conflict)
                        work.append((inner, copy, scope))

    def groups(self, operation: Operation) -> tuple[tuple[int, int], ...]:
        """Runs of results that share a name: the index of the first result, and the number of
        results.
        """
        return self._groups[operation]

    def of(self, value: SSAValue) -> str:
        """The name of `value`, with `#i` inside of a run of results."""
        if value in self._names and not isinstance(value, OpResult):
            return self._names[value]
        if not isinstance(value, OpResult):
            return "<<UNKNOWN SSA VALUE>>"
        for start, count in self._groups.get(value.op, ()):
            if start <= value.index < start + count:
                name = self._names[value.op.results[start]]
                return name if count == 1 else f"{name}#{value.index - start}"
        return "<<UNKNOWN SSA VALUE>>"

    def _number_region(self, region: Region, counters: _Counters, scope: _Scope) -> None:
        parent = region.parent
        wishes = parent.block_argument_names() if isinstance(parent, CudaTileOperation) else ()
        for index, block in enumerate(region.blocks):
            self._number_arguments(block, wishes if index == 0 else (), counters, scope)
            for op in block.ops:
                self._number_operation(op, counters, scope)

    def _number_arguments(
        self, block: Block, wishes: Sequence[str], counters: _Counters, scope: _Scope
    ) -> None:
        for argument, wish in zip(block.args, wishes, strict=False):
            self._names[argument] = _unique(wish, counters, scope)
        for argument in block.args[len(wishes) :]:
            self._names[argument] = _unique(f"arg{counters.argument}", counters, scope)
            counters.argument += 1

    def _number_operation(self, op: Operation, counters: _Counters, scope: _Scope) -> None:
        if not op.results:
            return
        is_ours = isinstance(op, CudaTileOperation)
        wishes = op.result_names() if is_ours else ()
        # xDSL prints the results of other operations, a name each.
        named = len(wishes[: len(op.results)]) if is_ours else len(op.results)
        starts = list(range(named)) or [0]
        for index in starts:
            if wishes:
                self._names[op.results[index]] = _unique(wishes[index], counters, scope)
            else:
                self._names[op.results[index]] = str(counters.value)
                counters.value += 1
        ends = [*starts[1:], len(op.results)]
        self._groups[op] = tuple((s, e - s) for s, e in zip(starts, ends, strict=True))


def _unique(wish: str, counters: _Counters, scope: _Scope) -> str:
    name = wish
    while scope.is_taken(name):
        name = f"{wish}_{counters.conflict}"
        counters.conflict += 1
    scope.names.add(name)
    return name


class ShortPrinter(Printer):
    """Prints operations in the short form."""

    def __init__(self, operation: Operation, stream: StringIO):
        super().__init__(stream=stream)
        self._value_names = ValueNames(operation)

    def print_ssa_value(self, value: SSAValue) -> str:
        name = self._value_names.of(value)
        self.print_string(f"%{name}")
        return name

    def _print_groups(self, op: Operation) -> None:
        if not op.results:
            return
        names = [
            self._value_names.of(op.results[start]).removesuffix("#0")
            + (f":{count}" if count > 1 else "")
            for start, count in self._value_names.groups(op)
        ]
        self.print_string(", ".join(f"%{name}" for name in names) + " = ")

    def print_op(self, op: Operation) -> None:
        if not isinstance(op, CudaTileOperation) or isinstance(op, UnregisteredOp):
            super().print_op(op)
            return
        self._print_groups(op)
        if isinstance(op.parent_op(), CudaTileOperation):
            self.print_string(_SHORT_NAMES.get(op.name) or op.name.removeprefix("cuda_tile."))
        else:
            self.print_string(op.name)
        op.print(self)


def print_short(operation: Operation) -> str:
    """The short form of a `cuda_tile.module` or of an operation around it; ends in a newline."""
    stream = StringIO()
    printer = ShortPrinter(operation, stream)
    printer.print_op(operation)
    return stream.getvalue() + "\n"


def print_items(module: ModuleOp) -> str:
    """The short form of the items of a module, as NVIDIA's disassembler prints them.

    The text omits the line of the module and its closing brace, and begins with the producer.
    """
    stream = StringIO()
    printer = ShortPrinter(module, stream)
    producer = module.attributes.get("producer")
    if isinstance(producer, StringAttr):
        stream.write(f"// Producer: {producer.data}\n")
    for op in module.body.block.ops:
        printer.print_op(op)
        stream.write("\n")
    return stream.getvalue()
