"""Block arguments that nothing but a terminator reads."""

import numpy as np
import pytest

from tests.unit.backend.ptx.harness import kernel, run

DECISIONS = {
    "cond_br": ("i1", "llvm.cond_br %x, ^one, ^other"),
    "switch": ("i32", "llvm.switch %x : i32, ^other [10: ^ten, 1: ^one]"),
}
"""Terminators that read a block argument, and its type."""
ARRIVALS = {
    "br": "llvm.br ^head({0})",
    "cond_br": "llvm.cond_br %c, ^head({0}), ^head({1})",
    "switch": "llvm.switch %q : i32, ^head({0}) [1: ^head({1})]",
}
"""Terminators that pass one of two values on."""


@pytest.mark.parametrize("arrival", ARRIVALS)
@pytest.mark.parametrize("decision", DECISIONS)
def test_an_argument_that_only_a_terminator_reads(decision: str, arrival: str) -> None:
    type, reads = DECISIONS[decision]
    values = {"i1": ("%even", "%c"), "i32": ("%tid", "%n")}[type]
    passed = ARRIVALS[arrival].format(*(f"{value} : {type}" for value in values))
    body = f"""%zero = llvm.mlir.constant(0 : i32) : i32
%one = llvm.mlir.constant(1 : i32) : i32
%tid = nvvm.read.ptx.sreg.tid.x : i32
%to = llvm.getelementptr %b[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
%q = llvm.and %tid, %one : i32
%even = llvm.icmp "eq" %q, %zero : i32
%c = llvm.icmp "slt" %tid, %n : i32
{passed}
^head(%x: {type}):
{reads}
^ten:
llvm.store %n, %to : i32, !llvm.ptr<1>
llvm.return
^one:
llvm.store %one, %to : i32, !llvm.ptr<1>
llvm.return
^other:
llvm.return"""
    tid = np.arange(64)
    below, odd = tid < 10, tid % 2 == 1
    first, second = {"i1": (~odd, below), "i32": (tid, np.full(64, 10))}[type]
    taken = {"br": np.ones(64, bool), "cond_br": below, "switch": ~odd}[arrival]
    x = np.where(taken, first, second)
    b = np.full(64, -1, np.int32)
    run(kernel(body, "%b: !llvm.ptr<1>, %n: i32"), [b, 10])
    np.testing.assert_array_equal(b, np.select([x == 1, x == 10], [1, 10], -1))
