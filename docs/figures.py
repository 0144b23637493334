"""Writes the table of measured figures of `README.md`.

`python -m docs.figures` writes it from `bench/stored/loops.json`, `bench/stored/cpu.json` and
`docs/figures.json`. A row has the measure, the rival, the figure and the command that measures it.
A test compares.
"""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from bench.framework.results import Result
from bench.loops import Row, stored_rows
from docs.loops import is_bound, ratio, rows_of

REPOSITORY = Path(__file__).resolve().parents[1]
PAGE = REPOSITORY / "README.md"
TABLE = Path(__file__).with_name("figures.json")
CPU_RESULTS = REPOSITORY / "bench" / "stored" / "cpu.json"
CPU_KINDS = {"MB": "row kernels", "matmul": "matrix products", "attention": "attention"}
"""What kernels of `bench.cpu` are, by a word of the names of their rows."""
CPU_RIVALS = ("numpy", "jax", "numba")
BLOCK = re.compile(r"(<!-- figures: .*?-->\n).*?(<!-- end of figures -->)", re.DOTALL)


class Figure(NamedTuple):
    """A row of the table: a ratio of ours to a rival's, or what else the measure says."""

    measure: str
    against: str
    figure: str
    command: str


def loops(stored: Mapping[str, Row]) -> Iterator[Figure]:
    """The instructions of inner loops to the better rival, of those bound by tensor cores apart."""
    keys = dict.fromkeys(key.split(": ")[0].partition(" ")[::2] for key in stored)
    rows = [rows_of(stored, gpu, name) for gpu, name in keys]
    for bound, title in ((True, "bound by tensor cores"), (False, "others")):
        ratios = [r for row in rows if is_bound(row) is bound and (r := ratio(row)) is not None]
        yield Figure(
            f"instructions of inner loops, {title}, median of {len(ratios)}",
            "the better of `tileiras` and Triton",
            f"{statistics.median(ratios):.2f}",
            "python -m bench.loops",
        )


def cpu(result: Result) -> Iterator[Figure]:
    """The times of the target `cpu` to those of the best rival, by the kind of kernel."""
    for word, kind in CPU_KINDS.items():
        ratios: list[float] = []
        for name, values in result.rows.items():
            if isinstance(values, str) or word not in name.split():
                continue
            pairs = zip(result.measures, values, strict=True)
            times = {measure: float(value) for measure, value in pairs if value is not None}
            best = min(times[rival] for rival in CPU_RIVALS if rival in times)
            ratios.append(times["ours"] / best)
        yield Figure(
            f"time of {kind} on one core of a shared machine, median of {len(ratios)}",
            "the best of numpy, jax and numba",
            f"{statistics.median(ratios):.2f}",
            "python -m bench.cpu",
        )


def figures() -> list[Figure]:
    """All rows: those of stored loops, those of the table, then those of the target `cpu`."""
    stored = json.loads(TABLE.read_text("utf-8"))
    table = (Figure(**row) for row in stored)
    return [*loops(stored_rows()), *table, *cpu(Result.read(CPU_RESULTS))]


def table() -> str:
    """The rows in Markdown."""
    lines = ["| measure | against | ours to theirs | command |", "|---|---|---|---|"]
    lines += [f"| {f.measure} | {f.against} | {f.figure} | `{f.command}` |" for f in figures()]
    return "\n".join(lines)


def page(text: str) -> str:
    """The text of the README with the table."""
    made, count = BLOCK.subn(lambda found: f"{found[1]}{table()}\n{found[2]}", text)
    if count != 1:
        raise ValueError(f"{PAGE} has {count} places for the table of figures")
    return made


def main() -> None:
    """Writes the table."""
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
