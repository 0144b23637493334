"""Writes `docs/tileiras_agreement.md`: who accepts what, this compiler or `tileiras`.

`python -m docs.tileiras_agreement` writes the page from `tests/tileiras_agreement/results.json`,
which `python -m tests.tileiras_agreement --keep` writes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.tileiras_agreement.cases import (
    EXTREMES,
    GPUS,
    NO_CASES,
    PROGRAMS,
    SEEDS,
    operations,
    short_name,
)
from tests.tileiras_agreement.reasons import REASONS, reason
from tests.tileiras_agreement.results import (
    BOTH,
    CLASSES,
    CRASH,
    NEITHER,
    OURS,
    THEIRS,
    Results,
    kept,
)

PAGE = Path(__file__).resolve().parent / "tileiras_agreement.md"

TEXT = """# Agreement with `tileiras`

These tables compare which modules this compiler and `tileiras` accept.
Written by `python -m docs.tileiras_agreement`
from `tests/tileiras_agreement/results.json`; tests compare page and file, and
compile some modules again with both compilers. Tool versions are those of the extra `test`.

    python -m tests.tileiras_agreement --op addf --op reduce        # a minute
    python -m tests.tileiras_agreement --log build/tileiras.jsonl   # an hour; goes on with the file
    python -m tests.tileiras_agreement --log build/tileiras.jsonl --keep
    python -m docs.tileiras_agreement

For each op of `cuda_tile` there are small kernels with legal and illegal element types and several
shapes, and kernels with one random change of a type, attribute, operand or result, which breaks at
most one rule. Other modules are at limits, such as many dimensions or deep nesting, or random
programs (`testing/programs`, seeds 0 to {last}). Both compilers get the same bytecode, of version
{version}. A module is accepted if the compiler, in our case with `ptxas`, produces machine code. A
module that both compilers reject for every target is counted once.

Of {total} compilations, {sums}. Of the modules that both reject, {same} are rejected with the same
message.

## By op and target

Cells count modules, for all targets: those that both compilers accept, those that both reject, and
those that only this compiler accepts (+), only `tileiras` accepts (-), or that crash `tileiras`
(!).

{summary}
No modules are made of {without}.

## Differences

{reasons}
"""


def _row(*cells: object) -> str:
    return f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in cells)} |\n"


_MARKS = {OURS: "+", THEIRS: "-", CRASH: "!"}


def _cells(results: Results, names: Iterable[str], gpus: Iterable[str]) -> tuple[object, ...]:
    """How many modules both accept, both refuse, and only one accepts."""
    keys = [(name, gpu) for name in names for gpu in gpus]
    counts = {each: sum(results.counts[*key, each] for key in keys) for each in CLASSES}
    marks = [f"{mark}{counts[each]}" for each, mark in _MARKS.items() if counts[each]]
    return counts[BOTH], counts[NEITHER], " ".join(marks)


def _summary(results: Results) -> Iterator[str]:
    yield _row("op", "accepted", "refused", "")
    yield "|---|---|---|---|\n"
    rows = {short_name(operation): f"`{short_name(operation)}`" for operation in operations()}
    rows |= {EXTREMES: "at the limits", PROGRAMS: "random programs"}
    for name, text in rows.items():
        yield _row(text, *_cells(results, [name], GPUS))
    for gpu in GPUS:
        yield _row(f"all on {gpu}", *_cells(results, rows, [gpu]))


def _reasons(results: Results) -> Iterator[str]:
    yield _row("who", "ops", "compilations", "reason", "words of `tileiras`, or ours")
    yield "|---|---|---|---|---|\n"
    for each in REASONS:
        rows = [row for row in results.rows if reason(row) is each]
        if not rows:
            continue
        ops = ", ".join(f"`{name}`" for name in sorted({row.operation for row in rows}))
        said = Counter(row.theirs.words or row.ours.words for row in rows)
        ((words, _),) = said.most_common(1)
        yield _row(each.outcome, ops, len(rows), each.reason, f"`{words}`" if words else "")


def page() -> str:
    """The text of the page."""
    results = kept()
    total: Counter[str] = Counter()
    for (_, _, outcome), count in results.counts.items():
        total[outcome] += count
    return TEXT.format(
        last=SEEDS - 1,
        version="13.5",
        total=f"{results.total:,}",
        sums=", ".join(f"{outcome} {total[outcome]:,}" for outcome in CLASSES if total[outcome]),
        same=f"{results.same_words:,} of {total[NEITHER]:,}",
        summary="".join(_summary(results)),
        without=", ".join(
            f"`{short_name(operation)}` ({why})" for operation, why in NO_CASES.items()
        ),
        reasons="".join(_reasons(results)).rstrip(),
    )


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
