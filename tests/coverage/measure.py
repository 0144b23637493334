"""Runs slices under coverage, each in a process of its own, and keeps what each has run."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from coverage import CoverageData

from tests.coverage.slices import ROOMS, Slice, settings_text
from tests.reach.map import REPOSITORY

Run = Callable[[Slice, Path], bool]
"""Runs a slice with the settings of coverage that a file has; whether its tests pass."""


def measure(
    slices: Sequence[Slice],
    folder: Path,
    *,
    jobs: int = 1,
    seconds: float | None = None,
    anew: bool = False,
    run: Run | None = None,
) -> list[Slice]:
    """Runs those that have no data in `folder`, or with `anew` all; those that fail come back.

    After `seconds` no other slice begins. The data of a slice are there when it has ended, so that
    what is interrupted goes on with the next slice.
    """
    folder.mkdir(parents=True, exist_ok=True)
    waiting = [part for part in slices if anew or not data_of(part, folder).exists()]
    end = None if seconds is None else time.monotonic() + seconds

    def one(number: int) -> bool:
        if end is not None and time.monotonic() > end:
            return True
        part = waiting[number]
        print(f"{number + 1}/{len(waiting)} {part.title}", flush=True)
        return _measure_one(part, folder, run or run_slice)

    with ThreadPoolExecutor(jobs) as pool:
        passed = list(pool.map(one, range(len(waiting))))
    return [part for part, is_good in zip(waiting, passed, strict=True) if not is_good]


def data_of(part: Slice, folder: Path) -> Path:
    """The file with what a slice has run."""
    return folder / f"{part.name}.data"


def _measure_one(part: Slice, folder: Path, run: Run) -> bool:
    work = folder / f"{part.name}.running"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    settings = work / "settings"
    settings.write_text(
        settings_text(work / "data", [REPOSITORY / each for each in ROOMS.values()])
    )
    passed = run(part, settings)
    found = CoverageData(str(work / "all"))
    for path in sorted(work.glob("data.*")):
        piece = CoverageData(str(path))
        piece.read()
        found.update(piece)
    found.write()
    (work / "all").replace(data_of(part, folder))
    if passed:
        shutil.rmtree(work)
    return passed


def run_slice(part: Slice, settings: Path) -> bool:
    """Runs a slice; what it prints is in the file `log` beside the settings."""
    environment = {**os.environ, "COVERAGE_PROCESS_START": str(settings)}
    with settings.with_name("log").open("w") as log:
        done = subprocess.run(
            part.command(settings),
            cwd=REPOSITORY,
            env=environment if part.is_lit else None,
            stdout=log,
            stderr=subprocess.STDOUT,
            check=False,
        )
    return done.returncode == 0
