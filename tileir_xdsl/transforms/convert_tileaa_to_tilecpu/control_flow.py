"""Converts loops and branches: scalars stay values, and tiles are in buffers.

A tile that a loop carries has one buffer for all iterations. The next tile is computed directly in
that buffer if the current tile is not read afterwards; otherwise it is copied there at the end.
"""

from collections.abc import Mapping, Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Operation, Region, SSAValue

from tileir_xdsl.analysis.iteration_space.tile_ops import Kind, is_token, kind_of
from tileir_xdsl.dialects import nv_tileaa, tilecpu
from tileir_xdsl.dialects.tilecpu.decisions import group_of

from .blocks import BlockConversion
from .whole_ops import dies_at, may_overwrite


def is_tile(value: SSAValue) -> bool:
    """Whether a value is stored in a buffer."""
    return isinstance(value.type, TensorType)


def is_scalar(value: SSAValue) -> bool:
    """Whether a value stays a value; tokens are dropped."""
    return not is_tile(value) and not is_token(value)


def _scalars(values: Sequence[SSAValue]) -> list[SSAValue]:
    return [value for value in values if is_scalar(value)]


def _carried_buffer(conversion: BlockConversion, value: SSAValue, op: Operation) -> SSAValue:
    """A buffer for a tile that a loop carries, initialised with the first tile."""
    buffer = conversion.values.buffers[value]
    if may_overwrite(buffer, value, op):
        return buffer
    own = conversion.alloc(value, op)
    conversion.add(tilecpu.CopyOp(buffer, own), op)
    return own


def _copies(
    conversion: BlockConversion,
    source: Operation,
    pairs: Sequence[tuple[SSAValue, SSAValue]],
) -> None:
    """Copies several buffers simultaneously: each buffer is read before it is overwritten."""
    moving = [(old, new) for old, new in pairs if old is not new]
    written = {new for _, new in moving}
    staged: list[tuple[SSAValue, SSAValue]] = []
    for old, new in moving:
        if old in written:
            alloc = tilecpu.AllocOp(old.type)  # pyright: ignore[reportArgumentType]
            conversion.add(alloc, source)
            conversion.add(tilecpu.CopyOp(old, alloc.buffer), source)
            old = alloc.buffer
        staged.append((old, new))
    for old, new in staged:
        conversion.add(tilecpu.CopyOp(old, new), source)


def _homes(
    block: Block, carried: Mapping[SSAValue, SSAValue], yielded: Sequence[SSAValue]
) -> dict[SSAValue, SSAValue]:
    """Finds the yielded tiles that can be computed directly in the buffers of carried tiles.

    `carried` maps block arguments to buffers, in the order of the yielded values.
    """
    homes: dict[SSAValue, SSAValue] = {}
    for (argument, buffer), value in zip(carried.items(), yielded, strict=True):
        if value not in homes:
            _find_home(block, value, argument, buffer, homes)
    return homes


def _find_home(
    block: Block,
    value: SSAValue,
    argument: SSAValue,
    buffer: SSAValue,
    homes: dict[SSAValue, SSAValue],
) -> None:
    op = value.owner
    if not isinstance(op, Operation) or op.parent is not block or value in homes:
        return
    group = group_of(op)
    if group is None:
        return
    if isinstance(op, nv_tileaa.DotOp):
        if op.c is argument and dies_at(argument, op):
            homes[value] = buffer
            return
        if dies_at(op.c, op):
            _find_home(block, op.c, argument, buffer, homes)
            if op.c in homes:
                homes[value] = buffer
                return
    if all(_reads_before(use.operation, op, group, block) for use in argument.uses):
        homes[value] = buffer


def _reads_before(user: Operation, op: Operation, group: int, block: Block) -> bool:
    """Whether a user reads a carried tile before an op of this group overwrites it."""
    inside = user
    while inside.parent is not block:
        around = inside.parent_op()
        if around is None:
            return False
        inside = around
    taken_by = group_of(inside)
    if taken_by is None:
        moves = kind_of(inside) in (Kind.MOVES, Kind.COMPUTES)
        users = [use.operation for result in inside.results for use in result.uses]
        return moves and all(
            (number := group_of(each)) is not None and number < group for each in users
        )
    same_element = inside is user and kind_of(op) is kind_of(user) is Kind.COMPUTES
    return taken_by < group or (taken_by == group and same_element)


def _body(
    conversion: BlockConversion,
    source: Block,
    target: Block,
    buffers: Sequence[SSAValue],
    destinations: Sequence[SSAValue],
    *,
    carries: bool,
) -> list[SSAValue]:
    """Converts a body, which copies its tiles to `destinations` at the end; returns its scalars.

    `buffers` hold the tiles among the body's arguments. If it `carries`, yielded tiles may be
    computed directly in `buffers`.
    """
    values = conversion.values
    tiles = [argument for argument in source.args if is_tile(argument)]
    values.buffers |= dict(zip(tiles, buffers, strict=True))
    scalars = [argument for argument in source.args if is_scalar(argument)]
    values.scalars |= dict(zip(scalars, target.args, strict=True))
    end = source.last_op
    assert end is not None
    results = end.args if isinstance(end, scf.ConditionOp) else end.operands
    yielded = [value for value in results if is_tile(value)]
    homes: dict[SSAValue, SSAValue] = {}
    if carries:
        homes = _homes(source, dict(zip(tiles, buffers, strict=True)), yielded)
    inner = BlockConversion(
        conversion.function, source, target, values, homes, conversion.whole_ops
    )
    inner.convert()
    _copies(
        inner,
        end,
        [(values.buffers[value], to) for value, to in zip(yielded, destinations, strict=True)],
    )
    return [values.scalar(value) for value in results if is_scalar(value)]


def _set_results(
    conversion: BlockConversion,
    op: Operation,
    scalars: Sequence[SSAValue],
    buffers: Sequence[SSAValue],
) -> None:
    values = conversion.values
    values.scalars |= dict(zip(_scalars(op.results), scalars, strict=True))
    tiles = [result for result in op.results if is_tile(result)]
    values.buffers |= dict(zip(tiles, buffers, strict=True))


def convert_for(conversion: BlockConversion, op: Operation) -> None:
    """Converts a loop with its tiles in buffers."""
    assert isinstance(op, scf.ForOp)
    values = conversion.values
    carried = [_carried_buffer(conversion, value, op) for value in op.iter_args if is_tile(value)]
    initial = [values.scalar(value) for value in _scalars(op.iter_args)]
    source = op.body.block
    target = Block(arg_types=[value.type for value in _scalars(source.args)])
    results = _body(conversion, source, target, carried, carried, carries=True)
    target.add_op(scf.YieldOp(*results))
    lower, upper, step = (values.scalar(value) for value in (op.lb, op.ub, op.step))
    loop = scf.ForOp(lower, upper, step, initial, Region(target))
    conversion.add(loop, op)
    _set_results(conversion, op, loop.results, carried)


def convert_if(conversion: BlockConversion, op: Operation) -> None:
    """Converts a branch whose result tiles are in buffers."""
    assert isinstance(op, scf.IfOp)
    tiles = [conversion.output(result, op) for result in op.results if is_tile(result)]
    regions: list[Region] = []
    for region in op.regions:
        if not region.blocks:
            regions.append(Region())
            continue
        target = Block()
        results = _body(conversion, region.block, target, [], tiles, carries=False)
        target.add_op(scf.YieldOp(*results))
        regions.append(Region(target))
    types = [result.type for result in _scalars(op.results)]
    yes, no = regions
    branch = scf.IfOp(conversion.values.scalar(op.cond), types, yes, no)
    conversion.add(branch, op)
    _set_results(conversion, op, branch.results, tiles)


def convert_while(conversion: BlockConversion, op: Operation) -> None:
    """Converts a `while` loop, whose carried and forwarded tiles are in buffers."""
    assert isinstance(op, scf.WhileOp)
    values = conversion.values
    carried = [_carried_buffer(conversion, value, op) for value in op.arguments if is_tile(value)]
    forwarded = [conversion.output(result, op) for result in op.results if is_tile(result)]
    before, after = op.before_region.block, op.after_region.block
    first = Block(arg_types=[value.type for value in _scalars(before.args)])
    scalars = _body(conversion, before, first, carried, forwarded, carries=False)
    condition = before.last_op
    assert isinstance(condition, scf.ConditionOp)
    first.add_op(scf.ConditionOp(values.scalar(condition.condition), *scalars))
    second = Block(arg_types=[value.type for value in _scalars(after.args)])
    results = _body(conversion, after, second, forwarded, carried, carries=False)
    second.add_op(scf.YieldOp(*results))
    initial = [values.scalar(value) for value in _scalars(op.arguments)]
    types = [result.type for result in _scalars(op.results)]
    loop = scf.WhileOp(initial, types, Region(first), Region(second))
    conversion.add(loop, op)
    _set_results(conversion, op, loop.results, forwarded)
