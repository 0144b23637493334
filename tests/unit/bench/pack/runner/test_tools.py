"""What compute-sanitizer and ncu print, and how long they may take."""

import sys
import time

from bench.pack.runner.tools import METRICS, hazards_in, metrics_in, run_tool

RACES = """item c/ours/first
========= Error: Race reported between Write access at first+0x200 in kernel.cu:5
=========     and Read access at first+0x280 [124 hazards]
item c/ours/second
item c/ours/third
========= Barrier error detected. Divergent thread(s) in warp.
========= Warning: Potential hazard
========= RACECHECK SUMMARY: 2 hazards displayed (1 error, 1 warning)
========= ERROR SUMMARY: 2 errors
"""


def test_hazards_belong_to_the_item_that_runs() -> None:
    assert hazards_in(RACES) == {"c/ours/first": 1, "c/ours/third": 2}
    assert hazards_in("item a\n========= ERROR SUMMARY: 0 errors\n") == {}


def test_metrics_have_our_names() -> None:
    printed = f"""==PROF== Connected
"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"
"0","k","{METRICS["cycles"]}","cycle","1,234,567"
"0","k","{METRICS["tensor_pipe_percent"]}","%","81.5"
"0","k","{METRICS["bank_conflicts"]}","","n/a"
"0","k","something else","","1"
"""
    assert metrics_in(printed) == {"cycles": 1234567.0, "tensor_pipe_percent": 81.5}
    assert metrics_in("==ERROR== no permission") == {}


def test_a_tool_that_hangs_is_ended_with_what_it_has_started() -> None:
    script = (
        "import subprocess, sys; print('begun', flush=True);"
        "subprocess.run([sys.executable, '-c', 'import time; time.sleep(60)'])"
    )
    begun = time.monotonic()
    code, output = run_tool([sys.executable, "-c", script], 2)
    assert code is None
    assert "begun" in output
    assert time.monotonic() - begun < 30
    assert run_tool([sys.executable, "-c", "print(1); raise SystemExit(3)"], 30) == (3, "1\n")
