"""Stages that threads fill and bulk copies read: a fence orders the two proxies."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from tests.unit.transforms.convert_tileas_to_llvm.pipeline_kernels import (
    COLUMNS,
    ITERATOR,
    MODES,
    OBJECT,
    PIPE,
    REGISTERS,
    ROWS,
    SHARED,
    STAGE,
    STEPS,
    TILE,
    TYPES,
    Kernel,
    following,
    pipeline,
    problem,
    release,
    wait,
)

AGENTS = "num_warps = array<i32: 4, 1>, warp_id = array<i32: 0, 4>"
LAYOUT = REGISTERS.removeprefix("#nv_tileas.layout")
PRODUCER = f"!{PIPE}.producer_token"


def filled(name: str, by_copies: bool) -> str:
    """Fills a tile of the stage with one of an object."""
    view = f"!nv_tileaa.tiled_view<64x32xf32, {OBJECT}>[index, index]"
    if by_copies:
        return (
            f"%{name}_load = nv_tileas.async.tiled_load weak %{name}[%n0, %k] into %{name}_stage : "
            f"{SHARED} {{atom = #nv_tileas<atom ldgsts_128>}} : {view} -> !async.value<{STAGE}>"
        )
    return (
        f"%{name}_regs = nv_tileas.tiled_load weak %{name}[%n0, %k] {{atom = #nv_tileas<atom ldg_128>, "
        f"nv_tileas.layout = {LAYOUT}}} : {view} -> {TILE}\n"
        f"%{name}_full = nv_tileas.copy %{name}_regs into %{name}_stage "
        f"{{atom = #nv_tileas<atom sts_128>}} : {TILE} into {SHARED} -> {SHARED}"
    )


def kernel(by_copies: bool) -> Kernel:
    """One agent fills stages, the other one adds them up by bulk copies."""
    return Kernel(
        f"""
    {pipeline(2)}
    {PIPE}.agent_switch {{num_agents_per_group = 1 : i32, {AGENTS}}} {{
      %end = scf.for %k = %n0 to %n5 step %n1 iter_args(%at = %pi) -> ({ITERATOR}) {{
        %produced = {PIPE}.produce_one %prod, %at {{{TYPES}}} : ({PRODUCER}, {ITERATOR}) -> {PRODUCER} {{
        ^bb0(%a_stage: {STAGE}, %b_stage: {STAGE}):
          {filled("a", by_copies)}
          {filled("b", by_copies)}
          {PIPE}.yield %a_stage, %b_stage : {STAGE}, {STAGE}
        }}
        {following("%at", "next")}
        scf.yield %next : {ITERATOR}
      }}
      {PIPE}.yield
    }}, {{
      %end = scf.for %k = %n0 to %n5 step %n1 iter_args(%at = %ci) -> ({ITERATOR}) {{
        {wait("%cons", "%at")}
        %stored = nv_tileas.async.tiled_tma_reduce %map_out, %a_tile[%n0, %n0]
          {{atom = #nv_tileas<atom tma_redg_add_2d>}} : !nv_tileas.tma_desc, {SHARED}, index, index
          -> !nv_tileas.async_token
        nv_tileas.async.wait %stored : !nv_tileas.async_token
        {release("%read")} {following("%at", "next")}
        scf.yield %next : {ITERATOR}
      }}
      {PIPE}.yield
    }}
    """,
        maps=("out",),
    )


@pytest.mark.parametrize("modes", MODES.values(), ids=list(MODES))
@pytest.mark.parametrize("by_copies", [False, True])
def test_stages_are_added(by_copies: bool, modes: Mapping[str, Any]):
    tiles = problem()["a"].reshape(ROWS, STEPS, COLUMNS)
    np.testing.assert_array_equal(kernel(by_copies).run_ptx(**modes), 1 + tiles.sum(axis=1))
