"""Converts `if`, `for` and `loop` to `scf` ops, which have no early exits.

A `cuda_tile` loop or kernel may be exited from inside nested ifs; an `scf` region exits only at its
end. An op that may exit early therefore also yields an exit code, and the values of the exit. Later
ops of the block move into an `scf.if` on the code:

    for .. {                                  scf.for .. {
      if %c { continue %x : T }                 %code, %v = scf.if %c { yield 1, %x }
      ..                                                    else { yield 0, poison }
      continue %y : T                           %w = scf.if (%code == 0) { .. yield %y }
    }                                                      else { yield %v }
                                                scf.yield %w
                                              }

The rewrite runs before types are converted.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import TypeAlias

from xdsl.dialects import arith, scf, ub
from xdsl.dialects.builtin import (
    IntegerAttr,
    IntegerType,
    UnrealizedConversionCastOp,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.dialects.arith import CmpIOp, ExtUIOp, SelectOp, TruncIOp
from tileir_xdsl.dialects.cuda_tile.core import FunctionOperation
from tileir_xdsl.walking import ops_in

Types: TypeAlias = tuple[Attribute, ...]


class Exit(IntEnum):
    """How a block exits."""

    NONE = 0
    CONTINUE = 1
    BREAK = 2
    RETURN = 3


# The code of an exit is a number and no i1, as one block may be left in several ways.
TERMINATORS: dict[type[Operation], Exit] = {
    cuda_tile.YieldOp: Exit.NONE,
    cuda_tile.ContinueOp: Exit.CONTINUE,
    cuda_tile.BreakOp: Exit.BREAK,
    cuda_tile.ReturnOp: Exit.RETURN,
}
LOOPS = (cuda_tile.ForOp, cuda_tile.LoopOp)
COMBINING = (cuda_tile.ReduceOp, cuda_tile.ScanOp)


@dataclass(frozen=True)
class Signature:
    """The values that a block yields: results, and with exits also a code and a slot for each
    exit.
    """

    results: Types = ()
    natural: Exit = Exit.NONE
    """The terminator whose operands are the results."""
    has_exits: bool = False
    continues: Types = ()
    breaks: Types = ()
    returns: Types = ()

    @property
    def exit_types(self) -> Types:
        """The types of the code and of the slots."""
        if not self.has_exits:
            return ()
        # A slot for each exit: types differ, and a value must be defined on all paths.
        return (i32, *self.continues, *self.breaks, *self.returns)

    @property
    def types(self) -> Types:
        return self.results + self.exit_types


@dataclass
class Emitter:
    """Appends ops to a block, with the location of the op that they replace."""

    block: Block
    source: Operation

    def add(self, op: Operation) -> Operation:
        op.location = self.source.location
        self.block.add_op(op)
        return op

    def value(self, op: Operation) -> SSAValue:
        return self.add(op).results[0]

    def constant(self, value: int, type: IntegerType = i32) -> SSAValue:
        return self.value(arith.ConstantOp(IntegerAttr(value, type)))

    def poison(self, types: Sequence[Attribute]) -> list[SSAValue]:
        """A poison value of each type."""
        return [self.value(ub.PoisonOp(type)) for type in types]

    def is_code(self, code: SSAValue, exit: Exit) -> SSAValue:
        return self.value(CmpIOp(code, self.constant(exit), "eq"))


@dataclass(frozen=True)
class Exits:
    """The ops of a function that may exit the blocks around them."""

    leaving: frozenset[Operation]
    """Ops that may exit their block early: by an exit in a nested if, or a return in a loop."""
    returning: frozenset[Operation]
    """Ops that contain a return."""
    continuing: frozenset[Operation]
    """Ops that contain a `continue` of an enclosing loop."""


def exits_of(function: Operation) -> Exits:
    """Finds the exits of a function in one walk, from inner ops to outer ops."""
    leaving, returning, continuing = set[Operation](), set[Operation](), set[Operation]()
    for op in reversed(ops_in(function)):
        around = op.parent_op()
        exit = TERMINATORS.get(type(op), Exit.NONE)
        is_loop = isinstance(op, LOOPS)
        # A break or continue in a loop ends that loop, not the block around it.
        if is_loop and op in returning:
            leaving.add(op)
        if around is None:
            continue
        if isinstance(around, cuda_tile.IfOp) and (exit != Exit.NONE or op in leaving):
            leaving.add(around)
        if exit == Exit.RETURN or op in returning:
            returning.add(around)
        if exit == Exit.CONTINUE or (op in continuing and not is_loop):
            continuing.add(around)
    return Exits(frozenset(leaving), frozenset(returning), frozenset(continuing))


@dataclass(frozen=True)
class StructureControlFlow(RewritePattern):
    """Rewrites the body of a function; only its return stays a `cuda_tile` terminator."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, FunctionOperation)
        block = op.body.block
        returns = tuple(op.function_type.outputs.data)
        structure_block(exits_of(op), block, Signature(returns, Exit.RETURN, returns=returns))
        _replace_yield(block, cuda_tile.ReturnOp)
        rewriter.notify_op_modified(op)


def structure_combiner(exits: Exits, block: Block) -> None:
    """Rewrites the body of a reduction or scan, which keeps its `yield`."""
    terminator = block.last_op
    assert isinstance(terminator, cuda_tile.YieldOp)
    structure_block(exits, block, Signature(tuple(value.type for value in terminator.operands)))
    _replace_yield(block, cuda_tile.YieldOp)


def _replace_yield(block: Block, terminator: type[Operation]) -> None:
    """Replaces the terminator of a structured block, with the same operands."""
    last = block.last_op
    assert isinstance(last, scf.YieldOp)
    Emitter(block, last).add(terminator.create(operands=last.operands))
    last.detach()
    last.erase()


def structure_block(exits: Exits, block: Block, signature: Signature) -> None:
    """Rewrites a block to end in one `scf.yield` of the signature's values."""
    for op in tuple(block.ops):
        # Later ops are structured with the rest of the block, in the branch that stays.
        if op in exits.leaving:
            _split_at(exits, block, op, signature)
            return
        if isinstance(op, cuda_tile.IfOp):
            # It cannot leave, so it need not say how it ended.
            _replace_if(exits, op, block, replace(signature, has_exits=False))
        elif isinstance(op, LOOPS):
            _replace_loop(exits, op, block, replace(signature, has_exits=False))
        elif isinstance(op, COMBINING):
            structure_combiner(exits, op.body.block)
    terminator = block.last_op
    assert terminator is not None
    terminator.detach()
    values = _terminator_values(Emitter(block, terminator), terminator, signature)
    Emitter(block, terminator).add(scf.YieldOp(*values))
    terminator.erase()


def _terminator_values(
    emitter: Emitter, terminator: Operation, signature: Signature
) -> list[SSAValue]:
    """The values that a block with this terminator yields for a signature."""
    exit, given = TERMINATORS[type(terminator)], list(terminator.operands)
    if exit == signature.natural:
        code, results = Exit.NONE, given
    else:
        # Nobody reads the results of a block that was left: the code is tested first.
        code, results = exit, emitter.poison(signature.results)
    if not signature.has_exits:
        return results
    slots: list[SSAValue] = []
    for slot, types in (
        (Exit.CONTINUE, signature.continues),
        (Exit.BREAK, signature.breaks),
        (Exit.RETURN, signature.returns),
    ):
        slots += given if slot == code else emitter.poison(types)
    return [*results, emitter.constant(code), *slots]


def _split_at(exits: Exits, block: Block, op: Operation, signature: Signature) -> None:
    """Moves the ops after an op that may exit into an `scf.if` on its exit code."""
    following: list[Operation] = []
    while block.last_op is not op:
        last = block.last_op
        assert last is not None
        last.detach()
        following.append(last)
    rest = Block()
    for moved in reversed(following):
        rest.add_op(moved)

    with_exits = replace(signature, has_exits=True)
    replacing = _replace_if if isinstance(op, cuda_tile.IfOp) else _replace_loop
    left = replacing(exits, op, block, with_exits)

    structure_block(exits, rest, signature)
    emitter = Emitter(block, op)
    stays = emitter.is_code(left[0], Exit.NONE)
    gone = Block()
    leaving = Emitter(gone, op)
    if signature.has_exits:
        values = [*leaving.poison(signature.results), *left]
    # No exit of the parent: only a return in unreachable code gets here.
    elif signature.natural == Exit.NONE:
        values = leaving.poison(signature.results)
    else:
        values = _slot(left, with_exits, signature.natural)
    leaving.add(scf.YieldOp(*values))
    branch = scf.IfOp(stays, signature.types, [rest], [gone])
    emitter.add(branch)
    emitter.add(scf.YieldOp(*branch.results))


def _slot(left: Sequence[SSAValue], signature: Signature, exit: Exit) -> list[SSAValue]:
    """Selects the values of one exit from an op's code and slots."""
    start = 1
    for slot, types in (
        (Exit.CONTINUE, signature.continues),
        (Exit.BREAK, signature.breaks),
        (Exit.RETURN, signature.returns),
    ):
        if slot == exit:
            return list(left[start : start + len(types)])
        start += len(types)
    return []


def _take_region(op: Operation, region: Region) -> Block:
    """Detaches the block of a region of `op`; a missing block becomes one that yields nothing."""
    if region.blocks:
        return region.detach_block(0)
    block = Block()
    Emitter(block, op).add(cuda_tile.YieldOp.create())
    return block


def _swap(op: Operation, block: Block, new_op: Operation, results: Sequence[SSAValue]) -> None:
    """Replaces an op by a new op in its block."""
    new_op.location = op.location
    block.insert_op_before(new_op, op)
    for old, new in zip(op.results, results, strict=True):
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    op.detach()
    op.erase()


def _replace_if(exits: Exits, op: Operation, block: Block, outer: Signature) -> list[SSAValue]:
    """Replaces an if; returns its code and slots, if it may exit."""
    assert isinstance(op, cuda_tile.IfOp)
    inner = replace(outer, results=tuple(op.result_types), natural=Exit.NONE)
    branches = [_take_region(op, op.then_region), _take_region(op, op.else_region)]
    for branch in branches:
        structure_block(exits, branch, inner)
    # An `scf.if` without results may lack its else; canonical ones do.
    has_else = bool(inner.types) or len(list(branches[1].ops)) > 1
    new_op = scf.IfOp(op.condition, inner.types, [branches[0]], [branches[1]] if has_else else None)
    results = new_op.results
    _swap(op, block, new_op, results[: len(op.results)])
    return list(results[len(inner.results) :])


def _replace_loop(exits: Exits, op: Operation, block: Block, outer: Signature) -> list[SSAValue]:
    """Replaces a for or a loop; returns its code and slots, if it may return."""
    if isinstance(op, cuda_tile.ForOp):
        return _replace_for(exits, op, block, outer)
    assert isinstance(op, cuda_tile.LoopOp)
    return _replace_while(exits, op, block, outer)


def _outer_exits(
    block: Block, op: Operation, code: SSAValue, returned: Sequence[SSAValue], outer: Signature
) -> list[SSAValue]:
    """The code and slots of a loop that may return, as an exit of the enclosing block."""
    emitter = Emitter(block, op)
    returns = emitter.is_code(code, Exit.RETURN)
    code = emitter.value(
        # The exit of the inner loop is not an exit of the outer block.
        SelectOp(returns, emitter.constant(Exit.RETURN), emitter.constant(Exit.NONE))
    )
    return [code, *emitter.poison(outer.continues), *emitter.poison(outer.breaks), *returned]


def _replace_while(
    exits: Exits, op: cuda_tile.LoopOp, block: Block, outer: Signature
) -> list[SSAValue]:
    """Converts a loop to an `scf.while` whose body precedes its condition, true after a continue.

    Without a continue, the body runs once and replaces the loop. Front ends wrap the body of a
    function with several returns in such a loop.
    """
    returning = op in exits.returning
    repeats = op in exits.continuing
    carried = tuple(value.type for value in op.init_values)
    body = _take_region(op, op.body)
    inner = Signature(
        (), Exit.NONE, True, carried, tuple(op.result_types), outer.returns if returning else ()
    )
    structure_block(exits, body, inner)
    last = body.last_op
    assert isinstance(last, scf.YieldOp)
    code, *slots = last.operands
    last.detach()
    last.erase()
    if not repeats:
        return _inline_body(op, block, body, code, slots, outer, returning)
    emitter = Emitter(body, op)
    goes_on = emitter.is_code(code, Exit.CONTINUE)
    # Values forwarded by an `scf.condition` are arguments of the body and results of the loop.
    forwarded = [*slots, code] if returning else slots
    emitter.add(scf.ConditionOp(goes_on, *forwarded))
    after = Block(arg_types=[value.type for value in forwarded])
    Emitter(after, op).add(scf.YieldOp(*after.args[: len(carried)]))
    new_op = scf.WhileOp(op.init_values, after.arg_types, [body], [after])
    results = new_op.results
    first = len(carried)
    _swap(op, block, new_op, results[first : first + len(inner.breaks)])
    if not returning:
        return []
    returned = results[first + len(inner.breaks) : -1]
    return _outer_exits(block, op, results[-1], returned, outer)


def _inline_body(
    op: cuda_tile.LoopOp,
    block: Block,
    body: Block,
    code: SSAValue,
    slots: Sequence[SSAValue],
    outer: Signature,
    returning: bool,
) -> list[SSAValue]:
    """Replaces a loop that runs once by its structured body.

    Returns the loop's code and slots if it may return.
    """
    given: dict[SSAValue, SSAValue] = dict(zip(body.args, op.init_values, strict=True))
    for argument, value in given.items():
        argument.replace_all_uses_with(value)
    # The loop may be left with the values that it was given.
    slots = [given.get(value, value) for value in slots]
    first = len(op.init_values)
    left = slots[first : first + len(op.results)]
    returned = slots[first + len(op.results) :]
    for inner in tuple(body.ops):
        inner.detach()
        block.insert_op_before(inner, op)
    for old, new in zip(op.results, left, strict=True):
        old.replace_all_uses_with(new)
    op.detach()
    op.erase()
    return _outer_exits(block, op, code, returned, outer) if returning else []


def _replace_for(
    exits: Exits, op: cuda_tile.ForOp, block: Block, outer: Signature
) -> list[SSAValue]:
    """Converts a for to an `scf.for`, whose iterations after a return do nothing."""
    carried = tuple(value.type for value in op.init_values)
    returning = op in exits.returning
    body = _take_region(op, op.body)
    # Its own end may be a return.
    if not returning and exits.leaving.isdisjoint(body.ops):
        structure_block(exits, body, Signature(carried, Exit.CONTINUE))
        return _build_for(op, block, body, list(op.init_values), [])
    inner = Signature((), Exit.NONE, True, carried, (), outer.returns if returning else ())
    structure_block(exits, body, inner)
    last = body.last_op
    assert isinstance(last, scf.YieldOp)
    code, *slots = last.operands
    last.detach()
    last.erase()
    # Without a return every exit is a continue, whose values are what the next iteration takes.
    if not returning:
        Emitter(body, op).add(scf.YieldOp(*slots))
        return _build_for(op, block, body, list(op.init_values), [])
    return _build_returning_for(op, block, body, code, slots, outer)


def _build_returning_for(
    op: cuda_tile.ForOp,
    block: Block,
    body: Block,
    code: SSAValue,
    slots: Sequence[SSAValue],
    outer: Signature,
) -> list[SSAValue]:
    """Builds a loop that also carries its exit code and the values of a return."""
    Emitter(body, op).add(scf.YieldOp(*slots, code))
    induction, *carried = body.args
    state = (*(a.type for a in carried), *outer.returns, i32)
    guarded = Block(arg_types=[induction.type, *state])
    for old, new in zip(body.args, guarded.args, strict=False):
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    # The body becomes a branch of `scf.if`, which has no arguments.
    while body.args:
        body.erase_arg(body.args[-1])
    emitter = Emitter(guarded, op)
    returned = emitter.is_code(guarded.args[-1], Exit.RETURN)
    done = Block()
    Emitter(done, op).add(scf.YieldOp(*guarded.args[1:]))
    branch = scf.IfOp(returned, state, [done], [body])
    emitter.add(branch)
    emitter.add(scf.YieldOp(*branch.results))

    setup = Block()
    start = Emitter(setup, op)
    # Any code but RETURN lets the first iteration run.
    extra = [*start.poison(outer.returns), start.constant(Exit.CONTINUE)]
    for created in tuple(setup.ops):
        created.detach()
        block.insert_op_before(created, op)
    results = _build_for(op, block, guarded, list(op.init_values), extra)
    return _outer_exits(block, op, results[-1], results[:-1], outer)


def _build_for(
    op: cuda_tile.ForOp,
    block: Block,
    body: Block,
    carried: list[SSAValue],
    extra: list[SSAValue],
) -> list[SSAValue]:
    """Replaces a for by an `scf.for` with a structured body; returns the extra results."""
    bounds = [op.lower_bound, op.upper_bound, op.step]
    if op.unsigned_cmp is not None:
        bounds = _count_iterations(op, block, body)
    new_op = scf.ForOp.create(
        operands=[*bounds, *carried, *extra],
        result_types=[value.type for value in (*carried, *extra)],
        regions=[Region(body)],
    )
    results = new_op.results
    _swap(op, block, new_op, results[: len(carried)])
    return list(results[len(carried) :])


def _count_iterations(op: cuda_tile.ForOp, block: Block, body: Block) -> list[SSAValue]:
    """Makes an unsigned `for` count its iterations in i64, and computes the induction variable.

    The bounds have one integer type; `scf.for` compares signed numbers.
    """
    tile = op.lower_bound.type
    assert isinstance(tile, cuda_tile.TileType)
    element = tile.element_type
    assert isinstance(element, IntegerType)
    setup = Block()
    emitter = Emitter(setup, op)

    def scalar(value: SSAValue) -> SSAValue:
        # There is no wider type to count in, so that the count itself may be as large as 2**64 - 1.
        if element == i64:
            return emitter.value(cast_scalar(value, i64))
        return emitter.value(ExtUIOp(emitter.value(cast_scalar(value, element)), i64))

    lower, upper, step = scalar(op.lower_bound), scalar(op.upper_bound), scalar(op.step)
    one, zero = emitter.constant(1, i64), emitter.constant(0, i64)
    distance = emitter.value(arith.SubiOp(upper, lower))
    # Rounded up this way, as `distance + step - 1` may wrap around.
    whole = emitter.value(arith.DivUIOp(emitter.value(arith.SubiOp(distance, one)), step))
    count = emitter.value(arith.AddiOp(whole, one))
    # Where the upper bound is the lower one or less, the distance has wrapped around.
    runs = emitter.value(CmpIOp(lower, upper, "ult"))
    count = emitter.value(SelectOp(runs, count, zero))
    for created in tuple(setup.ops):
        created.detach()
        block.insert_op_before(created, op)

    # The induction variable lower + number * step, before the body.
    counter = body.insert_arg(i64, 0)
    induction = body.args[1]
    head = Block()
    emitter = Emitter(head, op)
    product = emitter.value(arith.MuliOp(counter, step))
    value = emitter.value(arith.AddiOp(lower, product))
    # In i64 the product cannot wrap for the iterations that run, so that truncating it is exact.
    if element != i64:
        value = emitter.value(TruncIOp(value, element))
    value = emitter.value(cast_scalar(value, tile))
    first = body.first_op
    assert first is not None
    for created in tuple(head.ops):
        created.detach()
        body.insert_op_before(created, first)
    value.name_hint = induction.name_hint
    induction.replace_all_uses_with(value)
    body.erase_arg(induction)
    return [zero, count, one]


def cast_scalar(value: SSAValue, type: Attribute) -> Operation:
    """Casts a rank-0 tile to its element type or back; type conversion removes the cast."""
    return UnrealizedConversionCastOp.get((value,), (type,))
