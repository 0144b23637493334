"""Loops and branches on scalars, as blocks."""

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerType, i64
from xdsl.ir import Block, Operation, SSAValue

from tileir_xdsl.dialects.llvm.attributes import AtomicOrdering
from tileir_xdsl.dialects.llvm.loads_and_stores import LoadOp

from .elementwise import llvm_element, resize_integer
from .kernel import Kernel

SLOT_BYTES = 8
"""The bytes of an argument, and of a number in the context."""

STEP_NOT_POSITIVE = 3
"""The fault code for a loop whose step is not positive."""


def stop_if_asked(kernel: Kernel) -> None:
    """Emits a return from the kernel if its stop flag is set."""
    code = kernel.code
    flag = code.add(LoadOp(kernel.context, i64, SLOT_BYTES, AtomicOrdering.MONOTONIC))
    goes_on = Block()
    code.branch_if(code.compare("eq", flag, code.integer(0)), goes_on, kernel.end)
    code.start(goes_on)


def _run(kernel: Kernel, block: Block, arguments: Sequence[SSAValue]) -> list[SSAValue]:
    """Emits the ops of a body for given arguments; returns the yielded values."""
    kernel.values |= dict(zip(block.args, arguments, strict=True))
    end = block.last_op
    assert end is not None
    for op in block.ops:
        if op is not end:
            kernel.emit(op)
    return [kernel.values[value] for value in end.operands]


def _set_results(kernel: Kernel, op: Operation, values: Sequence[SSAValue]) -> None:
    kernel.values |= dict(zip(op.results, values, strict=True))


def emit_for(kernel: Kernel, op: Operation) -> None:
    """Emits a loop with an index of 64 bits."""
    assert isinstance(op, scf.ForOp)
    code, values = kernel.code, kernel.values
    bounds = [
        resize_integer(code, values[value], i64, signed=True) for value in (op.lb, op.ub, op.step)
    ]
    lower, upper, step = bounds
    positive = code.compare("sgt", step, code.integer(0))
    kernel.fault_unless(positive, STEP_NOT_POSITIVE, kernel.site(op), lambda: step)
    index_type = llvm_element(op.lb.type)
    assert isinstance(index_type, IntegerType)

    def body(index: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
        own = resize_integer(code, index, index_type, signed=True)
        return _run(kernel, op.body.block, [own, *carried])

    initial = [values[value] for value in op.iter_args]
    wraps = index_type == i64
    _set_results(kernel, op, code.loop(lower, upper, step, initial, body, wraps=wraps))


def emit_if(kernel: Kernel, op: Operation) -> None:
    """A branch."""
    assert isinstance(op, scf.IfOp)
    no = op.false_region
    results = kernel.code.if_(
        kernel.values[op.cond],
        lambda: _run(kernel, op.true_region.block, []),
        (lambda: _run(kernel, no.block, [])) if no.blocks else None,
    )
    _set_results(kernel, op, results)


def emit_while(kernel: Kernel, op: Operation) -> None:
    """Emits a loop with a condition. The loop may be endless, so that each iteration reads the stop
    flag.
    """
    assert isinstance(op, scf.WhileOp)
    code = kernel.code
    initial = [kernel.values[value] for value in op.arguments]
    head = Block(arg_types=[value.type for value in initial])
    code.branch(head, initial)
    code.start(head)
    stop_if_asked(kernel)
    condition, *forwarded = _run(kernel, op.before_region.block, head.args)
    inside, behind = Block(), Block()
    code.branch_if(condition, inside, behind)
    code.start(inside)
    code.branch(head, _run(kernel, op.after_region.block, forwarded))
    code.start(behind)
    _set_results(kernel, op, forwarded)
