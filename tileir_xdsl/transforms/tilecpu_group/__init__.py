"""`tilecpu-group`: decides which ops share a loop nest on a CPU, and how wide its vectors are.

    %x = nv_tileaa.tiled_load ..                  ->  .. {tilecpu.group = 0 : i64}
    %y = nv_tileaa.mulf %x, %x                    ->  .. {tilecpu.group = 0 : i64}
    %s = nv_tileaa.reduce %y ..                   ->  .. {tilecpu.group = 0 : i64}
    %n = nv_tileaa.broadcast %s                   ->  unchanged: it is read where it is used
    %d = nv_tileaa.divf %x, %n                    ->  .. {tilecpu.group = 1 : i64}
    %t = nv_tileaa.tiled_store .. %d              ->  .. {tilecpu.group = 1 : i64}

Ops of one group are computed element by element in one nest, so that no tile between them is ever
in memory. A tile that another group takes, such as %x, is kept in a buffer. Groups of a block are
executed in the order of their numbers. An op on whole tiles, such as a dot or a loop, has a number
of its own. The function gets `tilecpu.groups`, a list with the vector width of each group.

Decisions that are there already are kept. `force="#4=8"` makes the vectors of the group of op 4
so wide.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    i64,
)
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.analysis.iteration_space.index_maps import Shape
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileaa.constraints import moved_bits
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.tilecpu.decisions import GROUP, GROUPS, REGISTER_BLOCK, VECTOR
from tileir_xdsl.explain import OperationLabels, Report, forced_ops, write_report
from tileir_xdsl.rewriting import WriteAttributes
from tileir_xdsl.transforms.convert_tileaa_to_tilecpu.whole_ops import described
from tileir_xdsl.transforms.convert_tilecpu_to_llvm.dots import Registers, register_block
from tileir_xdsl.transforms.tilecpu_road import check_covered
from tileir_xdsl.walking import ops_in

from .planning import BlockPlan, Group, Numbering, is_one_by_one

AVX512 = Registers(64, 16, 4)
REGISTERS = {
    "cpu": AVX512,
    "cpu-native": AVX512,
    "cpu-x86-64-v4": AVX512,
    "cpu-x86-64-v3": Registers(32, 8, 2),
    "cpu-aarch64": Registers(16, 16, 4),
}
"""The vector registers of each target."""

WORD_BITS = 32
"""Narrower floats are computed in this width."""


@dataclass(frozen=True)
class TileCPUGroupPass(ModulePass):
    """Decides which ops share a loop nest."""

    name = "tilecpu-group"

    gpu: str = "cpu"
    """The target: `cpu`, `cpu-x86-64-v3`, `cpu-x86-64-v4` or `cpu-aarch64`."""

    explain: str | None = None
    """The file for a report of the groups: JSON if its name ends in `.json`, else text."""

    force: str | None = None
    """Vector widths of the groups of ops, such as `#4=8`."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.gpu not in REGISTERS:
            raise PassFailedException(
                f"expected gpu to be one of {', '.join(REGISTERS)}, but got '{self.gpu}'"
            )
        check_covered(op)
        functions = [each for each in ops_in(op) if isinstance(each, nv_tileaa.FuncOp)]
        labels = {function: OperationLabels(function) for function in functions}
        forced = forced_ops(self.force, labels)
        report = Report(self.name)
        for function in functions:
            if GROUPS in function.attributes or not function.body.blocks:
                continue
            numbering = Numbering()
            BlockPlan(function.body.block, numbering).plan()
            _write(function, numbering, REGISTERS[self.gpu], forced)
            _explain(function, numbering, labels[function], report)
        if self.explain is not None:
            write_report(report, self.explain)


def _write(
    function: nv_tileaa.FuncOp,
    numbering: Numbering,
    registers: Registers,
    forced: dict[Operation, str],
) -> None:
    decisions: list[Attribute] = []
    plan: dict[Operation, dict[str, Attribute]] = {}
    for group in numbering.groups:
        for op in group.ops:
            plan[op] = {GROUP: IntegerAttr(group.number, i64)}
            if isinstance(op, nv_tileaa.DotOp):
                plan[op][REGISTER_BLOCK] = _register_block(op, registers)
        if group.space is None:
            decisions.append(DictionaryAttr({}))
            continue
        wanted = [forced[op] for op in group.ops if op in forced]
        lanes = (
            _forced_width(wanted[0], group.space) if wanted else _width(group, 8 * registers.bytes)
        )
        decisions.append(DictionaryAttr({VECTOR: IntegerAttr(lanes, i64)}))
    plan[function] = {GROUPS: ArrayAttr(decisions)}
    WriteAttributes(plan).execute(function)


def _forced_width(text: str, space: Shape) -> int:
    innermost = space[-1] if space else 1
    if not text.isdecimal() or not int(text) or innermost % int(text):
        raise PassFailedException(
            f"expected a vector width that divides {innermost} in force, but got '{text}'"
        )
    return int(text)


def _register_block(op: nv_tileaa.DotOp, registers: Registers) -> DenseArrayBase:
    block = register_block(described(op), registers)
    return DenseArrayBase.from_list(i64, [block.rows, block.columns, block.lanes])


def _width(group: Group, bits: int) -> int:
    """As many elements as fill a vector, of the widest type that is computed."""
    assert group.space is not None
    if any(is_one_by_one(op) for op in group.ops):
        return 1
    innermost = group.space[-1] if group.space else 1
    element_bits = max(map(_computed_bits, group.ops), default=0) or WORD_BITS
    lanes = max(1, bits // element_bits)
    while innermost % lanes:
        lanes //= 2
    return lanes


def _computed_bits(op: Operation) -> int:
    """The bits of the elements that an op computes or moves; 0 for predicates and addresses."""
    values = op.results or op.operands
    widths = [_element_bits(tile_shape(value.type).element) for value in values]
    return max(widths, default=0)


def _element_bits(element: Attribute) -> int:
    match element:
        case IntegerType():
            return 0 if element.width.data in (1, 64) else moved_bits(element)
        case IndexType():
            return 0
        case _ if isinstance(element, AnyFloat):
            return max(WORD_BITS, moved_bits(element))
        case _:
            return 0


def _explain(
    function: nv_tileaa.FuncOp, numbering: Numbering, labels: OperationLabels, report: Report
) -> None:
    decisions = function.attributes[GROUPS]
    assert isinstance(decisions, ArrayAttr)
    for group, decided in zip(numbering.groups, decisions, strict=True):
        ops = [labels.label(op) for op in group.ops]
        report.add(
            function.sym_name.data,
            group=group.number,
            index_space=_space_text(group.space),
            ops=ops,
            decided=str(decided) if group.space is not None else None,
        )


def _space_text(space: Sequence[int] | None) -> str:
    return "whole tiles" if space is None else "x".join(map(str, space)) or "one element"
