"""Timelines: what is drawn and traced is what the scheduler and the model of agents say."""

import json
from itertools import pairwise
from pathlib import Path

import pytest

from tests.unit.drawings.svg_reading import NAMESPACE, check_drawing, root_of
from tests.unit.drawings.test_kernel import compiled, op_names
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.drawings.program_schedules import perfetto_of, timelines_of
from tileir_xdsl.drawings.schedule import schedule_drawing
from tileir_xdsl.drawings.timeline import Timeline, steady_state
from tileir_xdsl.testing.tools import run_passes
from tileir_xdsl.walking import ops_in

MATMUL = "divisible/matmul_f16_warpgroup.mlir"
ATTENTION = "divisible/attention_warpgroup.mlir"
SCHEDULED = "tileas-generate-schedule"
LAST = "tileas-insert-barriers"
POINTS = [
    (MATMUL, "sm_90a", SCHEDULED),
    (ATTENTION, "sm_90a", SCHEDULED),
    (MATMUL, "sm_80", SCHEDULED),
    (MATMUL, "sm_90a", LAST),
    (ATTENTION, "sm_90a", LAST),
    (MATMUL, "sm_100a", LAST),
]


def timeline(kernel: str, gpu: str, last: str) -> Timeline:
    functions = (
        op for op in ops_in(compiled(kernel, gpu, last)) if isinstance(op, nv_tileaa.FuncOp)
    )
    (found,) = [each for function in functions for each in timelines_of(function, gpu, op_names)]
    return found


@pytest.mark.parametrize("point", POINTS, ids=str)
def test_every_bar_is_drawn_and_traced(point: tuple[str, str, str]):
    given = timeline(*point)
    drawing = schedule_drawing(given)
    check_drawing(drawing)
    bars = sorted((bar.start, bar.end, str(bar.iteration), bar.ids) for bar in given.bars)
    drawn: list[tuple[int, int, str, tuple[str, ...]]] = []
    scale = None
    for group in root_of(drawing.svg).iter(f"{NAMESPACE}g"):
        if (cycles := group.get("data-cycles")) is None:
            continue
        start, end = map(int, cycles.split())
        drawn.append((start, end, group.attrib["data-iteration"], (group.attrib["data-id"],)))
        box = group.find(f"{NAMESPACE}rect")
        assert box is not None
        scale = 860 / given.end
        assert abs(float(box.attrib["width"]) - max(0.8, (end - start) * scale)) < 0.1
    assert scale
    assert sorted(drawn) == bars
    assert drawing.trace is not None
    events = json.loads(json.dumps(drawing.trace))["traceEvents"]
    traced = [event for event in events if event["ph"] == "X"]
    assert sorted((e["ts"], e["ts"] + e["dur"]) for e in traced) == [bar[:2] for bar in bars]
    rows = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
    assert {rows[e["tid"]] for e in traced} == {bar.row for bar in given.bars}
    assert {e["cat"] for e in traced} <= {"wait", "work"}


@pytest.mark.parametrize("point", POINTS, ids=str)
def test_nobody_does_two_things_at_once(point: tuple[str, str, str]):
    given = timeline(*point)
    for row in given.rows:
        bars = sorted((bar.start, bar.end) for bar in given.bars if bar.row == row)
        assert bars
        assert all(first[1] <= second[0] for first, second in pairwise(bars))
    assert given.interval > 0
    assert given.steady_from is not None


def test_a_loop_is_drawn_as_the_pass_reports_it(tmp_path: Path):
    report = tmp_path / "schedule.json"
    before = compiled(ATTENTION, "sm_90a", "tileas-materialize-async").clone()
    run_passes(before, f'{SCHEDULED}{{explain="{report}"}}', verify=False)
    ((loop,),) = json.loads(report.read_text())["functions"].values()
    given = timeline(ATTENTION, "sm_90a", SCHEDULED)
    assert given.interval == loop["interval"]
    assert given.steady_from == (loop["stages"] - 1) * loop["interval"]
    assert f"{loop['stages']} stages of {loop['interval']} cycles" in given.notes[0]


@pytest.mark.parametrize("gpu", ["sm_90a", "sm_100a"])
def test_agents_keep_to_the_stages_of_their_pipeline(gpu: str):
    given = timeline(MATMUL, gpu, LAST)
    module = compiled(MATMUL, gpu, LAST)
    (pipeline,) = (op for op in ops_in(module) if isinstance(op, nv_tileas.CreatePipelineOp))
    stages = pipeline.num_stages.value.data
    copies = sorted(bar.start for bar in given.bars if bar.row == "copy engine")
    dots = sorted(bar.start for bar in given.bars if bar.row == "matrix unit")
    assert len(copies) == len(dots) == stages + 4
    for number, (copy, dot) in enumerate(zip(copies, dots, strict=True)):
        assert copy < dot
        # A stage is filled again only when what was in it has been read.
        if number >= stages:
            assert copy > dots[number - stages]
    waits = [bar for bar in given.bars if bar.waits and bar.row.startswith("agent 0")]
    assert {bar.name for bar in waits} >= {"consumer_wait"}


def test_the_producer_waits_for_empty_stages():
    waits = [bar for bar in timeline(MATMUL, "sm_90a", LAST).bars if bar.name == "produce_one"]
    stalled = [bar for bar in waits if bar.waits]
    assert [bar.iteration for bar in stalled] == [8, 9, 10, 11]


def test_a_module_is_one_trace():
    trace = perfetto_of(compiled(MATMUL, "sm_90a", LAST), "sm_90a")
    json.dumps(trace)
    assert trace["traceEvents"]
    assert perfetto_of(compiled(MATMUL, "sm_90a", "tileas-canonicalize"), "sm_90a") == {
        "displayTimeUnit": "ns",
        "traceEvents": [],
    }


@pytest.mark.parametrize(
    ("starts", "expected"),
    [
        ([], (0, None)),
        ([5], (0, None)),
        ([0, 10], (10, None)),
        ([0, 3, 10, 17, 24], (7, 3)),
        ([0, 7, 14], (7, 0)),
        ([0, 3, 10], (7, None)),
    ],
)
def test_the_steady_state_is_the_last_gap_that_repeats(
    starts: list[int], expected: tuple[int, int | None]
):
    assert steady_state(starts) == expected
