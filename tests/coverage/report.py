"""What slices have run together: lines and branches, by room and by file."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coverage import Coverage, CoverageData

from tests.coverage.slices import ROOMS
from tests.reach.map import REPOSITORY


@dataclass(frozen=True)
class Figures:
    """How many lines and branches there are, and how many of them were run."""

    lines: int = 0
    lines_run: int = 0
    branches: int = 0
    branches_run: int = 0

    def __add__(self, other: Figures) -> Figures:
        return Figures(
            self.lines + other.lines,
            self.lines_run + other.lines_run,
            self.branches + other.branches,
            self.branches_run + other.branches_run,
        )

    @property
    def shares(self) -> tuple[float, float]:
        """Of lines and of branches, in percent."""
        return _share(self.lines_run, self.lines), _share(self.branches_run, self.branches)


def _share(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 100.0


@dataclass(frozen=True)
class File:
    """The figures of a file, the lines that were not run, and the branches that were not taken, as
    pairs of lines, of which the second is negative where a function ends."""

    figures: Figures
    lines: tuple[int, ...]
    branches: tuple[tuple[int, int], ...]


def files_of(folder: Path) -> dict[str, File]:
    """The files of all rooms by path, with what the data in a folder say."""
    with tempfile.TemporaryDirectory() as work:
        together = CoverageData(str(Path(work) / "all"))
        for path in sorted(folder.glob("*.data")):
            piece = CoverageData(str(path))
            piece.read()
            together.update(piece)
        together.write()
        source = [str(REPOSITORY / each) for each in ROOMS.values()]
        coverage = Coverage(
            data_file=str(Path(work) / "all"), source=source, branch=True, config_file=False
        )
        coverage.load()
        report = Path(work) / "report.json"
        coverage.json_report(outfile=str(report), pretty_print=False)
        found: Mapping[str, Any] = json.loads(report.read_text())["files"]
    return {_relative(name): _file(entry) for name, entry in found.items()}


def _relative(name: str) -> str:
    path = REPOSITORY / name
    return path.relative_to(REPOSITORY).as_posix()


def _file(entry: Mapping[str, Any]) -> File:
    counts = entry["summary"]
    figures = Figures(
        counts["num_statements"],
        counts["covered_lines"],
        counts["num_branches"],
        counts["covered_branches"],
    )
    branches = tuple((first, second) for first, second in entry["missing_branches"])
    return File(figures, tuple(entry["missing_lines"]), branches)


def by_room(files: Mapping[str, File], rooms: Iterable[str]) -> dict[str, Figures]:
    """The figures of each room."""
    return {
        room: sum(
            (file.figures for name, file in files.items() if name.startswith(f"{ROOMS[room]}/")),
            Figures(),
        )
        for room in rooms
    }


def table(figures: Mapping[str, Figures], goal: float) -> list[str]:
    """The rows of a table in Markdown."""
    rows = ["| room | lines | run | branches | taken | goal |", "|---|---|---|---|---|---|"]
    for room, each in figures.items():
        lines, branches = each.shares
        rows.append(
            f"| {room} | {each.lines} | {lines:.1f} % | {each.branches} | {branches:.1f} % "
            f"| {'met' if min(lines, branches) >= goal else 'missed'} |"
        )
    return rows


def missing(files: Mapping[str, File], rooms: Iterable[str]) -> list[str]:
    """What was not run, as `FILE: lines ..; branches ..`, the file with most of it first."""
    starts = tuple(f"{ROOMS[room]}/" for room in rooms)
    chosen = [(n, f) for n, f in files.items() if n.startswith(starts) and (f.lines or f.branches)]
    chosen.sort(key=lambda entry: (-len(entry[1].lines) - len(entry[1].branches), entry[0]))
    rows: list[str] = []
    for name, file in chosen:
        parts: list[str] = []
        if file.lines:
            parts.append(f"lines {', '.join(map(str, file.lines))}")
        # Branches to lines that were not run are said by these.
        taken = [f"{a}->{b}" for a, b in file.branches if b not in file.lines]
        if taken:
            parts.append(f"branches {', '.join(taken)}")
        rows.append(f"{name}: {'; '.join(parts)}")
    return rows
