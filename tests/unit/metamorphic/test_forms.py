"""Other forms of kernels are valid and mean the same, and are other forms indeed."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from random import Random

import pytest

from tests.metamorphic.forms import FORMS, Launch, apply
from tileir_xdsl.checking.observation import Observation, find_difference
from tileir_xdsl.dialects.cuda_tile import AddIOp, CatOp, ExtractOp, ForOp
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.programs import Program, generate
from tileir_xdsl.testing.programs.comparison import observe
from tileir_xdsl.testing.programs.scale import SMALL

KERNEL = """
cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>) {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %c2 = constant <i32: 2> : tile<i32>
    %stop = constant <i32: 3> : tile<i32>
    %last = cmpi equal %x, %stop, signed : tile<i32> -> tile<i1>
    if %last {
      return
    }
    %at = offset %p, %x : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %n = muli %x, %c2 : tile<i32>
    %sum = addi %n, %y : tile<i32>
    %token = store_ptr_tko weak %at, %sum : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}
"""
"""Tile blocks store twice their number, but for the fourth."""

TILES = """
cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>) {
    %i = iota : tile<8xi32>
    %two = constant <i32: 2> : tile<8xi32>
    %a = addi %i, %two : tile<8xi32>
    %b = addi %two, %two : tile<8xi32>
    %c = muli %a, %b : tile<8xi32>
    %flat = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
    %all = broadcast %flat : tile<1xptr<i32>> -> tile<8xptr<i32>>
    %at = offset %all, %i : tile<8xptr<i32>>, tile<8xi32> -> tile<8xptr<i32>>
    %token = store_ptr_tko weak %at, %c : tile<8xptr<i32>>, tile<8xi32> -> token
    return
  }
}
"""


def _count(launch: Launch, kind: type) -> int:
    return sum(isinstance(op, kind) for op in launch.module.walk())


@cache
def _observed(seed: int) -> tuple[Program, Observation]:
    program = generate(seed, 14, exact=True, scale=SMALL)
    return program, observe(program, program.module)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("form", FORMS)
def test_programs_mean_the_same(form: str) -> None:
    changed = 0
    for seed in range(6):
        program, expected = _observed(seed)
        other = apply([form], Launch(program.module, program.grid), Random(seed))
        text = tools.to_text(other.module)
        changed += text != tools.to_text(program.module)
        assert tools.to_text(tools.parse(text)) == text, f"seed {seed}"
        actual = observe(replace(program, grid=other.grid), other.module)
        if program.grid != (1, 1, 1):
            # Tile blocks print in any order.
            actual = replace(actual, printed=expected.printed)
        assert find_difference(expected, actual, exact=True) is None, f"seed {seed}"
    assert changed >= 2 or form == "rename globals"


def test_a_persistent_form_has_a_loop_that_early_exits_continue() -> None:
    launch = Launch(tools.parse(KERNEL), (6, 1, 1))
    for seed in range(4):
        other = apply(["persist"], launch, Random(seed))
        assert other.grid[0] <= 4 and _count(other, ForOp) == 1
        tools.check(
            tools.to_text(other.module),
            """
            // CHECK: cuda_tile.for %[[TILE:.*]] in (%{{.*}} to %{{.*}}, step %{{.*}}) : tile<i32>
            // CHECK: %[[X:.*]] = cuda_tile.remi %[[TILE]], %{{.*}} unsigned
            // CHECK: cuda_tile.cmpi equal %[[X]]
            // CHECK: cuda_tile.continue
            """,
        )


def test_tiles_are_split_and_merged() -> None:
    launch = Launch(tools.parse(TILES), (1, 1, 1))
    split = [apply(["split"], launch, Random(seed)) for seed in range(6)]
    assert max(_count(other, CatOp) for other in split) >= 2
    assert max(_count(other, AddIOp) for other in split) == 4
    merged = [apply(["merge"], launch, Random(seed)) for seed in range(12)]
    assert {(_count(other, AddIOp), _count(other, ExtractOp)) for other in merged} == {
        (2, 0),
        (1, 2),
    }


def test_permuted_operations_follow_what_they_use() -> None:
    launch = Launch(tools.parse(KERNEL), (6, 1, 1))
    texts = {tools.to_text(apply(["permute"], launch, Random(seed)).module) for seed in range(12)}
    assert len(texts) > 3
    for text in texts:
        assert text.index("return") < text.index("store_ptr_tko"), "the exit comes first"
