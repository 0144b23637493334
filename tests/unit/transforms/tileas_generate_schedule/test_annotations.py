"""Stages of ops in loops with pipelines, and what reads them."""

import json
import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation
from xdsl.utils.exceptions import PassFailedException

from tests.unit.transforms.chained_dots import chained
from tests.unit.transforms.dot_loops import LOOP, NESTED, kernel, run
from tileir_xdsl.builders.schedule import OFFSET_KEY, ScheduleAnalysis
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ORDER_KEY, STAGE_KEY
from tileir_xdsl.testing import tools


def scheduled(loop: str = LOOP, options: str = "", then: str = "") -> Operation:
    passes = f"tileas-materialize-async{{num-stages=4}},tileas-generate-schedule{options}{then}"
    return tools.run_passes(tools.parse(kernel(loop)), passes)


def stages(module: Operation) -> dict[str, int]:
    """The stage of the last op of each name, in the loop that has stages."""
    found: dict[str, int] = {}
    for op in module.walk():
        stage = op.attributes.get(STAGE_KEY)
        if isinstance(stage, IntegerAttr):
            found[op.name.rpartition(".")[2]] = stage.value.data
    return found


def test_loads_come_before_the_wait():
    found = stages(scheduled())
    assert found["produce_one_async"] == 0
    assert found["consumer_wait"] >= 2
    assert found["dot"] == found["consumer_wait"]


def test_the_serial_scheduler_has_one_stage():
    assert set(stages(scheduled(options="{scheduler=serial}")).values()) == {0}


def test_each_op_has_a_place():
    (loop,) = (op for op in scheduled().walk() if isinstance(op, scf.ForOp))
    ops = list(loop.body.block.ops)[:-1]
    orders = [op.attributes[ORDER_KEY] for op in ops]
    assert sorted(o.value.data for o in orders if isinstance(o, IntegerAttr)) == list(
        range(len(ops))
    )
    assert set(ScheduleAnalysis.of(loop.body.block).stages) == set(ops)


def test_only_loops_that_fill_stages():
    outer, inner = (op for op in scheduled(NESTED).walk() if isinstance(op, scf.ForOp))
    assert not ScheduleAnalysis.of(outer.body.block).stages
    assert ScheduleAnalysis.of(inner.body.block).stages


def test_the_report(tmp_path: Path):
    report = tmp_path / "report.json"
    scheduled(options=f'{{explain="{report}"}}')
    (facts,) = json.loads(report.read_text())["functions"]["k"]
    assert facts["interval"] >= max(facts["resource bound"], facts["carried bound"])
    assert facts["stages"] >= 3


def test_the_report_of_dots_alongside_other_ops(tmp_path: Path):
    report = tmp_path / "report.txt"
    passes = f'tileas-materialize-async,tileas-generate-schedule{{explain="{report}"}}'
    module = tools.run_passes(tools.parse(chained()), passes)
    cycles = r"\d+ cycles of an iteration instead of \d+, \d+ of 200 registers"
    assert re.search(f"dots alongside other ops: {cycles}", report.read_text())
    offsets = [op.attributes.get(OFFSET_KEY) for op in module.walk()]
    numbers = {offset.value.data for offset in offsets if isinstance(offset, IntegerAttr)}
    assert numbers == {1, -1}


def test_the_trace(tmp_path: Path):
    """Products, copies and the rest each have a row, in which nothing overlaps."""
    trace = tmp_path / "trace.json"
    passes = f'tileas-materialize-async,tileas-generate-schedule{{schedule-trace-file="{trace}"}}'
    tools.run_passes(tools.parse(chained()), passes)
    events = json.loads(trace.read_text())["traceEvents"]
    names = {(e["name"], e["tid"]): e["args"]["name"] for e in events if e["ph"] == "M"}
    assert names["process_name", 0] == "@k, loop 0"
    bars = [e for e in events if e["ph"] == "X"]
    rows = {names["thread_name", bar["tid"]] for bar in bars}
    assert rows == {"matrix unit", "copy engine", "arithmetic"}
    iterations = {bar["args"]["iteration"] for bar in bars}
    mmas = [bar for bar in bars if bar["name"] == "nv_tileas.async.dot"]
    assert len(mmas) == 2 * len(iterations)
    for row in rows:
        own = sorted(
            (bar["ts"], bar["dur"]) for bar in bars if names["thread_name", bar["tid"]] == row
        )
        for (start, length), (following, _) in pairwise(own):
            assert start + length <= following


def test_a_trace_that_cannot_be_written(tmp_path: Path):
    passes = f'tileas-generate-schedule{{schedule-trace-file="{tmp_path}/none/trace.json"}}'
    with pytest.raises(PassFailedException, match=r"cannot write .*: No such file or directory"):
        tools.run_passes(tools.parse(chained()), passes)


def test_a_serial_schedule_keeps_products_in_order():
    passes = "tileas-materialize-async,tileas-generate-schedule{scheduler=serial}"
    assert "iter_offset" not in str(tools.run_passes(tools.parse(chained()), passes))


@pytest.mark.parametrize(("scheduler", "loops"), [("serial", 1), ("cost-based", 2)])
def test_loads_run_ahead_as_scheduled(scheduler: str, loops: int):
    """A serial schedule has no distance between a load and the wait for it."""
    module = scheduled(
        options=f"{{scheduler={scheduler}}}",
        then=",tileas-materialize-schedule{pipeline-strategy=unspecialize},"
        "tileas-unspecialized-pipeline",
    )
    assert len([op for op in module.walk() if isinstance(op, scf.ForOp)]) == loops
    assert not any(isinstance(op, nv_tileas.AgentSwitchOp) for op in module.walk())
    found, expected = run(str(module))
    np.testing.assert_array_equal(found, expected)
