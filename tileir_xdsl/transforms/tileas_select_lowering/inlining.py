"""Inlines every call.

    %y = nv_tileaa.call @square(%x) : (i32) -> i32
    ->
    %y = arith.muli %x, %x : i32

A kernel becomes one function in PTX. The calling threads execute the ops of a function, on tiles in
the layouts of its type.
"""

from collections.abc import Container, Mapping
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileaa.functions import look_up_function
from tileir_xdsl.rewriting import DispatchWalker
from tileir_xdsl.walking import ops_in


@dataclass(frozen=True)
class InliningPlan:
    """The callee of each call, and the order in which functions are inlined."""

    callees: Mapping[nv_tileaa.CallOp, nv_tileaa.FuncOp]
    order: tuple[nv_tileaa.FuncOp, ...]
    """The functions with calls, callees before callers."""


def plan_inlining(module: ModuleOp) -> InliningPlan:
    """Plans the inlining of all calls in a module.

    Raises `PassFailedException` for a call of a function without a body, or of one that calls
    itself.
    """
    callees: dict[nv_tileaa.CallOp, nv_tileaa.FuncOp] = {}
    order: list[nv_tileaa.FuncOp] = []
    done: set[nv_tileaa.FuncOp] = set()
    active: set[nv_tileaa.FuncOp] = set()

    def visit(function: nv_tileaa.FuncOp) -> None:
        # A function that is called twice is followed once.
        if function in done:
            return
        active.add(function)
        calls = [op for op in ops_in(function) if isinstance(op, nv_tileaa.CallOp)]
        for call in calls:
            callee = callees[call] = _callee(call, active)
            visit(callee)
        if calls:
            order.append(function)
        # Called again later it does not call itself: only those that are running count.
        active.remove(function)
        done.add(function)

    for function in [op for op in ops_in(module) if isinstance(op, nv_tileaa.FuncOp)]:
        visit(function)
    return InliningPlan(callees, tuple(order))


def _callee(call: nv_tileaa.CallOp, active: Container[nv_tileaa.FuncOp]) -> nv_tileaa.FuncOp:
    """The callee of a call.

    Raises `PassFailedException` for a function without a body, or one in `active`, which calls
    itself.
    """
    callee = look_up_function(call, call.callee)
    # Its buffers would be unknown to the caller's allocation.
    if callee is None or not callee.body.blocks:
        fail(call, f"'{call.name}' op calls {call.callee}, which has no body")
    if callee in active:
        fail(call, f"'{call.name}' op calls {call.callee}, which calls itself")
    return callee


@dataclass(frozen=True)
class InlineCall(RewritePattern):
    """Replaces a call by a copy of the callee's body, which has no calls."""

    plan: InliningPlan

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nv_tileaa.CallOp, rewriter: PatternRewriter) -> None:
        body = self.plan.callees[op].body.clone().block
        end = body.last_op
        assert isinstance(end, nv_tileaa.ReturnOp)
        results = tuple(end.operands)
        end.detach()
        # The results are values of the body, which moves; the return stays behind.
        end.drop_all_references()
        rewriter.inline_block(body, InsertPoint.before(op), op.args)
        rewriter.replace(op, [], results)


@dataclass(frozen=True)
class EraseCalledFunction(RewritePattern):
    """Erases a function that was inlined into its callers."""

    called: frozenset[nv_tileaa.FuncOp]

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nv_tileaa.FuncOp, rewriter: PatternRewriter) -> None:
        if op in self.called:
            rewriter.erase(op)


def inline_calls(module: ModuleOp) -> None:
    """Inlines all calls of functions, and removes the functions that were called."""
    plan = plan_inlining(module)
    if not plan.callees:
        return
    walker = DispatchWalker({nv_tileaa.CallOp: InlineCall(plan)})
    for function in plan.order:
        walker.rewrite(function)
    # Nothing outside of the module can call them: only kernels are launched.
    called = frozenset(plan.callees.values())
    DispatchWalker({nv_tileaa.FuncOp: EraseCalledFunction(called)}).rewrite(module)
