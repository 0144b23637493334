"""Early exits become structured control flow: both levels compute the same."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from tileir_xdsl import interpreters
from tileir_xdsl.testing import tools

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


I32 = "tile<i32>"
LOOP = f"loop iter_values(%a = %x, %i = %c0) : {I32}, {I32} -> {I32}, {I32}"
LOOPS = {
    "for": f"""
%r = for %i in (%c0 to %n, step %c1) : {I32} iter_values(%a = %x) -> ({I32}) {{
  BODY
  %b = addi %a, %i : {I32}
  continue %b : {I32}
}}""",
    "loop": f"""
%r, %m = {LOOP} {{
  %stop = cmpi greater_than_or_equal %i, %n, signed : {I32} -> tile<i1>
  if %stop {{ break %a, %i : {I32}, {I32} }}
  %next = addi %i, %c1 : {I32}
  BODY
  %b = addi %a, %i : {I32}
  continue %b, %next : {I32}, {I32}
}}""",
    "loop that runs once": f"""
%m, %r = {LOOP.replace("%i = %c0", "%i = %n")} {{
  %next = addi %i, %c1 : {I32}
  BODY
  %b = addi %a, %i : {I32}
  break %next, %b : {I32}, {I32}
}}""",
}
EXITS = {
    "for": {"continue": f"continue %a : {I32}"},
    "loop": {
        "continue": f"continue %a, %next : {I32}, {I32}",
        "break": f"break %i, %a : {I32}, {I32}",
    },
    "loop that runs once": {"break": f"break %i, %a : {I32}, {I32}"},
}


def counted(name: str, amount: str) -> str:
    """Adds a number to what is in memory."""
    return f"""
      %old_{name}, %read_{name} = load_ptr_tko weak %p : tile<ptr<i32>> -> {I32}, token
      %sum_{name} = addi %old_{name}, {amount} : {I32}
      %done_{name} = store_ptr_tko weak %p, %sum_{name} token = %read_{name} : tile<ptr<i32>>, {I32} -> token
    """


def nested(exit: str, depth: int, branch: int) -> str:
    """An exit in some ifs of which each goes on after it, in the first or the second branch."""
    text = exit
    for level in reversed(range(depth)):
        inside = text + (counted(f"in_{level}", "%c5") if level < depth - 1 else "")
        other = counted(f"other_{level}", "%c3")
        first, second = (inside, other) if branch == 0 else (other, inside)
        bound = ("%c1", "%c3", "%c0")[level]
        order = "greater_than" if branch == 0 else "less_than_or_equal"
        text = (
            f"%q_{level} = cmpi {order} %i, {bound}, signed : {I32} -> tile<i1>\n"
            f"if %q_{level} {{ {first} }} else {{ {second} }}\n{counted(f'after_{level}', '%c1')}"
        )
    return text


@pytest.mark.one_in(8, "for-continue-2-0")
@pytest.mark.parametrize("branch", [0, 1])
@pytest.mark.parametrize("depth", [2, 3])
@pytest.mark.parametrize(
    ("loop", "exit"), [(loop, exit) for loop, exits in EXITS.items() for exit in exits]
)
def test_exits_from_any_depth(loop: str, exit: str, depth: int, branch: int):
    """The loop stands in another one, which carries what it gives."""
    body = LOOPS[loop].replace("BODY", nested(EXITS[loop][exit], depth, branch))
    program = f"""
      %all = for %k in (%c0 to %c3, step %c1) : {I32} iter_values(%x = %c1) -> ({I32}) {{
        {body}
        %given = addi %r, %k : {I32}
        continue %given : {I32}
      }}
      {STORE.replace("%r", "%all")}"""
    check(program, (0, 2, 6))


ENDS = {
    "then continue, break": "if %goes { continue %b, %next : TYPES } break %b, %next : TYPES",
    "then break, continue": "if %ends { break %b, %next : TYPES } continue %b, %next : TYPES",
    "else continue, break": "if %ends { } else { continue %b, %next : TYPES } break %b, %next : TYPES",
    "else break, continue": "if %goes { } else { break %b, %next : TYPES } continue %b, %next : TYPES",
    "continue or break": """
      if %goes { continue %b, %next : TYPES } else { break %b, %next : TYPES }
      break %i, %i : TYPES""",
    "break or continue": """
      if %ends { break %b, %next : TYPES } else { continue %b, %next : TYPES }
      continue %i, %i : TYPES""",
    "continue in two ifs": """
      if %goes { if %odd { continue %b, %next : TYPES } else { continue %i, %next : TYPES } }
      break %b, %next : TYPES""",
    "break in two ifs": """
      if %ends { if %odd { break %b, %next : TYPES } else { break %i, %next : TYPES } }
      continue %b, %next : TYPES""",
    "continue after a loop that breaks": """
      loop { break }
      if %goes { continue %b, %next : TYPES }
      break %b, %next : TYPES""",
    "break after a loop that continues": f"""
      for %j in (%c0 to %c3, step %c1) : {I32} {{ continue }}
      break %b, %next : TYPES""",
}
"""How a loop that runs its body before it decides may end an iteration."""


@pytest.mark.parametrize("end", ENDS)
def test_loops_that_decide_at_the_end(end: str):
    ending = ENDS[end].replace("TYPES", f"{I32}, {I32}")
    program = f"""
      %r, %m = {LOOP.replace("%x", "%c1")} {{
        %next = addi %i, %c1 : {I32}
        %b = addi %a, %next : {I32}
        %goes = cmpi less_than %next, %n, signed : {I32} -> tile<i1>
        %ends = cmpi greater_than_or_equal %next, %n, signed : {I32} -> tile<i1>
        %bit = andi %next, %c1 : {I32}
        %odd = cmpi equal %bit, %c1, signed : {I32} -> tile<i1>
        {ending}
      }}
      {STORE}"""
    check(program, (-1, 0, 1, 2, 5))


@pytest.mark.parametrize("name", PROGRAMS)
def test_structured_programs_compute_the_same(name: str):
    numbers = (0, 1, 2, 3, 4, 5, 6, 7, 20)
    check(PROGRAMS[name], numbers if name == "unsigned for" else (*numbers, -3))


def check(program: str, numbers: Sequence[int]) -> None:
    """Runs a program with each number before and after the conversion."""
    text = (
        "cuda_tile.module @m { entry @k(%p: tile<ptr<i32>>, %n: tile<i32>) {"
        f"{HEAD}{program} return }} }}"
    )
    module = tools.parse(text)
    lowered = tools.run_passes(tools.parse(text), "convert-cuda-tile-to-tileaa")
    tools.roundtrip(tools.to_text(lowered))
    for n in numbers:
        before, after = np.full(1, -7, np.int32), np.full(1, -7, np.int32)
        interpreters.launch(module, "k", (1, 1, 1), [before, n])
        interpreters.launch(lowered, "k", (1, 1, 1), [after, n])
        assert before[0] == after[0], n


def unsigned_ranges(width: int) -> list[range]:
    """Short ranges at both ends and around the middle of the numbers of a width, and empty ones.

    Steps are positive numbers of the type also where it is signed.
    """
    half, top = 1 << (width - 1), (1 << width) - 1
    return [
        *(range(half - 2, half + 3, step) for step in (1, 2, 4, half - 1)),
        *(range(top - 3, top, step) for step in (1, 2, 3, half - 1)),
        *(range(0, top, step) for step in (top // 3, half // 2, half - 1)),
        *(range(*bounds) for bounds in ((half, 3), (top, 0), (7, 3), (half + 1, half), (5, 5))),
        *(range(bound, bound) for bound in (half, top)),
    ]


@pytest.mark.parametrize("width", (8, 16, 32, 64))
def test_unsigned_ranges(width: int):
    """Each stores its numbers one after the other, before the conversion and after it."""
    type = f"tile<i{width}>"
    text = f"""
    cuda_tile.module @m {{
    entry @k(%p: tile<ptr<i{width}>>, %from: {type}, %to: {type}, %by: {type}) {{
      %zero = constant <i32: 0> : tile<i32>
      %one = constant <i32: 1> : tile<i32>
      %n = for unsigned %i in (%from to %to, step %by) : {type} iter_values(%c = %zero) -> (tile<i32>) {{
        %q = offset %p, %c : tile<ptr<i{width}>>, tile<i32> -> tile<ptr<i{width}>>
        %t = store_ptr_tko weak %q, %i : tile<ptr<i{width}>>, {type} -> token
        %d = addi %c, %one : tile<i32>
        continue %d : tile<i32>
      }}
    }}
    }}
    """
    lowered = tools.run_passes(tools.parse(text), "convert-cuda-tile-to-tileaa")
    unsigned, signed = (np.dtype(f"{kind}{width // 8}") for kind in "ui")
    for numbers in unsigned_ranges(width):
        bounds = np.array([numbers.start, numbers.stop, numbers.step], unsigned).view(signed)
        for module in (tools.parse(text), lowered):
            found = np.full(8, 7, signed)
            interpreters.launch(module, "k", (1, 1, 1), [found, *bounds])
            expected = np.full(8, 7, unsigned)
            expected[: len(numbers)] = numbers
            np.testing.assert_array_equal(found.view(unsigned), expected, str(numbers))


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
