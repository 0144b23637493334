"""Inlines every call.

    %y = nv_tileaa.call @square(%x) : (i32) -> i32
    ->
    %y = arith.muli %x, %x : i32

A kernel becomes one function in PTX. The tiles of a function have the layouts of its type, and its
ops are executed by the calling threads.
"""

from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import InsertPoint, Rewriter

from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileaa.functions import look_up_function


@dataclass
class _Inliner:
    """The functions without remaining calls, those being visited, and those that were called."""

    done: set[nv_tileaa.FuncOp] = field(default_factory=set[nv_tileaa.FuncOp])
    active: set[nv_tileaa.FuncOp] = field(default_factory=set[nv_tileaa.FuncOp])
    called: set[nv_tileaa.FuncOp] = field(default_factory=set[nv_tileaa.FuncOp])

    def visit(self, function: nv_tileaa.FuncOp) -> None:
        """Replaces all calls in a function, those in the functions that it calls first."""
        if function in self.done:
            return
        self.active.add(function)
        for call in [op for op in function.walk() if isinstance(op, nv_tileaa.CallOp)]:
            callee = self._callee(call)
            self.visit(callee)
            self.called.add(callee)
            _inline(call, callee)
        self.active.remove(function)
        self.done.add(function)

    def _callee(self, call: nv_tileaa.CallOp) -> nv_tileaa.FuncOp:
        """Raises `PassFailedException` for a function without a body, or one that is running."""
        callee = look_up_function(call, call.callee)
        if callee is None or not callee.body.blocks:
            fail(call, f"'{call.name}' op calls {call.callee}, which has no body")
        if callee in self.active:
            fail(call, f"'{call.name}' op calls {call.callee}, which calls itself")
        return callee


def _inline(call: nv_tileaa.CallOp, callee: nv_tileaa.FuncOp) -> None:
    body = callee.body.clone().block
    end = body.last_op
    assert isinstance(end, nv_tileaa.ReturnOp)
    results = tuple(end.operands)
    end.detach()
    end.drop_all_references()
    Rewriter.inline_block(body, InsertPoint.before(call), call.args)
    Rewriter.replace_op(call, [], results)


def inline_calls(module: ModuleOp) -> None:
    """Inlines all calls of functions, and removes the functions that were called."""
    inliner = _Inliner()
    for function in [op for op in module.walk() if isinstance(op, nv_tileaa.FuncOp)]:
        inliner.visit(function)
    for function in inliner.called:
        function.detach()
        function.erase()
