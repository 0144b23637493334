"""Decisions of `tilecpu-group` about groups, dots and tile blocks: candidates and their costs.

A choice has a table of candidates for each part, such as the register block of a dot and the form
of its operand B. The cheapest candidate of each table is chosen, unless one is forced.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects import scf
from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerType
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.analysis.iteration_space.tile_ops import LOADS, STORES, space_of
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileaa.constraints import moved_bits
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.transforms.convert_tileaa_to_tilecpu.whole_ops import described
from tileir_xdsl.transforms.convert_tilecpu_to_llvm.dots import (
    RegisterBlock,
    Registers,
    powers_of_two,
    register_blocks,
)
from tileir_xdsl.walking import ops_in

from .planning import Group, Numbering, is_one_by_one

WORD_BITS = 32
"""Narrower floats are computed in this width."""

TASK_ELEMENTS = 1 << 14
"""How many elements a thread should access in one task; tasks synchronise threads."""

MOST_BLOCKS = 64
"""The most tile blocks of a task."""

BEGINS = "new"
"""The text in `force` by which an op begins a group."""

ROWS, IN_PANELS = "rows", "panels"
"""The forms of operand B of a dot: as it was loaded, or packed."""

_SEPARATOR = "/"

Costs = Mapping[str, float]
"""The cost of each candidate, by name."""


@dataclass(frozen=True)
class Choice:
    """A decision with all its candidates."""

    ops: Sequence[Operation]
    """The ops whose numbers can force this choice."""
    about: str
    why: str
    """The reason for the choice, unless another is forced."""
    tables: Sequence[Costs]

    def taken(self, forced: Mapping[Operation, str]) -> list[str]:
        """The chosen candidate of each table. Raises PassFailedException for an unknown name."""
        found = [min(table, key=table.__getitem__) for table in self.tables]
        for text in dict.fromkeys(forced[op] for op in self.ops if op in forced):
            for part in text.split(_SEPARATOR):
                if part != BEGINS:
                    found[self._table_of(part)] = part
        return found

    def _table_of(self, name: str) -> int:
        for number, table in enumerate(self.tables):
            if name in table:
                return number
        known = ", ".join(name for table in self.tables for name in table)
        message = f"expected {self.about} to be one of {known} in force, but got '{name}'"
        raise PassFailedException(message)


def shown(parts: Sequence[str]) -> str:
    """The candidates of all tables as one text."""
    return _SEPARATOR.join(parts)


def begins_group(text: str) -> bool:
    """Whether a forced text makes its op begin a group."""
    return BEGINS in text.split(_SEPARATOR)


def choices(
    function: nv_tileaa.FuncOp, numbering: Numbering, registers: Registers
) -> Iterator[Choice]:
    """All choices for a function, in the order of its groups; tile blocks come last."""
    for group in numbering.groups:
        if group.space is not None:
            widths = _widths(group, 8 * registers.bytes)
            yield Choice(group.ops, "vector", "the fewest vectors", [widths])
        elif isinstance(dot := group.ops[0], nv_tileaa.DotOp):
            why = "the fewest loads for each multiply-add"
            yield Choice(group.ops, "dot", why, _dot_tables(dot, registers))
    last = function.body.block.last_op
    assert last is not None
    why = f"a task accesses nearly {TASK_ELEMENTS:,} elements"
    yield Choice([last], "blocks_per_task", why, [_blocks_per_task(function)])


def _widths(group: Group, bits: int) -> Costs:
    """Vector widths, each with the number of vectors in the nest."""
    assert group.space is not None
    innermost = group.space[-1] if group.space else 1
    element_bits = max(map(_computed_bits, group.ops), default=0) or WORD_BITS
    most = 1 if any(map(is_one_by_one, group.ops)) else max(1, bits // element_bits)
    widths = [lanes for lanes in reversed(powers_of_two(most)) if innermost % lanes == 0]
    return {str(lanes): prod(group.space) // lanes for lanes in widths}


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


def _dot_tables(op: nv_tileaa.DotOp, registers: Registers) -> list[Costs]:
    """Register blocks and forms of operand B, with loads per multiply-add."""
    dot = described(op)
    blocks = {named(block): loads for block, loads in register_blocks(dot, registers).items()}
    # Packed, each vector of B is loaded and stored once more for all rows.
    packed = 2 / dot.m
    return [blocks, {ROWS: packed if dot.transposed[1] else 0.0, IN_PANELS: packed}]


def named(block: RegisterBlock) -> str:
    """A register block by its rows and columns."""
    return f"{block.rows}x{block.columns}"


def register_block_named(op: nv_tileaa.DotOp, registers: Registers, name: str) -> RegisterBlock:
    """The register block of a dot whose candidate is called `name`."""
    return next(b for b in register_blocks(described(op), registers) if named(b) == name)


def _blocks_per_task(function: nv_tileaa.FuncOp) -> Costs:
    """Numbers of tile blocks, each with the ratio of its accesses to `TASK_ELEMENTS`, or the
    inverse.
    """
    ops = ops_in(function)
    # A block with a loop is long enough.
    has_loop = any(isinstance(op, scf.ForOp | scf.WhileOp) for op in ops)
    accesses = [op for op in ops if isinstance(op, (*LOADS, *STORES))]
    size = TASK_ELEMENTS if has_loop else sum(prod(space_of(op)) for op in accesses) or 1
    shares = {blocks: blocks * size / TASK_ELEMENTS for blocks in powers_of_two(MOST_BLOCKS)}
    return {str(blocks): max(share, 1 / share) for blocks, share in shares.items()}
