"""Other forms of a kernel of `cuda_tile` that mean the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import IsTerminator

from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.dialects.cuda_tile import (
    BreakOp,
    ContinueOp,
    EntryOp,
    ForOp,
    GlobalOp,
    LoopOp,
    ReturnOp,
)

from .persistence import go_over_tiles
from .slicing import merge_tiles, split_tiles

Grid = tuple[int, int, int]


@dataclass(frozen=True)
class Launch:
    """A module whose kernel is run on a grid."""

    module: ModuleOp
    grid: Grid


Form = Callable[[Launch, Random], Launch]
"""Changes a module in place; returns it with the grid on which it computes the same."""


def kernel_of(module: ModuleOp) -> EntryOp:
    """The kernel of a module that has one."""
    return next(op for op in module.walk() if isinstance(op, EntryOp))


def blocks_of(module: ModuleOp) -> list[Block]:
    """All blocks of the kernel, outer ones first."""
    kernel = kernel_of(module)
    return [block for op in kernel.walk() for region in op.regions for block in region.blocks]


# Names.


def rename(launch: Launch, random: Random) -> Launch:
    """Gives every value another name, or none."""
    for block in blocks_of(launch.module):
        for value in _values(block):
            value.name_hint = random.choice((None, "x", "v", f"name_{random.randrange(1000)}"))
    return launch


def _values(block: Block) -> Iterator[SSAValue]:
    yield from block.args
    for op in block.ops:
        yield from op.results


# Order.

_IN_ORDER = (
    cuda_tile.AssertOp,
    cuda_tile.GdcWaitTkoOp,
    cuda_tile.GdcLaunchDependentsTkoOp,
    cuda_tile.MemoryFenceAliasTkoOp,
)
"""Operations with an effect that no token stands for: they stay in their order."""


def permute(launch: Launch, random: Random) -> Launch:
    """Puts the operations of each block in another order that values and tokens allow."""
    for block in blocks_of(launch.module):
        _permute_block(block, random)
    return launch


def _leaves(op: Operation) -> bool:
    """Whether an operation may leave more than itself: what comes after it may not run."""
    if not op.regions:
        return False
    inside = [other for other in op.walk() if other is not op]
    return any(
        isinstance(other, ReturnOp)
        or (isinstance(other, BreakOp | ContinueOp) and not _has_loop_between(other, op))
        for other in inside
    )


def _has_loop_between(inner: Operation, outer: Operation) -> bool:
    """Whether the loop that `inner` ends is in `outer`, or is it."""
    op = inner.parent_op()
    while op is not None:
        if isinstance(op, ForOp | LoopOp):
            return True
        if op is outer:
            return False
        op = op.parent_op()
    return False


def _used(op: Operation, block: Block) -> Iterator[Operation]:
    """The operations of a block whose results are used by `op` or in it."""
    for other in op.walk():
        for operand in other.operands:
            if isinstance(operand.owner, Operation) and operand.owner.parent is block:
                yield operand.owner


def _permute_block(block: Block, random: Random) -> None:
    ops = [op for op in block.ops if not op.has_trait(IsTerminator)]
    before: dict[Operation, set[Operation]] = {op: set(_used(op, block)) for op in ops}
    fixed, last_exit = None, None
    since: list[Operation] = []
    for op in ops:
        if last_exit is not None:
            before[op].add(last_exit)
        if _leaves(op):
            before[op].update(since)
            last_exit, since = op, []
        since.append(op)
        if isinstance(op, _IN_ORDER):
            if fixed is not None:
                before[op].add(fixed)
            fixed = op
    for op in ops:
        op.detach()
    terminator, left = block.last_op, list(ops)
    assert terminator is not None
    placed: set[Operation] = set()
    while left:
        ready = [op for op in left if before[op] <= placed]
        op = random.choice(ready)
        left.remove(op)
        placed.add(op)
        block.insert_op_before(op, terminator)


# Tiles, blocks and globals.


def rename_globals(launch: Launch, random: Random) -> Launch:
    """Gives the global variables other names."""
    names = {
        op.sym_name.data: f"g{random.randrange(10**6)}_{op.sym_name.data}"
        for op in launch.module.walk()
        if isinstance(op, GlobalOp)
    }
    for op in launch.module.walk():
        if isinstance(op, GlobalOp):
            op.properties["sym_name"] = type(op.sym_name)(names[op.sym_name.data])
        elif isinstance(op, cuda_tile.GetGlobalOp):
            symbol = op.symbol
            op.properties["name"] = type(symbol)(names[symbol.string_value()])
    return launch


def split(launch: Launch, random: Random) -> Launch:
    """Computes some tiles in two halves."""
    for block in blocks_of(launch.module):
        split_tiles(block, random)
    return launch


def merge(launch: Launch, random: Random) -> Launch:
    """Computes some pairs of tiles as one."""
    for block in blocks_of(launch.module):
        merge_tiles(block, random)
    return launch


def persist(launch: Launch, random: Random) -> Launch:
    """Fewer tile blocks go over all the tiles, if the kernel can be put into a loop."""
    count = launch.grid[0] * launch.grid[1] * launch.grid[2]
    blocks = random.randint(1, max(1, min(count, 4)))
    if not go_over_tiles(kernel_of(launch.module), launch.grid, blocks):
        return launch
    return Launch(launch.module, (blocks, 1, 1))


FORMS: dict[str, Form] = {
    "rename": rename,
    "rename globals": rename_globals,
    "permute": permute,
    "split": split,
    "merge": merge,
    "persist": persist,
}
"""The forms by name."""


def apply(names: Sequence[str], launch: Launch, random: Random) -> Launch:
    """A copy of a module in several forms, one after the other."""
    made = Launch(launch.module.clone(), launch.grid)
    for name in names:
        made = FORMS[name](made, random)
    made.module.verify()
    return made
