"""Lists the ops of a function or a module."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from xdsl.ir import Block, Operation, Region, SSAValue

OpT = TypeVar("OpT", bound=Operation)


def ops_in(root: Operation | Region | Block, *, inside_first: bool = False) -> list[Operation]:
    """All ops nested in `root`, and `root` itself if it is an op, in the order of `root.walk()`.

    With `inside_first`, an op comes after its nested ops. Ops added or erased during iteration over
    the list are not noticed. Building a list is three to four times as fast as the generators of
    `walk`, which take quadratic time in nested regions.
    """
    found: list[Operation] = []
    # The ops to go on with, the innermost last, in place of calls that would nest as deep.
    pending: list[Operation | None]
    match root:
        case Block():
            pending = _starts((root,), inside_first)
        case Region():
            pending = _starts(root.blocks, inside_first)
        case _:
            found.append(root)
            pending = _starts([b for region in root.regions for b in region.blocks], inside_first)
    while pending:
        op = pending.pop()
        while op is not None:
            found.append(op)
            following = op.prev_op if inside_first else op.next_op
            if op.regions:
                pending.append(following)
                blocks = [block for region in op.regions for block in region.blocks]
                pending += _starts(blocks, inside_first)
                break
            op = following
    if inside_first:
        # It was found from the end, each op before what is nested in it.
        found.reverse()
    return found


def _starts(blocks: Sequence[Block], inside_first: bool) -> list[Operation | None]:
    """The first op of the walk of each block, starting with the last block."""
    if inside_first:
        return [block.last_op for block in blocks]
    return [block.first_op for block in reversed(blocks)]


def ancestors(op: Operation) -> Iterator[Operation]:
    """The ops around an op, the innermost first."""
    around = op.parent_op()
    while around is not None:
        yield around
        around = around.parent_op()


def ops_around(ops: Iterable[Operation]) -> set[Operation]:
    """All ops in which one of `ops` is nested."""
    found = set[Operation]()
    for op in ops:
        around = op.parent_op()
        while around is not None and around not in found:
            found.add(around)
            around = around.parent_op()
    return found


def clone_of(op: OpT) -> OpT:
    """A faster `op.clone()`, without `walk`.

    The copies keep the locations of the ops.
    """
    values: dict[SSAValue, SSAValue] = {}
    copy = op.clone(values, clone_operands=False)
    for old, new in zip(ops_in(op), ops_in(copy), strict=True):
        new.operands = [values.get(operand, operand) for operand in old.operands]
    return copy
