"""Early exits become structured control flow: both levels compute the same."""

from collections.abc import Callable

import numpy as np
import pytest

from tests.unit import tools
from tileir_xdsl import interpreters

HEAD = """
%c0 = constant <i32: 0> : tile<i32>
%c1 = constant <i32: 1> : tile<i32>
%c3 = constant <i32: 3> : tile<i32>
%c5 = constant <i32: 5> : tile<i32>
"""
STORE = "%t = store_ptr_tko weak %p, %r : tile<ptr<i32>>, tile<i32> -> token"

PROGRAMS = {
    "continue in an if": f"""
%r = for %i in (%c0 to %n, step %c1) : tile<i32> iter_values(%a = %c0) -> (tile<i32>) {{
  %q = cmpi equal %i, %c3, signed : tile<i32> -> tile<i1>
  if %q {{ continue %a : tile<i32> }}
  %b = addi %a, %i : tile<i32>
  continue %b : tile<i32>
}}
{STORE}
""",
    "break and continue, ifs with results": f"""
%r = loop iter_values(%a = %c0) : tile<i32> -> tile<i32> {{
  %q = cmpi greater_than %a, %n, signed : tile<i32> -> tile<i1>
  %z = if %q -> (tile<i32>) {{
    %y = muli %a, %c5 : tile<i32>
    break %y : tile<i32>
  }} else {{
    %w = addi %a, %c1 : tile<i32>
    yield %w : tile<i32>
  }}
  %s = cmpi equal %z, %c3, signed : tile<i32> -> tile<i1>
  if %s {{
    %v = addi %z, %c1 : tile<i32>
    continue %v : tile<i32>
  }}
  continue %z : tile<i32>
}}
{STORE}
""",
    "break out of two ifs": f"""
%r = loop iter_values(%a = %c0) : tile<i32> -> tile<i32> {{
  %q = cmpi greater_than %a, %c3, signed : tile<i32> -> tile<i1>
  if %q {{
    %s = cmpi greater_than %a, %n, signed : tile<i32> -> tile<i1>
    if %s {{ break %a : tile<i32> }}
    %w = addi %a, %c3 : tile<i32>
    continue %w : tile<i32>
  }}
  %b = addi %a, %c1 : tile<i32>
  continue %b : tile<i32>
}}
{STORE}
""",
    "early returns": f"""
%q = cmpi greater_than %n, %c3, signed : tile<i32> -> tile<i1>
if %q {{
  %s = cmpi greater_than %n, %c5, signed : tile<i32> -> tile<i1>
  if %s {{ return }}
  %r = addi %n, %n : tile<i32>
  {STORE}
  return
}} else {{
  %r = addi %n, %c5 : tile<i32>
  {STORE}
}}
%r = addi %n, %c1 : tile<i32>
{STORE}
""",
    "unsigned for": f"""
%r = for unsigned %i in (%c1 to %n, step %c3) : tile<i32> iter_values(%a = %c0) -> (tile<i32>) {{
  %b = addi %a, %i : tile<i32>
  continue %b : tile<i32>
}}
{STORE}
""",
    "for in a for, no values": """
for %i in (%c0 to %n, step %c1) : tile<i32> {
  for %j in (%c0 to %i, step %c1) : tile<i32> {
    %q = cmpi equal %j, %c3, signed : tile<i32> -> tile<i1>
    if %q { continue }
    %old, %s = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
    %r = addi %old, %j : tile<i32>
    %t = store_ptr_tko weak %p, %r token=%s : tile<ptr<i32>>, tile<i32> -> token
  }
}
""",
    "if without else": f"""
%q = cmpi less_than %n, %c5, signed : tile<i32> -> tile<i1>
if %q {{
  %r = muli %n, %c3 : tile<i32>
  {STORE}
}}
""",
    "an if in a combiner": f"""
%numbers = iota : tile<8xi32>
%ones = reshape %n : tile<i32> -> tile<1xi32>
%many = broadcast %ones : tile<1xi32> -> tile<8xi32>
%apart = subi %numbers, %many : tile<8xi32>
%r = reduce %apart dim=0 identities=[0 : i32] : tile<8xi32> -> tile<i32>
(%x: tile<i32>, %y: tile<i32>) {{
  %q = cmpi less_than %x, %y, signed : tile<i32> -> tile<i1>
  %z = if %q -> (tile<i32>) {{ yield %y : tile<i32> }} else {{ yield %x : tile<i32> }}
  yield %z : tile<i32>
}}
{STORE}
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_structured_programs_compute_the_same(name: str):
    text = (
        "cuda_tile.module @m { entry @k(%p: tile<ptr<i32>>, %n: tile<i32>) {"
        f"{HEAD}{PROGRAMS[name]} return }} }}"
    )
    lowered = tools.run_passes(tools.parse(text), "convert-cuda-tile-to-tileaa")
    tools.roundtrip(tools.to_text(lowered))
    for n in (0, 1, 2, 3, 4, 5, 6, 7, 20, -3):
        if name == "unsigned for" and n < 0:
            continue
        before, after = np.full(1, -7, np.int32), np.full(1, -7, np.int32)
        interpreters.launch(tools.parse(text), "k", (1, 1, 1), [before, n])
        interpreters.launch(lowered, "k", (1, 1, 1), [after, n])
        assert before[0] == after[0], n


def test_no_exit_leaves_plain_loops(filecheck: Callable[[str, str], None]):
    text = f"""
cuda_tile.module @m {{ entry @k(%n: tile<i32>) {{ {HEAD}
  %r = for %i in (%c0 to %n, step %c1) : tile<i32> iter_values(%a = %c0) -> (tile<i32>) {{
    %b = addi %a, %i : tile<i32>
    continue %b : tile<i32>
  }}
}} }}
"""
    module = tools.run_passes(tools.parse(text), "convert-cuda-tile-to-tileaa")
    filecheck(
        tools.to_text(module),
        """
// CHECK:      scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0) -> (i32) : i32 {
// CHECK-NEXT:   %b = nv_tileaa.addi %a, %i : i32
// CHECK-NEXT:   scf.yield %b : i32
// CHECK-NEXT: }
// CHECK-NEXT: nv_tileaa.return
""",
    )
