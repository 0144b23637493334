"""Shared memory that has one use after the other: stages, buffers, and scratch memory."""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from tests.unit.transforms.convert_tileas_to_llvm.pipeline_kernels import (
    ADD,
    ITERATOR,
    MODES,
    PIPE,
    REGISTERS,
    SHARED,
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

STAGE_BYTES = 2 * 64 * 32 * 4
BARRIER_BYTES = 16
ROWS = "#nv_tileas.layout<(16, 32, 4, 1), (1, 16, 512, 0)>"
OTHER = TILE.replace(REGISTERS, ROWS)


def through_scratch(tile: str, result: str) -> str:
    """A tile of small integers to other threads and back, in rows of half the size of a stage's.

    So a warp writes to other places of the scratch memory than it has read of a stage.
    """
    half, turned = TILE.replace("f32", "f16"), OTHER.replace("f32", "f16")
    return f"""
    %{result}_half = nv_tileaa.fp_to_fp {tile} : {TILE} to {half}
    %{result}_turned = nv_tileas.convert_layout %{result}_half : {half} -> {turned}
    %{result}_back = nv_tileas.convert_layout %{result}_turned : {turned} -> {half}
    %{result} = nv_tileaa.fp_to_fp %{result}_back : {half} to {TILE}
    """


def through_buffer(tile: str, result: str) -> str:
    """A tile through a buffer of 8 KiB."""
    return f"""
    %{result}_buffer = nv_tileas.alloc_tensor : {SHARED}
    %{result}_stored = nv_tileas.copy {tile} into %{result}_buffer : {TILE} into {SHARED} -> {SHARED}
    %{result} = nv_tileas.convert_layout %{result}_stored : {SHARED} -> {TILE}
    """


def loop(stages: int, first: str, last: str, start: str, result: str) -> str:
    """A pipeline, and the loop that sums some of the steps through it."""
    return f"""
    {pipeline(stages)}
    %pend, %cend, {result} = scf.for %k = {first} to {last} step %n1 iter_args(%p = %pi, %c = %ci, %acc = {start}) -> ({ITERATOR}, {ITERATOR}, {TILE}) {{
      {produce("%prod", "%p", "%k")}
      {wait("%cons", "%c")} {ADD} {release("%read")}
      {following("%p", "pnext")} {following("%c", "cnext")}
      scf.yield %pnext, %cnext, %sum : {ITERATOR}, {ITERATOR}, {TILE}
    }}
    """


def again(text: str) -> str:
    """The text with other names for the values that it defines."""
    own = r"%(a_buffer|b_buffer|prod|cons|pi|ci|pend|cend)\b"
    return re.sub(own, r"%second_\1", text)


def two_loops(between: str, start: str) -> Kernel:
    """The sum in two loops, each with a pipeline of its own."""
    second = again(loop(2, "%n3", "%n5", start, "%total"))
    return Kernel(loop(2, "%n0", "%n3", "%zero", "%half") + between + second + STORE)


AGENTS = ", num_warps = array<i32: 4, 1>, warp_id = array<i32: 0, 4>"


def agents(after: str) -> Kernel:
    """A sum by agents, of which one goes on with it."""
    return Kernel(f"""
    {pipeline(2)}
    {PIPE}.agent_switch {{num_agents_per_group = 1 : i32{AGENTS}}} {{
      %end, %sums = scf.for %k = %n0 to %n5 step %n1 iter_args(%at = %ci, %acc = %zero) -> ({ITERATOR}, {TILE}) {{
        {wait("%cons", "%at")} {ADD} {release("%read")} {following("%at", "next")}
        scf.yield %next, %sum : {ITERATOR}, {TILE}
      }}
      {after} {STORE}
      {PIPE}.yield
    }}, {{
      %end = scf.for %k = %n0 to %n5 step %n1 iter_args(%at = %pi) -> ({ITERATOR}) {{
        {produce("%prod", "%at", "%k")} {following("%at", "next")}
        scf.yield %next : {ITERATOR}
      }}
      {PIPE}.yield
    }}
    """)


ONE = 2 * STAGE_BYTES + 2 * BARRIER_BYTES
TWO = 2 * STAGE_BYTES + 4 * BARRIER_BYTES

KERNELS: Mapping[str, tuple[Kernel, int]] = {
    "scratch behind the loop": (
        Kernel(loop(2, "%n0", "%n5", "%zero", "%sums") + through_scratch("%sums", "total") + STORE),
        ONE,
    ),
    "buffer behind the loop": (
        Kernel(loop(2, "%n0", "%n5", "%zero", "%sums") + through_buffer("%sums", "total") + STORE),
        ONE,
    ),
    "scratch before the loop": (
        Kernel(
            through_scratch("%zero", "start") + loop(2, "%n0", "%n5", "%start", "%total") + STORE
        ),
        ONE,
    ),
    "two loops": (two_loops("", "%half"), TWO),
    "scratch between two loops": (two_loops(through_scratch("%half", "turned"), "%turned"), TWO),
    "scratch of an agent": (agents(through_scratch("%sums", "total")), ONE),
    "buffer of an agent": (agents(through_buffer("%sums", "total")), ONE),
}
"""Kernels, and the shared memory that they take."""


@pytest.mark.one_in(6)
@pytest.mark.parametrize("modes", MODES.values(), ids=list(MODES))
@pytest.mark.parametrize("name", KERNELS)
def test_what_follows_takes_the_place_of_stages(name: str, modes: Mapping[str, Any]):
    kernel, size = KERNELS[name]
    np.testing.assert_array_equal(kernel.run_ptx(**modes), expected())
    assert f"_shared[{size}]" in kernel.ptx


@pytest.mark.one_in(3)
@pytest.mark.parametrize("modes", MODES.values(), ids=list(MODES))
@pytest.mark.parametrize("taken", ["eq", "ne"])
def test_either_arm_may_be_the_first_to_fill_stages(taken: str, modes: Mapping[str, Any]):
    """Each waits for the reads of scratch memory in their place."""
    create, found, sums = loop(2, "%n0", "%n5", "%start", "%sums").partition("%pend")
    arm = f"{found}{sums} scf.yield %sums : {TILE}"
    body = f"""
    {through_scratch("%zero", "start")} {create}
    %flag = arith.cmpi {taken}, %n0, %n1 : index
    %total = scf.if %flag -> ({TILE}) {{ {arm} }} else {{ {arm} }}
    {STORE}
    """
    np.testing.assert_array_equal(Kernel(body).run_ptx(**modes), expected())
