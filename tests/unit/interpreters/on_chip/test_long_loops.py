"""The search for races does as much for each iteration of a loop, however many there are."""

import sys
from pathlib import Path
from types import FrameType

import numpy as np

from tests.unit import tools
from tileir_xdsl import load
from tileir_xdsl.interpreters import on_chip
from tileir_xdsl.interpreters.races import find_races

FOLDER = str(Path(on_chip.__file__).parent)
TILE = "tile<128xf32>"
POINTERS = "tile<128xptr<f32>>"
IN_PLACE = f"""
cuda_tile.module @m {{ entry @k(%a: tile<ptr<f32>>, %n: tile<i32>) {{
  %lanes = iota : tile<128xi32>
  %a1 = reshape %a : tile<ptr<f32>> -> tile<1xptr<f32>>
  %all = broadcast %a1 : tile<1xptr<f32>> -> {POINTERS}
  %p = offset %all, %lanes : {POINTERS}, tile<128xi32> -> {POINTERS}
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %first = make_token : token
  %r = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%t = %first) -> (token) {{
    %x, %read = load_ptr_tko weak %p token = %t : {POINTERS} -> {TILE}, token
    %y = addf %x, %x rounding<nearest_even> : {TILE}
    %stored = store_ptr_tko weak %p, %y token = %read : {POINTERS}, {TILE} -> token
    continue %stored : token
  }}
  return
}} }}
"""


def test_stores_in_place_are_compared_once_each(tmp_path: Path) -> None:
    source = tmp_path / "in_place.mlir"
    source.write_text(IN_PLACE)
    module = tools.parse(load(source, "sm_90a").lower("tileas-insert-barriers").text)

    def calls(iterations: int) -> int:
        """How many functions of the search are called."""
        count = 0

        def note(frame: FrameType, event: str, _arg: object) -> None:
            nonlocal count
            count += event == "call" and frame.f_code.co_filename.startswith(FOLDER)

        sys.setprofile(note)
        try:
            races = find_races(module, "k", (1, 1, 1), [np.zeros(128, np.float32), iterations])
        finally:
            sys.setprofile(None)
        assert races == []
        return count

    assert 0 < calls(80) <= 2.2 * calls(40)
