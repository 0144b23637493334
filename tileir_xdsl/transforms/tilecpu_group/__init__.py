"""`tilecpu-group`: decides which ops share a loop nest on a CPU, and how wide its vectors are.

    %x = nv_tileaa.tiled_load ..                  ->  .. {tilecpu.group = 0 : i64}
    %y = nv_tileaa.mulf %x, %x                    ->  .. {tilecpu.group = 0 : i64}
    %s = nv_tileaa.reduce %y ..                   ->  .. {tilecpu.group = 0 : i64}
    %n = nv_tileaa.broadcast %s                   ->  unchanged: it is read where it is used
    %d = nv_tileaa.divf %x, %n                    ->  .. {tilecpu.group = 1 : i64}
    %t = nv_tileaa.tiled_store .. %d              ->  .. {tilecpu.group = 1 : i64}

The ops of a group are computed element by element in one nest, without storing intermediate tiles
in memory. A tile that another group reads, such as %x, is kept in a buffer. Groups of a block are
executed in the order of their numbers. An op on whole tiles, such as a dot or a loop, is a separate
group. The function gets `tilecpu.groups`, a list with the vector width of each group.

A dot gets its register block, and `tilecpu.panels` if its operand B is packed. The function gets
`tilecpu.blocks_per_task`, the most tile blocks that a thread executes as one task. Where a nest
loads and stores one tile, the function gets `tilecpu.distinct`: the extents of the tile, and which
arguments are its sizes and strides. Each launch checks that the tile's elements have distinct
addresses.

Existing decisions are kept. `force` selects candidates by the numbers of ops in the input:

| item | decides |
|---|---|
| `#4=8` | the vector width of the group of op 4 |
| `#4=new`, `#4=new/8` | op 4 begins a group |
| `#4=8x32/panels` | rows and columns of the register block of dot 4; B in `rows` or `panels` |
| `#9=16`, where op 9 is the `return` | how many tile blocks are one task |
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.tilecpu.core import BLOCKS_PER_TASK, DISTINCT
from tileir_xdsl.dialects.tilecpu.decisions import GROUP, GROUPS, PANELS, REGISTER_BLOCK, VECTOR
from tileir_xdsl.explain import OperationLabels, Report, forced_ops, write_report
from tileir_xdsl.explain.report import ReportValue
from tileir_xdsl.rewriting import WriteAttributes
from tileir_xdsl.transforms.convert_tilecpu_to_llvm.dots import Registers
from tileir_xdsl.transforms.tilecpu_road import check_covered
from tileir_xdsl.walking import ops_in

from .choices import IN_PANELS, Choice, begins_group, choices, register_block_named, shown
from .planning import BlockPlan, Numbering

AVX512 = Registers(64, 16, 4)
REGISTERS = {
    "cpu": AVX512,
    "cpu-native": AVX512,
    "cpu-x86-64-v4": AVX512,
    "cpu-x86-64-v3": Registers(32, 8, 2),
    "cpu-aarch64": Registers(16, 16, 4),
}
"""The vector registers of each target."""


@dataclass(frozen=True)
class TileCPUGroupPass(ModulePass):
    """Decides which ops share a loop nest."""

    name = "tilecpu-group"

    gpu: str = "cpu"
    """The target: `cpu`, `cpu-x86-64-v3`, `cpu-x86-64-v4` or `cpu-aarch64`."""

    explain: str | None = None
    """The text or `.json` file for a report of the groups."""

    force: str | None = None
    """Choices for ops, such as `#4=8` for the vector width of the group of op 4."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.gpu not in REGISTERS:
            raise PassFailedException(
                f"expected gpu to be one of {', '.join(REGISTERS)}, but got '{self.gpu}'"
            )
        check_covered(op)
        functions = [each for each in ops_in(op) if isinstance(each, nv_tileaa.FuncOp)]
        labels = {function: OperationLabels(function) for function in functions}
        forced = forced_ops(self.force, labels)
        beginning = frozenset(each for each, text in forced.items() if begins_group(text))
        report = Report(self.name)
        for function in functions:
            if GROUPS in function.attributes or not function.body.blocks:
                continue
            numbering = Numbering(beginning=beginning)
            BlockPlan(function.body.block, numbering).plan()
            registers = REGISTERS[self.gpu]
            made = list(choices(function, numbering, registers))
            _check_forced(function, forced, made, labels[function])
            taken = {choice.ops[0]: choice.taken(forced) for choice in made}
            WriteAttributes(_attributes(function, numbering, registers, taken)).execute(function)
            _explain(function, numbering, made, taken, labels[function], report)
        if self.explain is not None:
            write_report(report, self.explain)


Taken = Mapping[Operation, Sequence[str]]
"""The chosen candidates, by the first op of each choice."""


def _check_forced(
    function: nv_tileaa.FuncOp,
    forced: Mapping[Operation, str],
    made: Sequence[Choice],
    labels: OperationLabels,
) -> None:
    """Raises PassFailedException if `forced` names an op without a choice."""
    having = {op for choice in made for op in choice.ops}
    for op in ops_in(function):
        if op in forced and op not in having:
            message = f"force names {labels.label(op)}, which has no choice"
            raise PassFailedException(f"{message}, {labels.expected(having.__contains__)}")


def _attributes(
    function: nv_tileaa.FuncOp, numbering: Numbering, registers: Registers, taken: Taken
) -> dict[Operation, dict[str, Attribute]]:
    """The attributes of each op, and of the function."""
    plan: dict[Operation, dict[str, Attribute]] = {}
    decisions: list[Attribute] = []
    for group in numbering.groups:
        for op in group.ops:
            plan[op] = {GROUP: IntegerAttr(group.number, i64)}
        first = group.ops[0]
        parts = taken.get(first, ())
        if isinstance(first, nv_tileaa.DotOp):
            block = register_block_named(first, registers, parts[0])
            numbers = [block.rows, block.columns, block.lanes]
            plan[first][REGISTER_BLOCK] = DenseArrayBase.from_list(i64, numbers)
            if parts[1] == IN_PANELS:
                plan[first][PANELS] = UnitAttr()
        vector = {VECTOR: IntegerAttr(int(parts[0]), i64)} if group.space is not None else {}
        decisions.append(DictionaryAttr(vector))
    last = function.body.block.last_op
    assert last is not None
    plan[function] = {
        GROUPS: ArrayAttr(decisions),
        BLOCKS_PER_TASK: IntegerAttr(int(taken[last][0]), i64),
    }
    if numbering.distinct:
        plan[function][DISTINCT] = ArrayAttr(list(numbering.distinct))
    return plan


def _explain(
    function: nv_tileaa.FuncOp,
    numbering: Numbering,
    made: Sequence[Choice],
    taken: Taken,
    labels: OperationLabels,
    report: Report,
) -> None:
    by_op = {choice.ops[0]: choice for choice in made}
    name = function.sym_name.data
    for group in numbering.groups:
        ops = [labels.label(op) for op in group.ops]
        facts = _facts(by_op.pop(group.ops[0], None), taken)
        report.add(name, group=group.number, index_space=_space_text(group.space), ops=ops, **facts)
    for op, choice in by_op.items():
        report.add(name, op=labels.label(op), **_facts(choice, taken))


def _facts(choice: Choice | None, taken: Taken) -> dict[str, ReportValue]:
    """Facts for the report: the chosen candidates, why, and all candidates with their costs."""
    if choice is None:
        return {"plan": "a group of its own"}
    chosen = shown(taken[choice.ops[0]])
    why = choice.why if chosen == shown(choice.taken({})) else "forced"
    tables: list[ReportValue] = [{"costs": table} for table in choice.tables]
    return {choice.about: chosen, "why": why, "candidates": tables}


def _space_text(space: Sequence[int] | None) -> str:
    return "whole tiles" if space is None else "x".join(map(str, space)) or "one element"
