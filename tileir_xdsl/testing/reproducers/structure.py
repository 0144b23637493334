"""Reduces the structure of a failing module: regions, carried values, optional operands."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

from xdsl.dialects import scf
from xdsl.dialects.builtin import DenseArrayBase, ModuleOp, i32
from xdsl.ir import Operation
from xdsl.irdl import IRDLOperation, OptOperandDef, VarOperandDef
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.dialects.nv_tileas import AgentSwitchOp
from tileir_xdsl.walking import clone_of, ops_in

Fails = Callable[[ModuleOp], bool]

LOOPS = (cuda_tile.ForOp, scf.ForOp)
BOUNDS = 3
"""The number of a loop's operands before its initial values."""


def is_valid(module: ModuleOp) -> bool:
    """Whether a module verifies."""
    try:
        module.verify()
    except VerifyException:
        return False
    return True


Edit = Callable[[Operation], Iterator[Callable[[Operation], None]]]
"""Yields functions, each of which makes an op of a copied module smaller."""


def _edited(module: ModuleOp, fails: Fails, edits: Edit) -> ModuleOp:
    """Applies as many edits to the module's ops as possible while it `fails`."""
    number = 0
    while number < len(ops := ops_in(module)):
        for edit in edits(ops[number]):
            copy = clone_of(module)
            edit(ops_in(copy)[number])
            if is_valid(copy) and fails(copy):
                module = copy
                break
        else:
            number += 1
    return module


def without_layers(module: ModuleOp, fails: Fails) -> ModuleOp:
    """Replaces agents by the body of one, and inlines nested modules."""
    return _edited(module, fails, _layers)


def _layers(op: Operation) -> Iterator[Callable[[Operation], None]]:
    if isinstance(op, AgentSwitchOp):
        yield from (_keep_region(number) for number in range(len(op.regions)))
    if isinstance(op, ModuleOp) and op.parent is not None:
        yield _put_in_place


def _keep_region(number: int) -> Callable[[Operation], None]:
    def edit(op: Operation) -> None:
        body = op.regions[number].block
        for argument, value in zip(body.args, op.operands, strict=False):
            argument.replace_all_uses_with(value)
        assert body.last_op is not None
        body.erase_op(body.last_op)
        _move_before(op, list(body.ops))

    return edit


def _put_in_place(op: Operation) -> None:
    _move_before(op, list(op.regions[0].block.ops))


def _move_before(op: Operation, moved: list[Operation]) -> None:
    """Inserts ops in place of an op, which it erases."""
    block = op.parent
    assert block is not None
    for each in moved:
        each.detach()
        block.insert_op_before(each, op)
    op.detach()
    op.erase()


def with_fewer_carried_values(module: ModuleOp, fails: Fails) -> ModuleOp:
    """Removes values that loops need not carry."""
    return _edited(module, fails, _carried)


def _carried(op: Operation) -> Iterator[Callable[[Operation], None]]:
    if isinstance(op, LOOPS):
        yield from (_carry_less(number) for number in range(len(op.results)))


def _carry_less(number: int) -> Callable[[Operation], None]:
    def edit(op: Operation) -> None:
        body = op.regions[0].block
        initial, end = op.operands[BOUNDS + number], body.last_op
        assert end is not None
        body.args[1 + number].replace_all_uses_with(initial)
        op.results[number].replace_all_uses_with(initial)
        body.erase_arg(body.args[1 + number])
        end.operands = [each for n, each in enumerate(end.operands) if n != number]
        kept = [each for n, each in enumerate(op.results) if n != number]
        operands = [each for n, each in enumerate(op.operands) if n != BOUNDS + number]
        region = op.detach_region(0)
        smaller = type(op).create(
            operands=operands,
            result_types=[each.type for each in kept],
            properties=op.properties,
            attributes=op.attributes,
            regions=[region],
        )
        assert op.parent is not None
        op.parent.insert_op_before(smaller, op)
        for old, new in zip(kept, smaller.results, strict=True):
            old.replace_all_uses_with(new)
        op.detach()
        op.erase()

    return edit


def with_fewer_operands(module: ModuleOp, fails: Fails) -> ModuleOp:
    """Removes operands that ops need not have, such as masks and tokens."""
    return _edited(module, fails, _operands)


SIZES = "operandSegmentSizes"


def _operands(op: Operation) -> Iterator[Callable[[Operation], None]]:
    """Yields edits that drop one optional operand, or one or two of a variadic group."""
    # The verifier of `scf.while` does not count its operands.
    if not isinstance(op, IRDLOperation) or isinstance(op, scf.WhileOp):
        return
    definitions = [each for _, each in op.get_irdl_definition().operands]
    optional = [n for n, each in enumerate(definitions) if isinstance(each, VarOperandDef)]
    if len(optional) == 1 and SIZES not in op.properties:
        first = optional[0]
        count = len(op.operands) - len(definitions) + 1
        yield from (_drop_plain(first + n) for n in range(count))
    sizes = op.properties.get(SIZES)
    if not isinstance(sizes, DenseArrayBase):
        return
    known = [int(size) for size in sizes.get_values()]
    present = [n for n in optional if known[n]]
    yield from (_drop_segments(n) for n in present)
    # A mask goes only with the values in place of what it leaves out.
    yield from (_drop_segments(*pair) for pair in itertools.pairwise(present))
    yield from (
        _drop_one(n, at)
        for n in present
        if not isinstance(definitions[n], OptOperandDef)
        for at in range(known[n])
    )


def _drop_plain(place: int) -> Callable[[Operation], None]:
    def edit(op: Operation) -> None:
        op.operands = [each for n, each in enumerate(op.operands) if n != place]

    return edit


def _sizes(op: Operation) -> list[int]:
    sizes = op.properties[SIZES]
    assert isinstance(sizes, DenseArrayBase)
    return [int(size) for size in sizes.get_values()]


def _drop_segments(*segments: int) -> Callable[[Operation], None]:
    def edit(op: Operation) -> None:
        sizes, kept, first = _sizes(op), list[int](), 0
        for number, size in enumerate(sizes):
            if number not in segments:
                kept += range(first, first + size)
            first += size
        _keep(op, kept, [0 if n in segments else size for n, size in enumerate(sizes)])

    return edit


def _drop_one(segment: int, at: int) -> Callable[[Operation], None]:
    def edit(op: Operation) -> None:
        sizes = _sizes(op)
        gone = sum(sizes[:segment]) + at
        sizes[segment] -= 1
        _keep(op, [n for n in range(len(op.operands)) if n != gone], sizes)

    return edit


def _keep(op: Operation, kept: list[int], sizes: list[int]) -> None:
    op.operands = [op.operands[number] for number in kept]
    op.properties[SIZES] = DenseArrayBase.from_list(i32, sizes)
