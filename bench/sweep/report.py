"""Tables of what a sweep has found, and its classes of failures."""

from __future__ import annotations

import re
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bench.sweep.plan import Point
from bench.sweep.store import Row

HARDEST = 5
LARGEST_REGISTERS = 255
FAR = 32
"""Registers of a thread: an error beyond may decide whether another block fits."""


@dataclass(frozen=True)
class Result:
    """One point on one target: ours, and NVIDIA's."""

    gpu: str
    point: Point
    ours: Row
    theirs: Row

    @property
    def is_compiled(self) -> bool:
        return "instructions" in self.ours

    @property
    def is_compiled_by_them(self) -> bool:
        return "instructions" in self.theirs

    @property
    def failure(self) -> str | None:
        """Why we have no code, or wrong values."""
        if "refused" in self.ours:
            return f"refused: {self.ours['refused']}"
        if "crashed" in self.ours:
            return f"crashed: {self.ours['crashed']}"
        if self.ours.get("values", "right") != "right":
            return f"wrong: {self.ours['values']}"
        return None

    @property
    def is_owed(self) -> bool:
        """Whether NVIDIA's compiler compiles it, and we do not."""
        return self.is_compiled_by_them and not self.is_compiled

    @property
    def spills_alone(self) -> bool:
        """Whether our code spills where NVIDIA's has none."""
        return bool(
            self.is_compiled
            and self.is_compiled_by_them
            and self.ours["spills"]
            and not self.theirs["spills"]
        )

    def ratio(self, field: str = "instructions") -> float | None:
        """Ours to NVIDIA's; `None` where one is missing."""
        if self.is_compiled and self.is_compiled_by_them and self.theirs[field]:
            return self.ours[field] / self.theirs[field]
        return None


def quantile(values: Sequence[float], part: float) -> float:
    """The value that so much of the others is not above; NaN of nothing."""
    ordered = sorted(values)
    return ordered[min(int(part * len(ordered)), len(ordered) - 1)] if ordered else float("nan")


def ratios(results: Sequence[Result], field: str = "instructions") -> list[float]:
    """All ratios that there are."""
    return [ratio for result in results if (ratio := result.ratio(field)) is not None]


def class_of(failure: str) -> str:
    """A failure without its numbers and names."""
    return re.sub(r"'[^']*'", "'...'", re.sub(r"\d[\d,.]*", "N", failure))


def _share(count: int, total: int) -> str:
    return f"{count} of {total}"


def table(results: Mapping[str, Sequence[Result]]) -> Iterator[str]:
    """A table in Markdown, a row for each target."""
    yield (
        "| target | points | compiled, of what `tileiras` compiles | spills where it has none "
        "| no spill at all | instructions, median | p90 | worst | weighted, median | p90 "
        "| emulated right |"
    )
    yield "|---" * 11 + "|"
    for gpu, found in results.items():
        theirs = [r for r in found if r.is_compiled_by_them]
        ours = [r for r in found if r.is_compiled]
        owed = sum(r.is_owed for r in found)
        spilled = sum(bool(r.ours["spills"]) for r in ours)
        emulated = [r for r in ours if "values" in r.ours]
        right = sum(r.failure is None for r in emulated)
        plain, weighted = ratios(found), ratios(found, "weighted")
        yield (
            f"| {gpu} | {len(found)} | {_share(len(theirs) - owed, len(theirs))} "
            f"| {sum(r.spills_alone for r in found)} "
            f"| {_share(len(ours) - spilled, len(ours))} "
            f"| {quantile(plain, 0.5):.2f} | {quantile(plain, 0.9):.2f} "
            f"| {max(plain, default=float('nan')):.2f} "
            f"| {quantile(weighted, 0.5):.2f} | {quantile(weighted, 0.9):.2f} "
            f"| {_share(right, len(emulated))} |"
        )


def by_kind(results: Mapping[str, Sequence[Result]]) -> Iterator[str]:
    """A table in Markdown: medians of ratios of instructions by kind and target."""
    kinds = list(dict.fromkeys(r.point.kind for found in results.values() for r in found))
    yield "| kind | " + " | ".join(results) + " |"
    yield "|---" * (len(results) + 1) + "|"
    for kind in kinds:
        cells: list[str] = []
        for found in results.values():
            of_kind = ratios([r for r in found if r.point.kind == kind])
            cells.append(f"{statistics.median(of_kind):.2f}" if of_kind else "")
        yield f"| {kind} | " + " | ".join(cells) + " |"


def registers(results: Mapping[str, Sequence[Result]]) -> Iterator[str]:
    """A table in Markdown: how far predicted registers are from those that the assembler takes.

    Of kernels that do not spill, and whose warps all have as many.
    """
    yield "| target | kernels | error, median | p90 | too few by more than 32 | too many |"
    yield "|---" * 6 + "|"
    for gpu, found in results.items():
        errors = [
            min(r.ours["predicted"], LARGEST_REGISTERS) - r.ours["registers"]
            for r in found
            if r.is_compiled and r.ours.get("predicted") and not r.ours["spilled"]
        ]
        sizes = [abs(error) for error in errors]
        yield (
            f"| {gpu} | {len(errors)} | {quantile(sizes, 0.5):.0f} | {quantile(sizes, 0.9):.0f} "
            f"| {sum(error < -FAR for error in errors)} | {sum(error > FAR for error in errors)} |"
        )


def failures(results: Mapping[str, Sequence[Result]]) -> Iterator[str]:
    """The classes of failures, the most frequent first, each with a point."""
    counts: Counter[str] = Counter()
    examples: dict[str, Result] = {}
    targets: dict[str, Counter[str]] = {}
    for gpu, found in results.items():
        for result in found:
            if result.failure is None:
                continue
            name = class_of(result.failure)
            counts[name] += 1
            targets.setdefault(name, Counter())[gpu] += 1
            if name not in examples or (result.is_owed and not examples[name].is_owed):
                examples[name] = result
    for name, count in counts.most_common():
        example = examples[name]
        places = ", ".join(f"{gpu} {number}" for gpu, number in targets[name].items())
        owed = "compiled" if example.is_compiled_by_them else "not compiled"
        yield f"{count} x {name} ({places})"
        yield f"    {example.gpu} {example.point.name} ({owed} by tileiras): {example.failure}"


def hardest(found: Sequence[Result], count: int = HARDEST) -> list[Result]:
    """The compiled points of a target that are nearest to what it has: those that spill, those
    with the largest ratios, and those with most registers and shared memory, in turns."""

    def spilling(result: Result) -> tuple[float, float]:
        return result.ours["spills"], result.ours["registers"]

    def slow(result: Result) -> tuple[float, float]:
        return result.ratio() or 0.0, result.ratio("weighted") or 0.0

    def large(result: Result) -> tuple[float, float]:
        return result.ours["shared"], result.ours["registers"]

    compiled = [result for result in found if result.is_compiled]
    orders = [sorted(compiled, key=key, reverse=True) for key in (spilling, slow, large)]
    chosen: dict[str, Result] = {}
    for group in zip(*orders, strict=True):
        for result in group:
            chosen.setdefault(result.point.name, result)
    return list(chosen.values())[:count]
