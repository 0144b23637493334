"""Branches, loops and early exits. Every loop ends after a few iterations, whatever its data."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Region

from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.testing.programs.builder import BOOLEAN, TOKEN, Builder, LoopFrame, Row, Rows
from tileir_xdsl.testing.programs.draft import Chain
from tileir_xdsl.testing.programs.elements import (
    ELEMENT_TYPES,
    WIDE_INTEGERS,
    element_of,
    shape_of,
    tile,
)
from tileir_xdsl.testing.programs.values import SIGNEDNESSES, below

MAX_DEPTH = 3
"""The maximal nesting depth of loops and branches."""

_ANY = tuple(ELEMENT_TYPES)


def _is_shallow(b: Builder) -> bool:
    return b.depth < MAX_DEPTH


def _result_types(b: Builder, most: int = 3) -> list[cuda_tile.TileType]:
    return [b.some_type(_ANY) for _ in range(b.integer(0, most))]


def _types_of_unused(b: Builder, branches: Sequence[Builder]) -> list[cuda_tile.TileType]:
    """The types of some values without uses in the branches."""
    unused = [
        type_
        for branch in branches
        for type_, values in branch.values.items()
        if any(value.first_use is None for value in values)
    ]
    return b.draft.random.sample(unused, min(len(unused), 3))


def enter(b: Builder, inner: Builder, chains: Sequence[Chain], carried: bool) -> None:
    """Makes chains usable in `inner`, from their current tokens or from its last block
    arguments.
    """
    arguments = inner.block.args[len(inner.block.args) - len(chains) :]
    for i, chain in enumerate(chains):
        inner.tokens[chain] = arguments[i] if carried else b.tokens[chain]


def leave(
    b: Builder,
    operation: cuda_tile.IfOp | cuda_tile.ForOp | cuda_tile.LoopOp,
    chains: Sequence[Chain],
) -> None:
    """Makes the results of an operation usable; the last results are the new tokens of chains."""
    count = len(operation.results) - len(chains)
    b.keep(*operation.results[:count])
    b.tokens.update(zip(chains, operation.results[count:], strict=True))


def _fill(b: Builder) -> None:
    """Adds the operations of a few random rows."""
    for _ in range(b.integer(1, 4)):
        b.step()


# Terminators.


def _yield(b: Builder, types: Sequence[cuda_tile.TileType], chains: Sequence[Chain]) -> None:
    values = [b.value(type_) for type_ in types]
    b.add(cuda_tile.YieldOp([*values, *(b.token(chain) for chain in chains)]))


def _continue(b: Builder, frame: LoopFrame) -> None:
    counter = [] if frame.counter is None else [frame.counter]
    values = [b.value(type_) for type_ in frame.continue_types]
    b.add(cuda_tile.ContinueOp([*counter, *values, *(b.token(chain) for chain in frame.captured)]))


def _break(b: Builder, frame: LoopFrame) -> None:
    assert frame.break_types is not None
    values = [b.value(type_) for type_ in frame.break_types]
    b.add(cuda_tile.BreakOp([*values, *(b.token(chain) for chain in frame.captured)]))


def _exits(b: Builder) -> list[type[cuda_tile.ContinueOp | cuda_tile.BreakOp | cuda_tile.ReturnOp]]:
    """The terminators that exit the enclosing loop, its iteration or the kernel."""
    exits: list[type[cuda_tile.ContinueOp | cuda_tile.BreakOp | cuda_tile.ReturnOp]] = []
    if b.frame is not None:
        exits += [cuda_tile.ContinueOp, cuda_tile.ContinueOp]
        if b.frame.break_types is not None:
            exits += [cuda_tile.BreakOp, cuda_tile.BreakOp]
    if b.can_return:
        exits.append(cuda_tile.ReturnOp)
    return exits


def _exit(
    b: Builder, kind: type[cuda_tile.ContinueOp | cuda_tile.BreakOp | cuda_tile.ReturnOp]
) -> None:
    if kind is cuda_tile.ReturnOp:
        b.add(cuda_tile.ReturnOp())
        return
    assert b.frame is not None
    (_continue if kind is cuda_tile.ContinueOp else _break)(b, b.frame)


# Operations with regions.


def _emit_if(b: Builder) -> None:
    if b.chance(0.3):
        _emit_single_branch(b)
        return
    condition = b.value(BOOLEAN)
    chains = b.sample(list(b.tokens), 0.6)
    exits = _exits(b)
    leaving = b.integer(0, 1) if exits and b.chance(0.4) else None
    branches = [b.child(frame=b.frame, can_return=True) for _ in range(2)]
    for branch in branches:
        enter(b, branch, chains, carried=False)
        _fill(branch)
    types = _types_of_unused(b, branches) or _result_types(b)
    regions: list[Region] = []
    for index, branch in enumerate(branches):
        if index == leaving:
            _exit(branch, b.choose(exits))
        else:
            _yield(branch, types, chains)
        regions.append(branch.region())
    result_types = [*types, *[TOKEN] * len(chains)]
    leave(b, b.add(cuda_tile.IfOp(condition, result_types, *regions)), chains)


def _emit_single_branch(b: Builder) -> None:
    """An `if` without results and without an else branch."""
    condition, exits = b.value(BOOLEAN), _exits(b)
    branch = b.child(frame=b.frame, can_return=True)
    _fill(branch)
    if exits and b.chance(0.7):
        _exit(branch, b.choose(exits))
    else:
        branch.add(cuda_tile.YieldOp())
    b.add(cuda_tile.IfOp(condition, [], branch.region()))


def _emit_for(b: Builder) -> None:
    element = b.choose(WIDE_INTEGERS)
    type_ = tile(element)
    lower = below(b, b.value(type_), 4)
    if b.chance(0.3):
        lower = b.number(b.integer(-3, 3), element)
    count = below(b, b.value(type_), 6)
    upper = b.add(cuda_tile.AddIOp(lower, count)).result
    # An unsigned range may not go through zero.
    unsigned = b.chance(0.4)
    if unsigned:
        lower = below(b, lower, 4)
        upper = below(b, upper, 9)
    types, chains = _result_types(b), b.sample(list(b.tokens), 0.7)
    inits = [*(b.value(t) for t in types), *(b.tokens[chain] for chain in chains)]
    frame = LoopFrame(None, types, None, chains)
    arguments = [type_, *(value.type for value in inits)]
    body = b.child(arguments, frame=frame, repeated=True)
    enter(b, body, chains, carried=True)
    body.keep(*body.block.args[: 1 + len(types)])
    _fill(body)
    _continue(body, frame)
    step = b.number(b.integer(2, 4), element)
    loop = cuda_tile.ForOp(lower, upper, step, inits, body.region(), unsigned=unsigned)
    leave(b, b.add(loop), chains)


def _emit_loop(b: Builder) -> None:
    """A `loop` with a counter that may also end for another reason."""
    element = b.choose(WIDE_INTEGERS)
    carried, results = _result_types(b), _result_types(b)
    chains = b.sample(list(b.tokens), 0.7)
    inits = [
        b.number(0, element),
        *(b.value(type_) for type_ in carried),
        *(b.tokens[chain] for chain in chains),
    ]
    body = b.child([value.type for value in inits], repeated=True, can_return=True)
    enter(b, body, chains, carried=True)
    counter, *values = body.block.args[: 1 + len(carried)]
    body.keep(counter, *values)
    following = body.add(cuda_tile.AddIOp(counter, body.number(1, element))).result
    body.frame = LoopFrame(following, carried, results, chains)
    limit = body.number(b.integer(1, 3), element)
    predicate = cuda_tile.ComparisonPredicate.GREATER_THAN_OR_EQUAL
    done = body.add(cuda_tile.CmpIOp(predicate, counter, limit, b.choose(SIGNEDNESSES))).result
    if b.chance(0.5):
        done = body.add(cuda_tile.OrIOp(done, body.value(BOOLEAN))).result
    last = body.child(frame=body.frame)
    _break(last, body.frame)
    body.add(cuda_tile.IfOp(done, [], last.region()))
    _fill(body)
    (_break if b.chance(0.15) else _continue)(body, body.frame)
    loop = cuda_tile.LoopOp(inits, [*results, *[TOKEN] * len(chains)], body.region())
    leave(b, b.add(loop), chains)


def _emit_assertion(b: Builder) -> None:
    """An assertion that always holds."""
    value = below(b, b.some_value(WIDE_INTEGERS), 8)
    limit = b.number(b.integer(8, 100), element_of(value), shape_of(value))
    predicate = cuda_tile.ComparisonPredicate.LESS_THAN
    holds = b.add(cuda_tile.CmpIOp(predicate, value, limit, cuda_tile.Signedness.SIGNED)).result
    b.add(cuda_tile.AssertOp(holds, "out of range"))


ROWS: Rows = {
    cuda_tile.AssertOp: Row(1, _emit_assertion),
    cuda_tile.ForOp: Row(2, _emit_for, _is_shallow),
    cuda_tile.IfOp: Row(2.5, _emit_if, _is_shallow),
    cuda_tile.LoopOp: Row(2, _emit_loop, _is_shallow),
}
