"""Dependent launches and fences, which only order memory accesses."""

from __future__ import annotations

from xdsl.ir import SSAValue

from tileir_xdsl.dialects.cuda_tile import (
    GdcLaunchDependentsTkoOp,
    GdcWaitTkoOp,
    MemoryFenceAliasTkoOp,
)
from tileir_xdsl.testing.programs.accesses import any_token, maybe_follow
from tileir_xdsl.testing.programs.builder import Builder, Row, Rows


def _row(operation: type[GdcWaitTkoOp | GdcLaunchDependentsTkoOp]) -> Row:
    def emit(b: Builder) -> None:
        token: SSAValue | None = any_token(b)
        maybe_follow(b, b.add(operation(token)).result_token)

    return Row(1, emit)


def _emit_fence(b: Builder) -> None:
    chain = b.choose(list(b.tokens))
    b.tokens[chain] = b.add(MemoryFenceAliasTkoOp(b.tokens[chain])).result_token


ROWS: Rows = {
    GdcLaunchDependentsTkoOp: _row(GdcLaunchDependentsTkoOp),
    GdcWaitTkoOp: _row(GdcWaitTkoOp),
    MemoryFenceAliasTkoOp: Row(1, _emit_fence, lambda b: bool(b.tokens)),
}
