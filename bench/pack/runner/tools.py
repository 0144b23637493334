"""compute-sanitizer and ncu on parts of the pack: this program again, under the tool."""

from __future__ import annotations

import csv
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

CUDA_FOLDERS = (
    "/usr/local/cuda/bin",
    "/opt/nvidia/nsight-compute",
    "/usr/local/cuda/nsight-compute",
)

STALLS = ("long_scoreboard", "barrier", "wait", "math_pipe_throttle")

METRICS: dict[str, str] = {
    "cycles": "sm__cycles_elapsed.max",
    "active_cycles": "sm__cycles_active.avg",
    "instructions": "smsp__inst_executed.sum",
    "tensor_pipe_percent": "sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_active",
    "bank_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
    "shared_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    "dram_bytes": "dram__bytes.sum",
    **{
        f"stall_{reason}": f"smsp__average_warps_issue_stalled_{reason}_per_issue_active.ratio"
        for reason in STALLS
    },
}
"""What is asked of ncu, by the names of our own that results have."""


TOOLS = {"sanitize": "compute-sanitizer", "profile": "ncu"}
"""What runs each kind of item that is watched."""


def find_program(name: str) -> str | None:
    """A program on the path or in the folders of the toolkit."""
    found = shutil.which(name)
    if found is not None:
        return found
    for folder in map(Path, CUDA_FOLDERS):
        for place in (folder / name, *sorted(folder.glob(f"*/{name}"))):
            if place.is_file():
                return str(place)
    return None


def run_tool(command: Sequence[str], seconds: float) -> tuple[int | None, str]:
    """The exit code and output of a command; no code where it took too long and was ended."""
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        # All of its session: the tool has started this program again.
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        return None, output
    return process.returncode, output


def again(pack: Path, items: Sequence[str]) -> list[str]:
    """This program on some items, alone in one process and without a results file."""
    return [
        sys.executable,
        str(Path(sys.argv[0]).resolve()),
        "--pack",
        str(pack),
        "--alone",
        *items,
    ]


_STARTED = re.compile(r"^item (\S+)")


def hazards_in(output: str) -> dict[str, int]:
    """How many lines with an error a sanitizer printed while each item ran."""
    found: dict[str, int] = {}
    item = "?"
    for line in output.splitlines():
        started = _STARTED.match(line)
        if started:
            item = started[1]
        elif re.match(r"=+ (?:Error|ERROR|Warning|Barrier error)", line) and "SUMMARY" not in line:
            found[item] = found.get(item, 0) + 1
    return found


def run_sanitizer(pack: Path, item: dict[str, Any], seconds: float) -> dict[str, Any]:
    """Runs items under a tool of compute-sanitizer."""
    program = find_program("compute-sanitizer")
    if program is None:
        return {"status": "skipped", "detail": "compute-sanitizer is not there"}
    command = [program, "--tool", item["tool"], "--error-exitcode", "86", "--print-limit", "10000"]
    code, output = run_tool([*command, *again(pack, item["items"])], seconds)
    finished = sum(1 for line in output.splitlines() if line.startswith("item "))
    result = {"hazards": hazards_in(output), "items": finished, "tail": output[-1500:]}
    if code is None:
        return {**result, "status": "hung", "detail": f"not done after {seconds:g} s"}
    if code not in (0, 86) and finished:
        return {**result, "status": "fault", "detail": f"{item['tool']} ended with {code}"}
    if code not in (0, 86):
        return {**result, "status": "skipped", "detail": f"{item['tool']} ended with {code}"}
    wrong = code == 86 or result["hazards"]
    return {**result, "status": "wrong" if wrong else "right"} | ({} if wrong else {"tail": ""})


def metrics_in(output: str) -> dict[str, float]:
    """The metrics in what `ncu --csv` printed, of the last kernel in it."""
    lines = [line for line in output.splitlines() if line.startswith('"')]
    names = {metric: name for name, metric in METRICS.items()}
    found: dict[str, float] = {}
    for row in csv.DictReader(lines):
        name = names.get(row.get("Metric Name", ""))
        value = row.get("Metric Value", "").replace(",", "")
        if name is not None and re.fullmatch(r"-?[\d.]+(?:e[-+]?\d+)?", value):
            found[name] = float(value)
    return found


def run_profiler(pack: Path, item: dict[str, Any], seconds: float) -> dict[str, Any]:
    """Reads counters of one launch, beside what the compiler predicts for it."""
    program = find_program("ncu")
    if program is None:
        return {"status": "skipped", "detail": "ncu is not there"}
    command = [program, "--csv", "--clock-control", "none", "--launch-count", "1"]
    command += ["--kernel-name", item["launch"]["kernel"], "--metrics", ",".join(METRICS.values())]
    code, output = run_tool([*command, *again(pack, [item["id"]])], seconds)
    found = metrics_in(output)
    if not found:
        return {"status": "skipped", "detail": f"ncu ended with {code}", "tail": output[-1500:]}
    return {"status": "measured", "metrics": found, "prediction": item["prediction"]}
