"""Walking the ops of a function or a module in one step."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from xdsl.ir import Block, Operation, Region, SSAValue

OpT = TypeVar("OpT", bound=Operation)


def ops_in(root: Operation | Region | Block, *, inside_first: bool = False) -> list[Operation]:
    """An op, if it is one, and all that is nested in `root`, in the order of `root.walk()`.

    With `inside_first`, an op comes after what is nested in it.

    It is a list in place of a generator. Passes walk whole functions some two hundred times on the
    way to PTX. For each op `walk` runs three generators for every level around it. Generators take
    three to four times as long, and the square of the depth in regions nested a thousand deep. Ops
    that are added or erased meanwhile are not seen.
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
    """Where the walks of blocks start; the last of them comes first."""
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
    """All ops that one of `ops` is nested in."""
    found = set[Operation]()
    for op in ops:
        around = op.parent_op()
        while around is not None and around not in found:
            found.add(around)
            around = around.parent_op()
    return found


def clone_of(op: OpT) -> OpT:
    """`op.clone()`, which walks both with `walk` to give the copies their operands.

    The copies have the locations of the ops.
    """
    values: dict[SSAValue, SSAValue] = {}
    copy = op.clone(values, clone_operands=False)
    for old, new in zip(ops_in(op), ops_in(copy), strict=True):
        new.operands = [values.get(operand, operand) for operand in old.operands]
    return copy
