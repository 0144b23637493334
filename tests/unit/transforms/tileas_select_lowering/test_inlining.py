"""Calls of functions: PTX and the interpreter agree; what cannot be called is refused."""

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl import emulator, interpreters
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.testing import tools

SPEC = "attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 1, num_ctas = 1>}"
TILE = "tensor<32xi32, #nv_tileas.layout<(1, 32, 1, 1), (0, 1, 0, 0)>>"
POINTERS = TILE.replace("i32", "!nv_tileaa.ptr<i32>", 1)
FUNCTIONS = f"""
nv_tileaa.func @square(%x: {TILE}) -> {TILE} {{
  %y = arith.muli %x, %x : {TILE}
  nv_tileaa.return %y : {TILE}
}}
nv_tileaa.func @both(%x: {TILE}, %n: i32) -> ({TILE}, i32) {{
  %y = nv_tileaa.call @square(%x) : ({TILE}) -> {TILE}
  %z = nv_tileaa.call @square(%y) : ({TILE}) -> {TILE}
  %m = arith.addi %n, %n : i32
  nv_tileaa.return %z, %m : {TILE}, i32
}}
"""


def module(calls: str, functions: str = FUNCTIONS) -> ModuleOp:
    return tools.parse(f"""
builtin.module attributes {{nv_tileaa.target_spec = "sm_90a"}} {{
{functions}
nv_tileaa.func @k(%p: !nv_tileaa.ptr<i32>, %n: i32) {SPEC} {{
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %x = nv_tileaa.make_range %c0, %c32 : i32 -> {TILE}
  {calls}
  %factor = nv_tileaa.splat %m : i32 -> {TILE}
  %w = arith.muli %z, %factor : {TILE}
  %base = nv_tileaa.splat %p : !nv_tileaa.ptr<i32> -> {POINTERS}
  %places = nv_tileaa.addptr %base, %x : {POINTERS}, {TILE}
  %t = nv_tileas.store weak %places, %w {{atom = #nv_tileas<atom stg_32>}} : {POINTERS}, {TILE} -> !nv_tileaa.mem_token
  nv_tileaa.return
}}
}}
""")


TWICE = f"%z, %m = nv_tileaa.call @both(%x, %n) : ({TILE}, i32) -> ({TILE}, i32)"
IN_A_LOOP = f"""
  %c1 = arith.constant 1 : i32
  %z, %m = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %n) -> ({TILE}, i32) : i32 {{
    %c, %d = nv_tileaa.call @both(%a, %b) : ({TILE}, i32) -> ({TILE}, i32)
    scf.yield %c, %d : {TILE}, i32
  }}
"""


@pytest.mark.parametrize("calls", [TWICE, IN_A_LOOP], ids=["nested", "loop"])
def test_values(calls: str) -> None:
    first, last = (np.zeros(32, np.int32) for _ in range(2))
    interpreters.launch(module(calls), "k", (1, 1, 1), [first, np.int32(2)])
    lowered = tools.run_passes(module(calls), tools.TO_LLVM)
    text = emit(lowered)
    assert text.count(".entry") == 1 and "call" not in text
    emulator.load(text).launch("k", (1, 1, 1), [last, 2])
    np.testing.assert_array_equal(first, last)
    assert (first != 0).sum() > 20


def test_nothing_is_called_where_strategies_are_selected() -> None:
    selected = tools.run_passes(module(TWICE), "tileas-select-lowering")
    (function,) = (op for op in selected.walk() if isinstance(op, nv_tileaa.FuncOp))
    assert not any(isinstance(op, nv_tileaa.CallOp) for op in function.walk())
    first, last = (np.zeros(32, np.int32) for _ in range(2))
    for program, out in ((module(TWICE), first), (selected, last)):
        interpreters.launch(program, "k", (1, 1, 1), [out, np.int32(2)])
    np.testing.assert_array_equal(first, last)


@pytest.mark.parametrize("length", [1, 2])
def test_a_function_that_calls_itself(length: int) -> None:
    names = [f"f{n}" for n in range(length)]
    functions = "".join(
        f"nv_tileaa.func @{name}(%x: {TILE}) -> {TILE} {{\n"
        f"  %y = nv_tileaa.call @{names[(n + 1) % length]}(%x) : ({TILE}) -> {TILE}\n"
        f"  nv_tileaa.return %y : {TILE}\n}}\n"
        for n, name in enumerate(names)
    )
    calls = f"%z = nv_tileaa.call @f0(%x) : ({TILE}) -> {TILE}\n%m = arith.addi %n, %n : i32"
    with pytest.raises(PassFailedException) as caught:
        tools.run_passes(module(calls, functions), tools.TO_LLVM)
    assert str(caught.value) == "'nv_tileaa.call' op calls @f0, which calls itself"


def test_a_function_without_a_body() -> None:
    functions = f"nv_tileaa.func @elsewhere(%x: {TILE}) -> {TILE}\n"
    calls = f"%z = nv_tileaa.call @elsewhere(%x) : ({TILE}) -> {TILE}\n%m = arith.addi %n, %n : i32"
    with pytest.raises(PassFailedException, match="calls @elsewhere, which has no body"):
        tools.run_passes(module(calls, functions), tools.TO_LLVM)
