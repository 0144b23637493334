"""The search for races does as much for each iteration of a loop, however many there are."""

import sys
from pathlib import Path
from types import FrameType

import numpy as np
import pytest

from tileir_xdsl import load
from tileir_xdsl.interpreters import on_chip
from tileir_xdsl.interpreters.races import find_races
from tileir_xdsl.testing import tools

FOLDER = str(Path(on_chip.__file__).parent)
TILE = "tile<128xf32>"
POINTERS = "tile<128xptr<f32>>"
LOAD = f"%x, %{{}} = load_ptr_tko weak %{{}} token = %{{}} : {POINTERS} -> {TILE}, token\n"
STORE = f"%{{}} = store_ptr_tko weak %{{}}, %lanes_f token = %{{}} : {POINTERS}, {TILE} -> token\n"
BODIES = {
    "in place": LOAD.format("read", "p", "t") + STORE.format("end", "p", "read"),
    "stores to one tile after the other": STORE.format("end", "q", "t"),
    "loads of one tile after the other": LOAD.format("end", "q", "t"),
    "loads and stores that both follow the last store": (
        LOAD.format("read", "q", "t")
        + "%both = join_tokens %read, %t : token\n"
        + STORE.format("end", "q", "both")
    ),
}
"""Bodies of a loop from a token `%t` to another, `%end`: `%q` moves by a tile, and `%p` does not."""


def kernel(body: str) -> str:
    """A kernel with a body in a loop of `%n` iterations."""
    return f"""
cuda_tile.module @m {{ entry @k(%a: tile<ptr<f32>>, %n: tile<i32>) {{
  %lanes = iota : tile<128xi32>
  %lanes_f = itof %lanes signed rounding<nearest_even> : tile<128xi32> -> {TILE}
  %a1 = reshape %a : tile<ptr<f32>> -> tile<1xptr<f32>>
  %all = broadcast %a1 : tile<1xptr<f32>> -> {POINTERS}
  %p = offset %all, %lanes : {POINTERS}, tile<128xi32> -> {POINTERS}
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %extent = constant <i32: 128> : tile<i32>
  %first = make_token : token
  %r = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%t = %first) -> (token) {{
    %start = muli %i, %extent : tile<i32>
    %start1 = reshape %start : tile<i32> -> tile<1xi32>
    %starts = broadcast %start1 : tile<1xi32> -> tile<128xi32>
    %q = offset %p, %starts : {POINTERS}, tile<128xi32> -> {POINTERS}
    {body}
    continue %end : token
  }}
  return
}} }}
"""


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_accesses_that_tokens_order_are_compared_once_each(body: str, tmp_path: Path) -> None:
    source = tmp_path / "long_loop.mlir"
    source.write_text(kernel(body))
    module = tools.parse(load(source, "sm_90a").lower("tileas-insert-barriers").text)

    def calls(iterations: int) -> int:
        """How many functions of the search are called."""
        count = 0

        def note(frame: FrameType, event: str, _arg: object) -> None:
            nonlocal count
            count += event == "call" and frame.f_code.co_filename.startswith(FOLDER)

        sys.setprofile(note)
        try:
            array = np.zeros(128 * iterations, np.float32)
            races = find_races(module, "k", (1, 1, 1), [array, iterations])
        finally:
            sys.setprofile(None)
        assert races == []
        return count

    assert 0 < calls(80) <= 2.2 * calls(40)
