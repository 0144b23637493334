"""Which loops wait for memory, by the text of the loop."""

import pytest

from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.interpreters.waits import waiting_loops
from tileir_xdsl.testing import tools

LOAD = "load_ptr_tko relaxed device %p : tile<ptr<i32>> -> tile<i32>, token"
SWAP = (
    "atomic_cas_tko relaxed device %p, %zero, %one : tile<ptr<i32>>, tile<i32> -> tile<i32>, token"
)

IN_BODY = (
    "%v, %t = {read} %c = cmpi equal %v, %one, signed : tile<i32> -> tile<i1> if %c {{ break }}"
)
"""A loop that ends where memory holds 1."""

KERNEL = """
cuda_tile.module @m {{ entry @k(%p: tile<ptr<i32>>) {{
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %before, %u = {load}
  {loop}
  return
}} }}
"""

WAITING = {
    "a load": f"loop {{ {IN_BODY.format(read=LOAD)} continue }}",
    "a weak load": f"loop {{ {IN_BODY.format(read=LOAD.replace('relaxed device', 'weak'))} continue }}",
    "a swap": f"loop {{ {IN_BODY.format(read=SWAP)} continue }}",
    "carried": f"""
      loop iter_values(%a = %zero) : tile<i32> {{
        %c = cmpi equal %a, %one, signed : tile<i32> -> tile<i1>
        if %c {{ break }}
        %v, %t = {LOAD}
        continue %v : tile<i32>
      }}""",
    "of an if": f"""
      loop iter_values(%a = %zero) : tile<i32> {{
        %c = cmpi equal %a, %one, signed : tile<i32> -> tile<i1>
        %r = if %c -> (tile<i32>) {{
          %v, %t = {LOAD}
          yield %v : tile<i32>
        }} else {{ yield %a : tile<i32> }}
        %d = cmpi equal %r, %one, signed : tile<i32> -> tile<i1>
        if %d {{ break }}
        continue %a : tile<i32>
      }}""",
    "of a for": f"""
      loop {{
        %r = for %i in (%zero to %one, step %one) : tile<i32>
            iter_values(%a = %zero) -> (tile<i32>) {{
          %v, %t = {LOAD}
          %b = addi %a, %v : tile<i32>
          continue %b : tile<i32>
        }}
        %d = cmpi equal %r, %one, signed : tile<i32> -> tile<i1>
        if %d {{ break }}
        continue
      }}""",
    "a return": f"""
      loop {{
        {IN_BODY.format(read=LOAD).replace("break", "return")}
        continue
      }}""",
}

NEVER_WAITING = {
    "a counter": f"""
      loop iter_values(%a = %zero, %s = %zero) : tile<i32>, tile<i32> {{
        %c = cmpi equal %a, %one, signed : tile<i32> -> tile<i1>
        if %c {{ break }}
        %v, %t = {LOAD}
        %n = addi %a, %one : tile<i32>
        %m = addi %s, %v : tile<i32>
        continue %n, %m : tile<i32>, tile<i32>
      }}""",
    "what was read before": """
      loop iter_values(%a = %zero) : tile<i32> {
        %c = cmpi equal %a, %before, signed : tile<i32> -> tile<i1>
        if %c { break }
        %n = addi %a, %one : tile<i32>
        continue %n : tile<i32>
      }""",
    "bounds": f"for %i in (%zero to %before, step %one) : tile<i32> {{ %v, %t = {LOAD} continue }}",
}


@pytest.mark.parametrize("name", WAITING)
def test_loop_waits(name: str):
    found = waiting_loops(tools.parse(KERNEL.format(load=LOAD, loop=WAITING[name])))
    assert [(type(op), is_exact) for op, is_exact in found.items()] == [(cuda_tile.LoopOp, True)]


@pytest.mark.parametrize("name", NEVER_WAITING)
def test_loop_never_waits(name: str):
    assert not waiting_loops(tools.parse(KERNEL.format(load=LOAD, loop=NEVER_WAITING[name])))


@pytest.mark.parametrize("name", WAITING)
def test_later_levels_keep_what_waits(name: str):
    module = tools.parse(KERNEL.format(load=LOAD, loop=WAITING[name]))
    tools.run_passes(module, "convert-cuda-tile-to-tileaa")
    assert len(waiting_loops(module)) == 1


CALLS = """
nv_tileaa.func @read(%p: !nv_tileaa.ptr<i32>) -> i32 {{
  %v, %t = nv_tileaa.load relaxed gpu %p : !nv_tileaa.ptr<i32> -> i32, !nv_tileaa.mem_token
  nv_tileaa.return %v : i32
}}
nv_tileaa.func @no_read(%p: !nv_tileaa.ptr<i32>) -> i32 {{
  %v = arith.constant 0 : i32
  nv_tileaa.return %v : i32
}}
nv_tileaa.func @k(%p: !nv_tileaa.ptr<i32>) {{
  %one = arith.constant 1 : i32
  scf.while () : () -> () {{
    %v = nv_tileaa.call @{called}(%p) : (!nv_tileaa.ptr<i32>) -> i32
    %c = arith.cmpi ne, %v, %one : i32
    scf.condition(%c)
  }} do {{ scf.yield }}
  nv_tileaa.return
}}
"""


@pytest.mark.parametrize(("called", "count"), [("read", 1), ("no_read", 0)])
def test_called_functions(called: str, count: int):
    assert len(waiting_loops(tools.parse(CALLS.format(called=called)))) == count


PIPELINED = """
nv_tileaa.func @k(%p: !nv_tileaa.ptr<i32>) {
  %mutex = nv_tileas.async.pipeline.create_mutex {participants = 2 : i32, nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 0 : i32} : !nv_tileas.async.pipeline.mutex
  %one = arith.constant 1 : i32
  scf.while () : () -> () {
    nv_tileas.async.pipeline.acquire_mutex %mutex {participant = 0 : i32} : !nv_tileas.async.pipeline.mutex
    %v, %t = nv_tileaa.load relaxed gpu %p : !nv_tileaa.ptr<i32> -> i32, !nv_tileaa.mem_token
    nv_tileas.async.pipeline.release_mutex %mutex {participant = 0 : i32} : !nv_tileas.async.pipeline.mutex
    %c = arith.cmpi ne, %v, %one : i32
    scf.condition(%c)
  } do { scf.yield }
  nv_tileaa.return
}
"""


def test_state_outside_of_memory():
    """A mutex changes while its value stays the same."""
    assert list(waiting_loops(tools.parse(PIPELINED)).values()) == [False]
