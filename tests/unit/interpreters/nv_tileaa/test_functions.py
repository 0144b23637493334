"""Calls, launches, agents and queues, programs that are taken over."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.unit.interpreters.nv_tileaa.evaluation import evaluate
from tileir_xdsl.interpreters import InterpreterError, launch
from tileir_xdsl.testing import tools

SPEC = "attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}"
TOKEN = "!nv_tileaa.mem_token"
PTR = "!nv_tileaa.ptr<i32>"


def test_call() -> None:
    module = """
      nv_tileaa.func @square(%x: i32, %y: i32) -> (i32, i32) {
        %a = arith.muli %x, %x : i32
        %b = arith.addi %a, %y : i32
        nv_tileaa.return %a, %b : i32, i32
      }
    """
    body = "%out0, %out1 = nv_tileaa.call @square(%in0, %in1) : (i32, i32) -> (i32, i32)"
    arguments = [("i32", np.int32(7)), ("i32", np.int32(1))]
    results = evaluate(body, arguments, ["i32", "i32"], module)
    assert [r.item() for r in results] == [49, 50]


def test_endless_recursion_is_reported() -> None:
    module = """
      nv_tileaa.func @again() {
        nv_tileaa.call @again() : () -> ()
        nv_tileaa.return
      }
    """
    with pytest.raises(InterpreterError, match="kernel 'k' calls functions too deeply"):
        evaluate("nv_tileaa.call @again() : () -> ()", module=module)


def _launch(text: str, grid: tuple[int, int, int], *arguments: Any) -> None:
    launch(tools.parse(text), "k", grid, arguments)


def test_a_kernel_launches_another() -> None:
    text = f"""
    builtin.module {{
      nv_tileaa.func @inner(%p: {PTR}) {SPEC} {{
        %x = nv_tileaa.get_program_id 0 : i32
        %y = nv_tileaa.get_program_id 1 : i32
        %w = nv_tileaa.get_num_programs 0 : i32
        %i = arith.muli %y, %w : i32
        %j = arith.addi %i, %x : i32
        %q = nv_tileaa.addptr %p, %j : {PTR}, i32
        %ten = arith.constant 10 : i32
        %v = arith.addi %j, %ten : i32
        %t = nv_tileaa.store weak %q, %v : {PTR}, i32 -> {TOKEN}
        nv_tileaa.return
      }}
      nv_tileaa.func @k(%p: {PTR}) {SPEC} {{
        %one = arith.constant 1 : i32
        %two = arith.constant 2 : i32
        %three = arith.constant 3 : i32
        nv_tileaa.launch_func @inner grid(%three, %two, %one) args(%p : {PTR})
        %w = nv_tileaa.get_num_programs 0 : i32
        %x, %t = nv_tileaa.load weak %p : {PTR} -> i32, {TOKEN}
        %v = arith.addi %x, %w : i32
        %s = nv_tileaa.store weak %p, %v token = %t : {PTR}, i32 -> {TOKEN}
        nv_tileaa.return
      }}
    }}
    """
    out = np.zeros(6, np.int32)
    _launch(text, (1, 1, 1), out)
    assert out.tolist() == [11, 11, 12, 13, 14, 15]


def _persistent(program: str) -> str:
    """A kernel that counts the programs with each x coordinate, taking over others."""
    return f"""
    builtin.module {{
      nv_tileaa.func @k(%p: {PTR}, %starts: {PTR}) {SPEC} {{
        %one = arith.constant 1 : i32
        %own = nv_tileaa.get_program_id 0 : i32
        %first, %t0 = nv_tileaa.atomic_rmw relaxed gpu add %starts, %one
          : {PTR}, i32 -> i32, {TOKEN}
        %next = scf.while (%x = %own) : (i32) -> i32 {{
          %q = nv_tileaa.addptr %p, %x : {PTR}, i32
          %old, %t1 = nv_tileaa.atomic_rmw relaxed gpu add %q, %one : {PTR}, i32 -> i32, {TOKEN}
          %program = nv_tileaa.cancel_next_program_id : !nv_tileaa.program_id
          %valid = nv_tileaa.is_valid_program_id %program : i1
          %y = scf.if %valid -> (i32) {{
            %z = nv_tileaa.get_program_id 0 of %program : i32
            scf.yield %z : i32
          }} else {{
            {program}
            scf.yield %x : i32
          }}
          scf.condition(%valid) %y : i32
        }} do {{
        ^bb0(%x: i32):
          scf.yield %x : i32
        }}
        nv_tileaa.return
      }}
    }}
    """


def test_a_program_takes_over_those_that_have_not_started() -> None:
    counts, starts = np.zeros(5, np.int32), np.zeros(1, np.int32)
    _launch(_persistent(""), (5, 1, 1), counts, starts)
    assert counts.tolist() == [1] * 5 and starts.item() == 1


def test_a_program_that_is_none_has_no_coordinates() -> None:
    text = _persistent("%w = nv_tileaa.get_program_id 0 of %program : i32")
    with pytest.raises(InterpreterError, match="the program ID is not valid"):
        _launch(text, (1, 1, 1), np.zeros(5, np.int32), np.zeros(1, np.int32))


QUEUE = "!nv_tileaa.queue<i32, tensor<4xi32>>"


def _agents(producer: str, consumer: str, stages: int = 2) -> str:
    return f"""
      %queue = nv_tileaa.create_queue {{stages = {stages} : i32}} : {QUEUE}
      %n = arith.constant 10 : i32
      %one = arith.constant 1 : i32
      nv_tileaa.execute(%queue : {QUEUE}) attributes {{num_agents_per_group = 1 : i32}} {{
      ^bb0(%q: {QUEUE}):
        {producer}
        nv_tileaa.yield
      }} {{
      ^bb0(%q: {QUEUE}):
        {consumer}
        nv_tileaa.yield
      }}
    """


PRODUCE = f"""
  scf.for %i = %zero to %n step %one : i32 {{
    nv_tileaa.queue.put %q : {QUEUE} {{
      %tile = nv_tileaa.splat %i : i32 -> tensor<4xi32>
      nv_tileaa.queue.yield %i, %tile : i32, tensor<4xi32>
    }}
  }}
"""
CONSUME = f"""
  %zeros = arith.constant dense<0> : tensor<4xi32>
  %total = scf.for %i = %zero to %n step %one iter_args(%sum = %zeros) -> (tensor<4xi32>) : i32 {{
    %number, %tile = nv_tileaa.queue.get %q : {QUEUE} -> i32, tensor<4xi32>
    %square = nv_tileaa.splat %number : i32 -> tensor<4xi32>
    %product = arith.muli %square, %tile : tensor<4xi32>
    %next = arith.addi %sum, %product : tensor<4xi32>
    scf.yield %next : tensor<4xi32>
  }}
  %last = nv_tileaa.extract %total[%one : i32] : tensor<4xi32> -> i32
  %s = nv_tileaa.store weak %r0, %last : {PTR}, i32 -> {TOKEN}
"""
LOAD = f"%out0, %l = nv_tileaa.load weak %r0 : {PTR} -> i32, {TOKEN}"


@pytest.mark.parametrize("stages", (1, 3, 100))
def test_agents_hand_values_over(stages: int) -> None:
    (result,) = evaluate(_agents(PRODUCE, CONSUME, stages) + LOAD, outputs=["i32"])
    assert result.item() == sum(i * i for i in range(10))


def test_every_consumer_gets_everything() -> None:
    consumers = [
        CONSUME.replace("queue.get %q", f"queue.get %q {{consumer_idx = {i} : i32}}").replace(
            "%r0", f"%r{i}"
        )
        for i in range(2)
    ]
    both = f"{consumers[0]} nv_tileaa.yield }} {{ ^bb0(%q: {QUEUE}): {consumers[1]}"
    loads = LOAD + f"\n%out1, %m = nv_tileaa.load weak %r1 : {PTR} -> i32, {TOKEN}"
    results = evaluate(_agents(PRODUCE, both) + loads, outputs=["i32", "i32"])
    assert [r.item() for r in results] == [285, 285]


def test_agents_that_wait_for_ever_are_reported() -> None:
    more = PRODUCE.replace("%zero to %n", "%one to %n")
    with pytest.raises(InterpreterError, match=r"'nv_tileaa.queue.get' .* every agent waits"):
        evaluate(_agents(more, CONSUME) + LOAD, outputs=["i32"])


def test_a_queue_without_room_makes_its_producer_wait() -> None:
    one = CONSUME.replace("%zero to %n", "%zero to %one")
    with pytest.raises(InterpreterError, match=r"'nv_tileaa.queue.put' .* for room in the queue"):
        evaluate(_agents(PRODUCE, one) + LOAD, outputs=["i32"])


@pytest.mark.parametrize("stages", (1, 2, 5))
@pytest.mark.parametrize("got", (0, 1, 3))
def test_a_producer_puts_as_many_values_ahead_as_there_are_stages(stages: int, got: int) -> None:
    def text(put: int) -> str:
        numbers = f"%put = arith.constant {put} : i32 %got = arith.constant {got} : i32"
        produce, consume = (
            part.replace("%zero to %n", f"%zero to {count}")
            for part, count in ((PRODUCE, "%put"), (CONSUME, "%got"))
        )
        return f"{numbers} {_agents(produce, consume, stages)} {LOAD}"

    (result,) = evaluate(text(stages + got), outputs=["i32"])
    assert result.item() == sum(i * i for i in range(got))
    with pytest.raises(InterpreterError, match=r"'nv_tileaa.queue.put' .* for room in the queue"):
        evaluate(text(stages + got + 1), outputs=["i32"])


def test_a_queue_outside_of_agents_has_no_other_end() -> None:
    body = f"""
      %q = nv_tileaa.create_queue {{stages = 1 : i32}} : {QUEUE}
      %n, %t = nv_tileaa.queue.get %q : {QUEUE} -> i32, tensor<4xi32>
    """
    with pytest.raises(InterpreterError, match="waits for ever: no other agent runs"):
        evaluate(body)


def test_the_failure_of_an_agent_ends_the_others() -> None:
    failing = """
      %false = arith.constant false
      nv_tileaa.assert %false, "the producer fails" : i1
    """
    with pytest.raises(InterpreterError, match="assertion failed: the producer fails"):
        evaluate(_agents(CONSUME, failing) + LOAD, outputs=["i32"])


def test_agents_inside_of_agents() -> None:
    inner = f"""
      nv_tileaa.execute attributes {{num_agents_per_group = 1 : i32}} {{
        {PRODUCE.replace("%zero to %n", "%zero to %one")}
        nv_tileaa.yield
      }} {{
        {PRODUCE.replace("%zero to %n", "%one to %n")}
        nv_tileaa.yield
      }}
    """
    (result,) = evaluate(_agents(inner, CONSUME, stages=1) + LOAD, outputs=["i32"])
    assert result.item() == 285
