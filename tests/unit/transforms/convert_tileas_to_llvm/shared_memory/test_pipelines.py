"""Pipelines in PTX: what their kernels compute, in every mode of the emulator."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from tests.unit.transforms.convert_tileas_to_llvm.pipeline_kernels import (
    ADD,
    CONSUMER,
    ITERATOR,
    MODES,
    PIPE,
    STAGE,
    STORE,
    TILE,
    Kernel,
    expected,
    following,
    pipeline,
    produce,
    release,
    wait,
)
from tileir_xdsl.runtime.ptxas import assemble

SPECIALISED = (
    ", max_regs = array<i32: 128, 40>, num_warps = array<i32: 4, 1>, warp_id = array<i32: 0, 4>"
)


def specialised(stages: int, warps: str = SPECIALISED) -> Kernel:
    """One agent loads, the other one sums."""
    return Kernel(f"""
    {pipeline(stages)}
    {PIPE}.agent_switch {{num_agents_per_group = 1 : i32{warps}}} {{
      %end, %total = scf.for %k = %n0 to %n5 step %n1 iter_args(%at = %ci, %acc = %zero) -> ({ITERATOR}, {TILE}) {{
        {wait("%cons", "%at")} {ADD} {release("%read")} {following("%at", "next")}
        scf.yield %next, %sum : {ITERATOR}, {TILE}
      }}
      {STORE}
      {PIPE}.yield
    }}, {{
      %end = scf.for %k = %n0 to %n5 step %n1 iter_args(%at = %pi) -> ({ITERATOR}) {{
        {produce("%prod", "%at", "%k")} {following("%at", "next")}
        scf.yield %next : {ITERATOR}
      }}
      {PIPE}.yield
    }}
    """)


def released_late(stages: int) -> Kernel:
    """A stage is released one iteration later, as behind products that are still running."""
    return Kernel(f"""
    {pipeline(stages)}
    {PIPE}.agent_switch {{num_agents_per_group = 1 : i32{SPECIALISED}}} {{
      %null = {PIPE}.create_null_token : {CONSUMER}
      %end, %held, %total = scf.for %k = %n0 to %n5 step %n1 iter_args(%at = %ci, %before = %null, %acc = %zero) -> ({ITERATOR}, {CONSUMER}, {TILE}) {{
        {wait("%cons", "%at")} {ADD} {release("%before")} {following("%at", "next")}
        scf.yield %next, %read, %sum : {ITERATOR}, {CONSUMER}, {TILE}
      }}
      {release("%held", "rest")}
      {STORE}
      {PIPE}.yield
    }}, {{
      %end = scf.for %k = %n0 to %n5 step %n1 iter_args(%at = %pi) -> ({ITERATOR}) {{
        {produce("%prod", "%at", "%k")} {following("%at", "next")}
        scf.yield %next : {ITERATOR}
      }}
      {PIPE}.yield
    }}
    """)


def one_agent(stages: int) -> Kernel:
    """All warps load and sum; a stage is filled right before it is wanted."""
    return Kernel(f"""
    {pipeline(stages)}
    %pend, %cend, %total = scf.for %k = %n0 to %n5 step %n1 iter_args(%p = %pi, %c = %ci, %acc = %zero) -> ({ITERATOR}, {ITERATOR}, {TILE}) {{
      {produce("%prod", "%p", "%k")}
      {wait("%cons", "%c")} {ADD} {release("%read")}
      {following("%p", "pnext")} {following("%c", "cnext")}
      scf.yield %pnext, %cnext, %sum : {ITERATOR}, {ITERATOR}, {TILE}
    }}
    {STORE}
    """)


def ahead(stages: int) -> Kernel:
    """All warps load and sum; two stages are filled before the loop, others two turns ahead."""
    return Kernel(f"""
    {pipeline(stages)}
    {produce("%prod", "%pi", "%n0", "first")} {following("%pi", "p1")}
    {produce("%prod", "%p1", "%n1", "second")} {following("%p1", "p2")}
    %pend, %cend, %total = scf.for %k = %n0 to %n5 step %n1 iter_args(%p = %p2, %c = %ci, %acc = %zero) -> ({ITERATOR}, {ITERATOR}, {TILE}) {{
      %later = arith.addi %k, %n2 : index
      %more = arith.cmpi slt, %later, %n5 : index
      %pnext = scf.if %more -> ({ITERATOR}) {{
        {produce("%prod", "%p", "%later")}
        {following("%p", "after")}
        scf.yield %after : {ITERATOR}
      }} else {{
        scf.yield %p : {ITERATOR}
      }}
      {wait("%cons", "%c")} {ADD} {release("%read")}
      {following("%c", "cnext")}
      scf.yield %pnext, %cnext, %sum : {ITERATOR}, {ITERATOR}, {TILE}
    }}
    {STORE}
    """)


def created_in_a_loop(stages: int) -> Kernel:
    """A pipeline for each of two halves of the sum, the second of three steps."""
    return Kernel(f"""
    %total = scf.for %half = %n0 to %n2 step %n1 iter_args(%before = %zero) -> ({TILE}) {{
      {pipeline(stages)}
      %first = arith.muli %half, %n2 : index
      %steps = arith.addi %half, %n2 : index
      %pend, %cend, %part = scf.for %step = %n0 to %steps step %n1 iter_args(%p = %pi, %c = %ci, %acc = %before) -> ({ITERATOR}, {ITERATOR}, {TILE}) {{
        %k = arith.addi %first, %step : index
        {produce("%prod", "%p", "%k")}
        {wait("%cons", "%c")} {ADD} {release("%read")}
        {following("%p", "pnext")} {following("%c", "cnext")}
        scf.yield %pnext, %cnext, %sum : {ITERATOR}, {ITERATOR}, {TILE}
      }}
      scf.yield %part : {TILE}
    }}
    {STORE}
    """)


def in_one_step(stages: int) -> Kernel:
    """The loads, the sum and the handshake in regions of `consume_one`."""
    return Kernel(f"""
    {pipeline(stages)}
    {PIPE}.agent_switch {{num_agents_per_group = 1 : i32{SPECIALISED}}} {{
      %end, %total = scf.for %k = %n0 to %n5 step %n1 iter_args(%at = %ci, %acc = %zero) -> ({ITERATOR}, {TILE}) {{
        %consumed, %result = {PIPE}.consume_one %cons, %at {{consumer_idx = 0 : i32, consumer_types = [{STAGE}, {STAGE}]}} : ({CONSUMER}, {ITERATOR}) -> {CONSUMER}, {TILE} {{
        ^bb0(%a_tile: {STAGE}, %b_tile: {STAGE}):
          {ADD}
          {PIPE}.yield %sum : {TILE}
        }}
        {following("%at", "next")}
        scf.yield %next, %result : {ITERATOR}, {TILE}
      }}
      {STORE}
      {PIPE}.yield
    }}, {{
      %end = scf.for %k = %n0 to %n5 step %n1 iter_args(%at = %pi) -> ({ITERATOR}) {{
        {produce("%prod", "%at", "%k").replace("produce_one_async", "produce_one").replace(", !nv_tileas.async_token", "").replace(", %done_produced", "")}
        {following("%at", "next")}
        scf.yield %next : {ITERATOR}
      }}
      {PIPE}.yield
    }}
    """)


def two_consumers(stages: int) -> Kernel:
    """Both sum, and store the same; two producers take turns."""

    def consumer(number: int) -> str:
        body = wait("%cons", "%at") + ADD + release("%read") + following("%at", "next")
        return f"""{{
      %end, %total = scf.for %k = %n0 to %n5 step %n1 iter_args(%at = %ci, %acc = %zero) -> ({ITERATOR}, {TILE}) {{
        {body.replace("consumer_idx = 0", f"consumer_idx = {number}")}
        scf.yield %next, %sum : {ITERATOR}, {TILE}
      }}
      {STORE}
      {PIPE}.yield
    }}"""

    def producer(number: int) -> str:
        start = following("%pi", "start") if number else ""
        first = "%start" if number else "%pi"
        return f"""{{
      {start}
      %end = scf.for %k = %n{number} to %n5 step %n2 iter_args(%at = {first}) -> ({ITERATOR}) {{
        {produce("%prod", "%at", "%k")} {following("%at", "skipped")} {following("%skipped", "next")}
        scf.yield %next : {ITERATOR}
      }}
      {PIPE}.yield
    }}"""

    regions = ", ".join((consumer(0), consumer(1), producer(0), producer(1)))
    return Kernel(f"""
    {pipeline(stages)}
    {PIPE}.agent_switch {{num_agents_per_group = 2 : i32, num_warps = array<i32: 4, 4, 1, 1>}} {regions}
    """)


KERNELS: Mapping[str, Kernel] = {
    "specialised, 1 stage": specialised(1),
    "specialised, 2 stages": specialised(2),
    "specialised, 3 stages": specialised(3),
    "specialised, 8 stages": specialised(8),
    "specialised, idle warps before": specialised(
        2, ", num_warps = array<i32: 4, 1>, warp_id = array<i32: 4, 1>"
    ),
    "specialised, producer of two warps": specialised(2, ", num_warps = array<i32: 4, 2>"),
    "released late": released_late(2),
    "one agent, 1 stage": one_agent(1),
    "one agent, 2 stages": one_agent(2),
    "ahead": ahead(3),
    "created in a loop": created_in_a_loop(2),
    "in one step": in_one_step(2),
    "two consumers": two_consumers(3),
}


@pytest.mark.one_in(
    4,
    "specialised, idle warps before-plain",
    "created in a loop-plain",
    "specialised, 1 stage-plain",
    "specialised, 1 stage-races",
)
@pytest.mark.parametrize("modes", MODES.values(), ids=list(MODES))
@pytest.mark.parametrize("kernel", KERNELS.values(), ids=list(KERNELS))
def test_the_sum_is_right(kernel: Kernel, modes: Mapping[str, Any]):
    np.testing.assert_array_equal(kernel.run_ptx(**modes), expected())


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=list(KERNELS))
def test_the_interpreter_agrees(kernel: Kernel):
    np.testing.assert_array_equal(kernel.run_interpreter(), expected())


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=list(KERNELS))
def test_ptxas_takes_it_without_spills(kernel: Kernel):
    resources = assemble(kernel.ptx, kernel.gpu).kernels["k"]
    assert (resources.stack, resources.spill_stores, resources.spill_loads) == (0, 0, 0)
