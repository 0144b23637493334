"""Walking the ops of a function or a module in one step."""

from xdsl.ir import Block, Operation, Region


def ops_in(root: Operation | Region | Block) -> list[Operation]:
    """An op, if it is one, and all that is nested in `root`, in the order of `root.walk()`.

    A list in place of a generator: passes walk whole functions some two hundred times on the way to
    PTX, and `walk` hands each op through three generators for every level that it is nested in.
    That takes three to four times as long, and the square of the depth in regions nested a thousand
    deep. Ops that are added or erased meanwhile are not seen.
    """
    found: list[Operation] = []
    # The ops to go on with, the innermost last, in place of calls that would nest as deep.
    pending: list[Operation | None]
    match root:
        case Block():
            pending = [root.first_op]
        case Region():
            pending = [block.first_op for block in reversed(root.blocks)]
        case _:
            found.append(root)
            pending = _first_ops(root)
    while pending:
        op = pending.pop()
        while op is not None:
            found.append(op)
            following = op.next_op
            if op.regions:
                pending.append(following)
                pending += _first_ops(op)
                break
            op = following
    return found


def _first_ops(op: Operation) -> list[Operation | None]:
    """The first ops of the blocks of an op, the last block first."""
    return [block.first_op for region in reversed(op.regions) for block in reversed(region.blocks)]
