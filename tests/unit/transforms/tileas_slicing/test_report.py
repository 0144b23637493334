"""The report of the plan."""

import json
from pathlib import Path

import pytest
from xdsl.utils.exceptions import PassFailedException

from tests.unit.transforms.tileas_slicing.random_loops import TILE, VIEW, kernel
from tests.unit.transforms.tileas_slicing.test_stages import LOAD, produce
from tileir_xdsl.testing import tools

LOOPS = kernel(f"""
    %t = nv_tileas.alloc_tensor : {TILE}
    %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%sum = %t) -> ({TILE}) : i32 {{
      %j = arith.muli %i, %c2 : i32
      %tile = nv_tileas.tiled_load weak %in[%j, %c0] : {VIEW}[i32, i32] -> {TILE}
      %at = arith.index_cast %i : i32 to index
      %row = nv_tileas.extract_slice %tile[0, 0][1, 8][1, 1] : {TILE} to tensor<1x8xi32>
      %y = nv_tileas.insert_slice %row into %sum[%at, 0][1, 8][1, 1] : tensor<1x8xi32> into {TILE}
      scf.yield %y : {TILE}
    }} {{sliceCount = 3 : i32}}
    scf.for %i = %c0 to %n step %c1 : i32 {{ }} {{sliceCount = 2 : i32}}
""")

TEXT = """tileas-slicing
  @k
    loop: #24 scf.for %r
    slices:
      - 0 to 2 step 1
      - 2 to 3 step 1
      - 3 to 4 step 1
    carried values:
      - value: sum
        later slices start from: the initial value
    tiled operands:
      - op: #26 nv_tileas.tiled_load %tile
        operand: view
        taken: the same for all slices
        dimension 0:
          - 2 * induction variable + 0
          - slice 0: 0 to 2
          - slice 1: 4 to 4
          - slice 2: 6 to 6
      - op: #28 nv_tileas.extract_slice %row
        operand: source
        taken: made in the slice
      - op: #29 nv_tileas.insert_slice %y
        operand: destination
        taken: carried by the loop
        dimension 0:
          - 1 * induction variable + 0
          - slice 0: 0 to 1
          - slice 1: 2 to 2
          - slice 2: 3 to 3
    loop: #31 scf.for
    slices:
      - computed before the loop
      - computed before the loop
"""


def report(text: str, path: Path) -> str:
    """What the pass reports; the path is quoted as on the command line."""
    tools.run_passes(tools.parse(text), f'tileas-slicing{{explain="{path}"}}')
    return path.read_text()


def test_loops_as_text(tmp_path: Path):
    assert report(LOOPS, tmp_path / "report.txt") == TEXT


def test_loops_as_json(tmp_path: Path):
    first, second = json.loads(report(LOOPS, tmp_path / "report.json"))["functions"]["k"]
    assert first["slices"] == ["0 to 2 step 1", "2 to 3 step 1", "3 to 4 step 1"]
    assert second["tiled operands"] == []


def test_stages(tmp_path: Path):
    body = LOAD + "%u = nv_tileas.alloc_tensor : tensor<8xi32>"
    facts = json.loads(report(produce(body, "%a"), tmp_path / "report.json"))
    (stage,) = facts["functions"]["module"]
    assert stage["slices"] == 2
    assert stage["one for each slice"] == ["#3 nv_tileas.tiled_load %a"]
    assert stage["for the whole tile"] == ["#4 nv_tileas.alloc_tensor %u"]


def test_a_report_that_cannot_be_written(tmp_path: Path):
    with pytest.raises(PassFailedException, match="cannot write"):
        report(LOOPS, tmp_path / "nowhere" / "report.txt")
