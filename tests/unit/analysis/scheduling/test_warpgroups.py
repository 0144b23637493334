"""How long an iteration takes where warpgroups share the units, with and without ping-pong."""

import pytest
from xdsl.dialects import scf

from tests.unit.analysis.scheduling.test_overlap import costs, loop_of, overlap_of
from tests.unit.transforms.chained_dots import chained
from tileir_xdsl.analysis.scheduling.dependences import body_ops
from tileir_xdsl.analysis.scheduling.in_order import LoopOrder, in_order_timing
from tileir_xdsl.analysis.scheduling.ping_pong import runs_of_mmas
from tileir_xdsl.analysis.scheduling.warpgroups import WarpgroupTiming, exchanges_between_warps
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.testing import tools


def loop_and_order(form: str) -> tuple[scf.ForOp, LoopOrder]:
    loop = loop_of(chained())
    if form == "in order":
        return loop, LoopOrder(body_ops(loop), {})
    return loop, overlap_of(loop).order


@pytest.mark.parametrize("form", ("in order", "alongside"))
def test_one_warpgroup_takes_as_long_as_all_together(form: str):
    loop, order = loop_and_order(form)
    found = WarpgroupTiming(1, False, 40).interval(loop, order, costs(loop))
    assert found == in_order_timing(loop, order, costs(loop)).interval


# A warpgroup has half of an iteration: two dots of 50 cycles, each read 50 cycles after its end,
# and 50 cycles of other ops in all.
INTERVALS = {
    # Dot, latency, other ops, dot, latency: the other warpgroup has its dots in between.
    ("in order", 0): 50 + 50 + 50 + 50 + 50,
    # The mutex is released 60 cycles after the second dot of the other, which is 60 after the first.
    ("in order", 60): 60 + (50 + 50 + 50) + 60,
    # All dots of both: nothing else is waited for.
    ("alongside", 0): 4 * 50,
    ("alongside", 60): 4 * 50,
    # Longer than the dots of a run: two of them.
    ("alongside", 300): 2 * 300,
}


@pytest.mark.parametrize(("form", "latency"), INTERVALS)
def test_in_ping_pong_one_computes_while_dots_of_the_other_run(form: str, latency: int):
    loop, order = loop_and_order(form)
    found = WarpgroupTiming(2, True, latency).interval(loop, order, costs(loop))
    assert found == INTERVALS[form, latency]


@pytest.mark.parametrize("form", ("in order", "alongside"))
def test_in_the_order_of_issue_no_mutex_is_waited_for(form: str):
    loop, order = loop_and_order(form)
    found = WarpgroupTiming(2, False, 300).interval(loop, order, costs(loop))
    assert found == INTERVALS[form, 0]


def test_dots_that_follow_one_another_are_one_run():
    _, order = loop_and_order("alongside")
    dots = [op for op in order.ops if isinstance(op, nv_tileas.AsyncDotOp)]
    assert runs_of_mmas(order.ops) == [(dots[0], dots[1])]
    _, order = loop_and_order("in order")
    dots = [op for op in order.ops if isinstance(op, nv_tileas.AsyncDotOp)]
    assert runs_of_mmas(order.ops) == [(dot, dot) for dot in dots]


ROWS = "#nv_tileas.layout<((2, 2, 2), (4, 8), 4, 1), ((1, 128, 8), (2, 16), 256, 0)>"
"""Each of four warps has 16 of 64 rows of 16 columns."""
LANES = "#nv_tileas.layout<((2, 2, 2), (4, 8), 4, 1), ((1, 128, 2), (4, 16), 256, 0)>"
"""The same rows of each warp, in other lanes."""
PARTS = "#nv_tileas.layout<((2, 2, 2), (4, 8), (2, 2), 1), ((1, 128, 256), (2, 16), (8, 512), 0)>"
"""Each warp has half of the columns of 32 rows."""
SUM = """{
  ^bb0(%a: f32, %b: f32):
    %c = nv_tileaa.addf %a, %b : f32
    nv_tileaa.yield %c : f32
}"""

EXCHANGES = {
    "other lanes": (ROWS, f"convert_layout %x : T<{ROWS}> -> T<{LANES}>", False),
    "other warps": (ROWS, f"convert_layout %x : T<{ROWS}> -> T<{PARTS}>", True),
    "sums of rows": (ROWS, "reduce 1", False),
    "sums of columns": (ROWS, "reduce 0", True),
    "sums of rows in parts": (PARTS, "reduce 1", True),
}


@pytest.mark.parametrize("name", EXCHANGES)
def test_what_warps_exchange(name: str):
    layout, op, expected = EXCHANGES[name]
    if op.startswith("reduce"):
        axis = int(op[-1])
        shape = (64, 16)[1 - axis]
        op = f"nv_tileaa.reduce %x {{axis = {axis} : i32}} : T<{layout}> -> tensor<{shape}xf32> {SUM}"
    else:
        op = f"nv_tileas.{op}"
    text = f"""nv_tileaa.func @k(%x: T<{layout}>) {{
    %y = {op}
    nv_tileaa.return
  }}""".replace("T<#", "tensor<64x16xf32, #")
    module = tools.parse(f"builtin.module {{ {text} }}")
    found = (nv_tileas.ConvertLayoutOp, nv_tileaa.ReduceOp)
    (exchange,) = (op for op in module.walk() if isinstance(op, found))
    assert exchanges_between_warps(exchange) == expected
