"""One `llvm.func` to machine blocks: block order, live block arguments, the backward walk."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects import llvm
from xdsl.ir import Block, Operation, SSAValue
from xdsl.utils.exceptions import DiagnosticException

from tileir_xdsl.backend.ptx.coalescing import coalesce
from tileir_xdsl.backend.ptx.control_flow import (
    lower_edges,
    predicate_small_branches,
    without_unreachable,
)
from tileir_xdsl.backend.ptx.instructions import Edge, Guard, Instruction, Line, MachineBlock
from tileir_xdsl.backend.ptx.parameters import parameter_loads
from tileir_xdsl.backend.ptx.registers import (
    PREDICATE,
    Component,
    Constant,
    RegisterClass,
    UnsupportedTypeError,
)
from tileir_xdsl.backend.ptx.selection import Selector, Stack
from tileir_xdsl.backend.ptx.tables import POINTERS, VIEWS, rule_of
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects.llvm import SwitchOp
from tileir_xdsl.dialects.nvvm.requirements import NVVMOperation
from tileir_xdsl.targets import PTXVersion, Target


@dataclass(frozen=True)
class SelectedFunction:
    """The instructions of a function, and its declarations."""

    blocks: Sequence[MachineBlock]
    classes: Sequence[RegisterClass]
    replaced: dict[int, int]
    """Registers that were coalesced into another."""
    version: PTXVersion
    stack: Stack
    called: set[str]
    values: Mapping[int, Sequence[Component]]
    """The registers or constants of each value, by its identity."""


def select_function(
    function: llvm.FuncOp, target: Target, version: PTXVersion | None
) -> SelectedFunction:
    """Selects the instructions of a function with a body.

    Raises `DiagnosticException` naming the first op that has no PTX form, or that the target or
    the PTX version lacks.
    """
    order = _block_order(function)
    numbers = {id(block): number for number, block in enumerate(order)}
    live = _live_arguments(order)
    selector = Selector(target, version, VIEWS, POINTERS)
    blocks = [_select_block(selector, block, numbers, live) for block in reversed(order)]
    blocks.reverse()
    blocks = without_unreachable(blocks)
    arguments = [selector.bound(argument) for argument in order[0].args]
    loads = list(parameter_loads(function, arguments, selector.classes))
    for symbol, register in selector.symbols.items():
        opcode = f"mov.u{selector.classes[register].bits}"
        loads.append(Instruction(opcode, (register, symbol), 1))
    _locate(loads, function)
    blocks[0].lines[:0] = loads
    # While copies are on edges: merged registers need no move at all.
    replaced = coalesce(blocks)
    blocks = lower_edges(blocks, selector.classes, replaced)
    # Last, as the moves of edges count as instructions of a branch.
    predicate_small_branches(blocks, replaced)
    return SelectedFunction(
        blocks,
        selector.classes,
        replaced,
        selector.version,
        selector.stack,
        selector.called,
        selector.held,
    )


# Block order.


def _block_order(function: llvm.FuncOp) -> list[Block]:
    """The reachable blocks, definitions before uses: in text order if possible, else by depth."""
    entry = function.body.blocks.first
    assert entry is not None
    postorder = _postorder(entry)
    if len(postorder) == 1:
        return postorder
    reachable = {id(block) for block in postorder}
    written = [block for block in function.body.blocks if id(block) in reachable]
    return written if _defines_before_use(written, postorder) else postorder[::-1]


def _postorder(entry: Block) -> list[Block]:
    order: list[Block] = []
    seen = {id(entry)}
    stack = [(entry, _successors(entry))]
    while stack:
        block, successors = stack[-1]
        for successor in successors:
            if id(successor) not in seen:
                seen.add(id(successor))
                stack.append((successor, _successors(successor)))
                break
        else:
            order.append(block)
            stack.pop()
    return order


def _successors(block: Block) -> Iterator[Block]:
    # Last first, so that in reverse postorder the first successor comes next.
    last = block.last_op
    return iter(()) if last is None else iter(tuple(last.successors)[::-1])


def _defines_before_use(order: Sequence[Block], postorder: Sequence[Block]) -> bool:
    """Whether each block comes after its immediate dominator.

    Dominators are computed by the iteration of Cooper, Harvey and Kennedy.
    """
    depth_first = postorder[::-1]
    number = {id(block): place for place, block in enumerate(depth_first)}
    predecessors: list[list[int]] = [[] for _ in depth_first]
    for place, block in enumerate(depth_first):
        for successor in _successors(block):
            predecessors[number[id(successor)]].append(place)
    dominator = [0] + [-1] * (len(depth_first) - 1)
    changed = True
    while changed:
        changed = False
        for place in range(1, len(depth_first)):
            common = -1
            for other in predecessors[place]:
                if dominator[other] < 0:
                    continue
                # Where the ways up from both meet.
                while common >= 0 and common != other:
                    if common > other:
                        common = dominator[common]
                    else:
                        other = dominator[other]
                common = other
            if dominator[place] != common:
                dominator[place], changed = common, True
    position = [0] * len(depth_first)
    for place, block in enumerate(order):
        position[number[id(block)]] = place
    return all(position[dominator[n]] <= position[n] for n in range(len(depth_first)))


# Which block arguments anything reads.


def _live_arguments(order: Sequence[Block]) -> set[int]:
    """The identities of the block arguments on which an op with effects depends."""
    live: set[int] = set()
    pending: list[int] = []
    passed_from: dict[int, list[int]] = {}
    for block in order[1:]:
        for argument in block.args:
            targets = _passed_to(argument)
            if targets is None:
                live.add(id(argument))
                pending.append(id(argument))
                continue
            for target in targets:
                passed_from.setdefault(id(target), []).append(id(argument))
    while pending:
        for source in passed_from.get(pending.pop(), ()):
            if source not in live:
                live.add(source)
                pending.append(source)
    return live


def _passed_to(argument: SSAValue) -> list[SSAValue] | None:
    """The block arguments that depend on `argument`; None if an op with effects does."""
    targets: list[SSAValue] = []
    pending, seen = [argument], {id(argument)}
    while pending:
        value = pending.pop()
        branches: list[Operation] = []
        for use in value.uses:
            op = use.operation
            if op.successors:
                branches.append(op)
                continue
            if (rule := rule_of(type(op))) is None or rule.has_effects:
                return None
            for result in op.results:
                if id(result) not in seen:
                    seen.add(id(result))
                    pending.append(result)
        for op in branches:
            if isinstance(op, llvm.CondBrOp | SwitchOp) and op.operands[0] is value:
                return None
            for block, arguments in _edges(op):
                for parameter, passed in zip(block.args, arguments, strict=True):
                    if passed is value:
                        targets.append(parameter)
    return targets


def _edges(op: Operation) -> Iterator[tuple[Block, Sequence[SSAValue]]]:
    """The successors of a terminator with the values passed to each."""
    match op:
        case llvm.BrOp():
            yield op.successor, op.arguments
        case llvm.CondBrOp():
            yield op.then_block, op.then_arguments
            yield op.else_block, op.else_arguments
        case SwitchOp():
            yield op.defaultDestination, op.defaultOperands
            for _, block, arguments in op.cases:
                yield block, arguments
        case _:
            fail(op, f"'{op.name}' has no PTX form")


# The walk.

_TERMINATORS = frozenset({llvm.BrOp, llvm.CondBrOp, SwitchOp, llvm.ReturnOp, llvm.UnreachableOp})


def _select_block(
    selector: Selector, block: Block, numbers: dict[int, int], live: set[int]
) -> MachineBlock:
    machine = MachineBlock()
    reversed_lines = machine.lines
    op = block.last_op
    if op is None:
        raise DiagnosticException("a block of an 'llvm.func' is empty")
    machine.location = op.location
    selector.lines = []
    while op is not None:
        if type(op) in _TERMINATORS:
            _select_terminator(selector, op, machine, numbers, live)
        else:
            _select_op(selector, op)
        if selector.lines:
            _locate(selector.lines, op)
            reversed_lines.extend(reversed(selector.lines))
            selector.lines = []
        op = op.prev_op
    machine.lines.reverse()
    return machine


def _locate(lines: Iterable[Line], op: Operation) -> None:
    """Gives instructions the location of their op."""
    location = op.location
    for line in lines:
        if isinstance(line, Instruction):
            line.location = location


def _select_op(selector: Selector, op: Operation) -> None:
    type_ = type(op)
    rule = rule_of(type_)
    if rule is None and type_ not in VIEWS:
        fail(op, f"'{op.name}' has no PTX form")
    if deferred := selector.take_deferred(op):
        selector.lines.extend(deferred)
    if rule is not None and (rule.has_effects or selector.is_needed(op)):
        # `issubclass` on abstract classes walks all of their subclasses.
        if NVVMOperation in type_.__mro__:
            selector.require(op, cast(NVVMOperation, op).requirement)
        elif rule.requirement is not None:
            selector.require(op, rule.requirement)
        try:
            rule.select(selector, op)
        except UnsupportedTypeError as error:
            fail(op, f"'{op.name}': {error}")


def _select_terminator(
    selector: Selector,
    op: Operation,
    machine: MachineBlock,
    numbers: dict[int, int],
    live: set[int],
) -> None:
    match op:
        case llvm.ReturnOp():
            if op.arg is not None:
                fail(op, "'llvm.return' of a kernel must not return a value")
            selector.emit("ret", ())
            return
        case llvm.UnreachableOp():
            selector.emit("trap", ())
            selector.emit("exit", ())
            return
        case _:
            pass
    edges = [
        Edge(numbers[id(target)], list(_copies(selector, target, arguments, live)))
        for target, arguments in _edges(op)
    ]
    if isinstance(op, SwitchOp):
        _select_switch(selector, op, edges, machine)
        return
    if not isinstance(op, llvm.CondBrOp):
        machine.fallthrough = edges[0]
        return
    then_edge, else_edge = edges
    condition, negated = _condition(selector, op.cond)
    if isinstance(condition, Constant):
        machine.fallthrough = then_edge if bool(condition.bits) != negated else else_edge
        return
    machine.branches.append((Guard(condition, negated), then_edge))
    machine.fallthrough = else_edge


def _select_switch(
    selector: Selector, op: SwitchOp, edges: Sequence[Edge], machine: MachineBlock
) -> None:
    """One comparison and conditional jump per case."""
    machine.fallthrough, *targets = edges
    value = selector.register(op.value)
    bits = selector.classes[value].bits
    for (number, _, _), edge in zip(op.cases, targets, strict=True):
        equal = selector.fresh(PREDICATE)
        selector.emit(f"setp.eq.b{bits}", (equal,), value, str(number))
        machine.branches.append((Guard(equal), edge))


def _condition(selector: Selector, value: SSAValue) -> tuple[Component, bool]:
    """A branch condition without the negations around it, and whether it is negated."""
    negated = False
    while isinstance(owner := value.owner, llvm.XOrOp):
        constant = selector.known.constant(owner.rhs)
        if constant is None or not constant.bits or selector.bound(value) is not None:
            break
        negated = not negated
        value = owner.lhs
    return selector.component(value), negated


def _copies(
    selector: Selector, block: Block, arguments: Sequence[SSAValue], live: set[int]
) -> Iterator[tuple[int, Component]]:
    for parameter, argument in zip(block.args, arguments, strict=True):
        if id(parameter) not in live:
            continue
        for destination, source in zip(
            selector.components(parameter), selector.components(argument), strict=True
        ):
            assert isinstance(destination, int)
            yield destination, source
