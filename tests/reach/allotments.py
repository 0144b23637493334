"""Processor time of the tests by folder, and how much each may take.

What is added to a folder is paid for there: by less set-up, smaller tiles, or cases that `one_in`
leaves to `make soak`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import PurePosixPath

from .map import TESTS, ReachMap

ALLOTMENTS: Mapping[str, float] = {
    ".": 24.45,
    "analysis": 9.05,
    "backend": 50.35,
    "bench": 70.05,
    "builders": 0.95,
    "bytecode": 10.25,
    "checking": 13.25,
    "cli": 99.95,
    "conversion_search": 4.55,
    "coverage": 1.05,
    "cpu_programs": 17.05,
    "cutile": 10.65,
    "dialects": 18.45,
    "docs": 12.35,
    "drawings": 2.65,
    "emulator": 51.55,
    "explain": 0.15,
    "extensions": 2.75,
    "forced": 1.25,
    "frontends": 7.55,
    "fuzz": 3.35,
    "installed": 0.15,
    "interpreters": 34.65,
    "joining": 6.25,
    "jupyter": 4.25,
    "kernels": 0.55,
    "layout": 10.35,
    "lint": 1.25,
    "litmus": 9.55,
    "llvm_jit": 1.55,
    "lsp": 6.95,
    "metamorphic": 1.95,
    "mutations": 7.35,
    "newest": 0.05,
    "ptx_grammar": 2.45,
    "ptx_mutations": 0.95,
    "reach": 2.75,
    "readings": 4.55,
    "report": 27.05,
    "repository": 26.45,
    "road": 223.65,
    "runtime": 43.35,
    "samples": 1.25,
    "soak": 0.35,
    "targets": 3.25,
    "testing": 60.15,
    "tileiras_agreement": 2.05,
    "transforms": 193.75,
    "upstream": 2.45,
    "view": 8.25,
    "weakened": 1.45,
}
"""Processor seconds that the test files of each folder of `tests/unit` may take together."""

UNIT_TESTS = 1102.0
"""Processor seconds of all: with lint, types and lit, some ten minutes on two cores."""

IN_ONE_RUN = 1.05
"""Processor time of a run of all test files, for a second of the map, which measures each alone."""

OTHERS: Mapping[str, float] = {"lint": 5.0, "types": 90.0, "filecheck": 50.0}
"""Processor seconds of the other parts of `make test`."""

SET_UP = 4.0
"""Minutes that the first use of an environment takes: some 2 GB are loaded and installed."""


def folder_of(test: str) -> str:
    """The folder of `tests/unit` that pays for a test file; `.` for one directly in it."""
    path = PurePosixPath(test).relative_to(TESTS)
    return path.parts[0] if len(path.parts) > 1 else "."


def spent(reach: ReachMap) -> Mapping[str, float]:
    """Processor seconds by folder, the most first."""
    seconds: dict[str, float] = {}
    for name, test in reach.tests.items():
        seconds[folder_of(name)] = seconds.get(folder_of(name), 0.0) + test.seconds
    return dict(sorted(seconds.items(), key=lambda row: -row[1]))


def exceeded(reach: ReachMap, allotments: Mapping[str, float] = ALLOTMENTS) -> list[str]:
    """A line for each folder that takes more than its allotment, or has none."""
    return [
        f"{folder}: {seconds:.0f} s of {allotments.get(folder, 0):.0f} s"
        for folder, seconds in spent(reach).items()
        if seconds > allotments.get(folder, 0)
    ]


def table(reach: ReachMap) -> str:
    """A row for each folder: seconds, allotment, test files."""
    files = Counter(map(folder_of, reach.tests))
    rows = [f"{'tests/unit':24}{'seconds':>9}{'allotted':>10}{'files':>7}"]
    for folder, seconds in spent(reach).items():
        rows.append(f"{folder:24}{seconds:9.0f}{ALLOTMENTS.get(folder, 0):10.0f}{files[folder]:7}")
    total = sum(spent(reach).values())
    rows.append(f"{'all':24}{total:9.0f}{sum(ALLOTMENTS.values()):10.0f}{files.total():7}")
    return "\n".join(rows)


def estimate(reach: ReachMap, jobs: int, *, is_installed: bool) -> str:
    """What `make test` will take, as one line.

    Args:
        jobs: processors of this machine that it uses.
        is_installed: whether the environment is set up.
    """
    seconds = IN_ONE_RUN * sum(spent(reach).values()) + sum(OTHERS.values())
    minutes = seconds / 60 / jobs
    first = "" if is_installed else f"first {SET_UP:.0f} minutes of set-up (2 GB), then "
    return (
        f"make test: {first}some {minutes:.0f} minutes on {jobs} processors: "
        f"ruff, pyright, lit, then {len(reach.tests)} files of unit tests"
    )
