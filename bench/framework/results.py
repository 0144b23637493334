"""Results of a benchmark: rows of measures, as JSON that stays small and shows its differences.

    {"benchmark": "baseline", "machine": "...", "measures": {"instructions": "count"}, "rows": {
    "attention": [1204],
    "scaled": "refused: ..."}}

One line a row. A row that could not be measured is the text that says why.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal, get_args

from tileir_xdsl.runtime.ptxas import ToolNotFoundError, ptxas_path

Kind = Literal["count", "time", "identity"]
"""What a measure is: an exact number and a noisy one, of which less is better, or a digest."""

Value = int | float | str | None
Row = tuple[Value, ...] | str
"""The values of all measures (`None`: not measured), or why there are none."""


class ResultError(Exception):
    """A file that holds no results."""


@dataclass(frozen=True)
class Result:
    """All rows of one benchmark on one machine; a row has a value for each of `measures`."""

    benchmark: str
    machine: str
    measures: Mapping[str, Kind]
    rows: Mapping[str, Row] = field(default_factory=lambda: dict[str, Row]())

    def to_json(self) -> str:
        """The text of a file, with a line for each row."""
        head = {"benchmark": self.benchmark, "machine": self.machine, "measures": self.measures}
        rows = [
            f"{json.dumps(name)}: {json.dumps(row, separators=(',', ':'))}"
            for name, row in self.rows.items()
        ]
        return f'{json.dumps(head)[:-1]}, "rows": {{\n' + ",\n".join(rows) + "}}\n"

    @staticmethod
    def from_json(text: str) -> Result:
        """Reads what `to_json` has written; raises `ResultError` for anything else."""
        try:
            data = json.loads(text)
            measures = {str(name): kind for name, kind in data["measures"].items()}
            rows: dict[str, Row] = {
                str(name): row if isinstance(row, str) else tuple(row)
                for name, row in data["rows"].items()
            }
            result = Result(str(data["benchmark"]), str(data["machine"]), measures, rows)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ResultError(f"no results of a benchmark: {error!r}") from error
        if not set(measures.values()) <= set(get_args(Kind)):
            raise ResultError(f"unknown kinds of measures: {sorted(set(measures.values()))}")
        if any(not isinstance(row, str) and len(row) != len(measures) for row in rows.values()):
            raise ResultError(f"a row has not the {len(measures)} values of the measures")
        return result

    @staticmethod
    def read(path: Path) -> Result:
        """The results in a file; raises `ResultError` if there are none."""
        try:
            return Result.from_json(path.read_text("utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise ResultError(f"{path}: {error}") from error

    def write(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.to_json(), "utf-8")


@cache
def machine_line() -> str:
    """What results depend on besides the code: processor, Python, packages, and the assembler."""
    packages = [f"{name} {_version(name)}" for name in ("xdsl", "numpy")]
    return ", ".join(
        [
            f"{os.cpu_count()} CPUs {platform.machine()}",
            f"{platform.python_implementation()} {platform.python_version()}",
            *packages,
            f"ptxas {_assembler_version()}",
        ]
    )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


def _assembler_version() -> str:
    try:
        command = [str(ptxas_path()), "--version"]
    except ToolNotFoundError:
        return "missing"
    said = subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout
    return said.rpartition("V")[2].split()[0]


def add_arguments(parser: argparse.ArgumentParser, *, runs: int | None = None) -> None:
    """`--json FILE`, and `--runs N` for what is measured several times."""
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results there, too")
    if runs is not None:
        parser.add_argument("--runs", type=int, default=runs, help="default %(default)s")


def add_every(parser: argparse.ArgumentParser) -> None:
    """`--every N` for what is measured for all kernels of the zoo."""
    parser.add_argument(
        "--every", type=int, default=1, metavar="N", help="without names: each Nth kernel"
    )


def _rounded(value: Value) -> Value:
    """Times to four digits: the others are noise."""
    return float(f"{value:.4g}") if isinstance(value, float) else value


def parse_runs(
    description: str | None, runs: int, arguments: Sequence[str] | None = None
) -> argparse.Namespace:
    """The command line of a module that takes `[RUNS] [--json FILE]`, or other arguments."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "runs", nargs="?", type=int, default=runs, metavar="RUNS", help="default %(default)s"
    )
    add_arguments(parser)
    return parser.parse_args(arguments)


class Recorder:
    """Collects the rows of a benchmark while it prints them, for `--json`."""

    def __init__(self, benchmark: str, measures: Mapping[str, Kind]) -> None:
        self.benchmark = benchmark
        self.measures = dict(measures)
        self.rows: dict[str, Row] = {}
        print(f"{benchmark}: {machine_line()}")

    def add(self, name: str, values: Sequence[Value] | str) -> None:
        """A row: a value for each measure, or why there is none."""
        if not isinstance(values, str) and len(values) != len(self.measures):
            raise ValueError(f"{name}: {len(values)} values of {len(self.measures)} measures")
        self.rows[name] = values if isinstance(values, str) else tuple(map(_rounded, values))

    @property
    def result(self) -> Result:
        return Result(self.benchmark, machine_line(), self.measures, self.rows)

    def write(self, path: Path | None) -> None:
        """Writes the results if a file is given."""
        if path is not None:
            self.result.write(path)
