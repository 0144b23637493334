"""The table of docs/cpu_target.md, from the stored figures."""

from __future__ import annotations

from pathlib import Path

from bench.cpu.rows import HAND_WRITTEN_GOAL, ROWS
from bench.framework.results import Result

PAGE = Path(__file__).parents[2] / "docs" / "cpu_target.md"
BEGIN = "<!-- figures: python -m bench.cpu --store -->\n"
END = "<!-- end of figures -->\n"


def table(result: Result) -> str:
    """The stored figures as Markdown: milliseconds, ratios, and the goals."""
    names = list(result.measures)
    head = ["computation", *names, "ratio", "goal", "to the loop by hand"]
    lines = [
        f"Measured on {result.machine}.\n",
        f"| {' | '.join(head)} |",
        "|---|" + "---:|" * (len(head) - 1),
    ]
    for row in ROWS:
        stored = result.rows.get(row.name)
        if stored is None or isinstance(stored, str):
            continue
        times = {
            name: float(value)
            for name, value in zip(names, stored, strict=True)
            if value is not None
        }
        best = min(times[name] for name in row.against if name in times)
        cells = [f"{times[name]:.3g}" if name in times else "" for name in names]
        hand = f"{times['ours'] / times['by hand']:.2f}" if "by hand" in times else ""
        ratio = f"{times['ours'] / best:.2f}"
        lines.append(f"| {row.name} | {' | '.join(cells)} | {ratio} | {row.goal:.2f} | {hand} |")
    goal = f"The goal of the last column is {HAND_WRITTEN_GOAL}."
    return "\n".join([*lines, "", goal, ""])


def write_page(result: Result) -> None:
    """Writes the table into the page."""
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}{table(result)}{END}{after}", "utf-8")
