"""Buffers are traced to their allocation, through everything that gives them another name."""

import pytest
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation

from tileir_xdsl.analysis.buffers.origin import BufferOrigins, trace_buffers
from tileir_xdsl.testing import tools

SLOT = "tensor<16xf32, #nv_tileas.memory<smem>>"
BOTH = "tensor<4x16xf32, #nv_tileas.memory<smem>>"

START = f"""
%m = nv_tileas.alloc_tensor : {BOTH}
%n = nv_tileas.alloc_tensor : {SLOT}
%a = nv_tileas.view %m {{offset = 0 : i64}} : {BOTH} to {SLOT}
%b = nv_tileas.view %m {{offset = 16 : i64}} : {BOTH} to {SLOT}
"""


def _trace(body: str) -> tuple[BufferOrigins, Operation, Operation]:
    """The origins in a function, and `%m` and the op named `look`, whose operands are asked for."""
    text = (
        f"nv_tileaa.func @f(%flag: i1, %i: index, %j: index, %p: {SLOT}) {{\n"
        f"%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"
        f"{START}{body}\nnv_tileaa.return\n}}"
    )
    module = tools.parse(text, allow_unregistered=True)
    function = module.body.block.first_op
    assert function is not None
    ops = list(function.walk())
    allocation = next(op for op in ops if op.name == "nv_tileas.alloc_tensor")
    (look,) = [op for op in ops if op.attributes.get("op_name__") == StringAttr("look")]
    return trace_buffers(function), allocation, look


def _look(values: str, count: int = 1) -> str:
    return f'"look"({values}) : ({", ".join([SLOT] * count)}) -> ()'


# What is looked at, and its offset: a number, or that of the value where buffers meet.
TRACED: dict[str, tuple[str, int | str]] = {
    "a view": (_look("%b"), 16),
    "a view of a view": (
        f"%v = nv_tileas.view %m {{offset = 16 : i64}} : {BOTH} to tensor<2x16xf32, #nv_tileas.memory<smem>>\n"
        f"%w = nv_tileas.view %v {{offset = 16 : i64}} : tensor<2x16xf32, #nv_tileas.memory<smem>> to {SLOT}\n"
        + _look("%w"),
        32,
    ),
    "what was filled": (
        f"%t = arith.constant dense<1.0> : tensor<16xf32>\n"
        f"%f = nv_tileas.copy %t into %b : tensor<16xf32> into {SLOT} -> {SLOT}\n" + _look("%f"),
        16,
    ),
    "a choice between different places": (
        f"%s = tile.select %flag, %a, %b : {SLOT}\n" + _look("%s"),
        "meeting",
    ),
    "a choice between names of one place": (
        f"%c = nv_tileas.view %m {{offset = 16 : i64}} : {BOTH} to {SLOT}\n"
        f"%s = arith.select %flag, %c, %b : {SLOT}\n" + _look("%s"),
        16,
    ),
    "a carried buffer that stays": (
        f"%r = scf.for %k = %c0 to %i step %c1 iter_args(%x = %b) -> ({SLOT}) {{\n"
        f"scf.yield %x : {SLOT}\n}}\n" + _look("%r"),
        16,
    ),
    "a carried buffer that changes": (
        f"%r = scf.for %k = %c0 to %i step %c1 iter_args(%x = %b) -> ({SLOT}) {{\n"
        f"scf.yield %a : {SLOT}\n}}\n" + _look("%r"),
        "meeting",
    ),
    "a buffer that a nested loop changes": (
        f"%r = scf.for %k = %c0 to %i step %c1 iter_args(%x = %b) -> ({SLOT}) {{\n"
        f"%q = scf.for %l = %c0 to %i step %c1 iter_args(%y = %x) -> ({SLOT}) {{\n"
        f"%s = tile.select %flag, %y, %a : {SLOT}\n"
        f"scf.yield %s : {SLOT}\n}}\n" + _look("%x") + f"\nscf.yield %q : {SLOT}\n}}\n",
        "meeting",
    ),
    "the same out of both arms": (
        f"%r = scf.if %flag -> ({SLOT}) {{\n"
        f"%c = nv_tileas.view %m {{offset = 16 : i64}} : {BOTH} to {SLOT}\n"
        f"scf.yield %c : {SLOT}\n}} else {{\nscf.yield %b : {SLOT}\n}}\n" + _look("%r"),
        16,
    ),
    "another out of each arm": (
        f"%r = scf.if %flag -> ({SLOT}) {{\nscf.yield %a : {SLOT}\n}} else {{\n"
        f"scf.yield %b : {SLOT}\n}}\n" + _look("%r"),
        "meeting",
    ),
    "a loop with a test": (
        f"%r = scf.while (%x = %b) : ({SLOT}) -> ({SLOT}) {{\n"
        f"scf.condition(%flag) %x : {SLOT}\n}} do {{\n^bb0(%y: {SLOT}):\nscf.yield %y : {SLOT}\n}}\n"
        + _look("%r"),
        16,
    ),
    "what an agent is given": (
        "nv_tileas.async.pipeline.agent_switch %b {num_agents_per_group = 1 : i32} "
        f": ({SLOT}) -> () {{\n^bb0(%x: {SLOT}):\n"
        + _look("%x")
        + "\nnv_tileas.async.pipeline.yield\n}",
        16,
    ),
}


@pytest.mark.parametrize("name", TRACED)
def test_traced(name: str):
    body, expected = TRACED[name]
    origins, allocation, look = _trace(body)
    (buffer,) = look.operands
    origin = origins.of(buffer)
    assert origin is not None
    assert origin.allocation is allocation.results[0]
    assert origins.is_meeting(buffer) == (expected == "meeting")
    if expected != "meeting":
        assert (origin.offset.constant, origin.offset.terms) == (expected, ())


def test_offsets_add_up():
    body = (
        f"%v = nv_tileas.view %m [%i : index] : {BOTH} to {BOTH}\n"
        f"%w = nv_tileas.view %v offset %j : {BOTH} to {SLOT}\n"
        f"%x = nv_tileas.view %w {{offset = 3 : i64}} : {SLOT} to tensor<8xf32, #nv_tileas.memory<smem>>\n"
        '"look"(%x, %i, %j) : (tensor<8xf32, #nv_tileas.memory<smem>>, index, index) -> ()'
    )
    origins, _, look = _trace(body)
    buffer, i, j = look.operands
    origin = origins.of(buffer)
    assert origin is not None
    assert origin.offset.constant == 3
    assert dict(origin.offset.terms) == {i: 16, j: 1}


UNTRACED = {
    "two allocations": f"%s = tile.select %flag, %a, %n : {SLOT}\n" + _look("%s"),
    "a parameter": _look("%p"),
    "the result of another op": f'%s = "somewhere"() : () -> {SLOT}\n' + _look("%s"),
    "other bits": (
        f"%s = nv_tileas.reinterpret %a : {SLOT} -> tensor<16xi32, #nv_tileas.memory<smem>>\n"
        f"%t = nv_tileas.reinterpret %s : tensor<16xi32, #nv_tileas.memory<smem>> -> {SLOT}\n"
        + _look("%t")
    ),
    "another allocation after some time": (
        f"%r = scf.for %k = %c0 to %i step %c1 iter_args(%x = %b) -> ({SLOT}) {{\n"
        f"scf.yield %n : {SLOT}\n}}\n" + _look("%r")
    ),
}


@pytest.mark.parametrize("name", UNTRACED)
def test_untraced(name: str):
    origins, _, look = _trace(UNTRACED[name])
    assert origins.of(look.operands[0]) is None
