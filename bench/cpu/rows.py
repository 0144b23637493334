"""What is measured: a kernel, a problem, what it is compared with, and the goal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bench.cpu.hand_written import LOOPS, hand_written
from bench.cpu.kernels import CASES, COLUMNS
from bench.cpu.rivals import rivals
from bench.framework.jit import aligned
from bench.framework.results import Kind
from tileir_xdsl.runtime.cpu.programs import program_on_cpu
from tileir_xdsl.runtime.program import load
from tileir_xdsl.testing.kernels.agreement import Array
from tileir_xdsl.testing.kernels.case import Argument, Problem

COMPARED = ("numpy", "jax", "numba", "numba fast", "by hand")
MEASURES: dict[str, Kind] = {"ours": "time", **dict.fromkeys(COMPARED, "time")}
"""Milliseconds of a launch, and of everything that it is compared with."""

RIVALS = ("numpy", "jax", "numba")
"""Those whose results are as exact; the goal is a share of the best one's time."""

TOLERANCE = 1.05
"""Times may exceed a goal by so much: a shared machine does not repeat them better."""

HAND_WRITTEN_GOAL = 1.3

Run = Callable[[], object]


@dataclass(frozen=True)
class Row:
    """A row of the table: the goal is a ratio of our time to that of the best of `against`."""

    name: str
    kernel: str
    problem: Problem
    goal: float
    against: tuple[str, ...] = RIVALS
    gflop: float | None = None

    def candidates(self) -> dict[str, Run]:
        """What runs the computation once, by name. Raises AssertionError for a wrong result."""
        case = CASES[self.kernel]
        made = case.make_arguments(self.problem)
        arguments = [aligned(np.asarray(argument)) for argument in made]
        runs = {"ours": self._on_threads(arguments, 1), **rivals(self.kernel, arguments)}
        if self.kernel in LOOPS:
            out = aligned(np.zeros_like(arguments[-1]))
            runs["by hand"] = hand_written(self.kernel, [*arguments[:-1], out])
            runs["by hand"]()
            case.check([*arguments[:-1], out], case.expected(arguments))
        return runs

    def on_threads(self, counts: Sequence[int]) -> dict[str, Run]:
        """What runs our code once, on each number of threads."""
        made = CASES[self.kernel].make_arguments(self.problem)
        arguments = [aligned(np.asarray(argument)) for argument in made]
        return {str(count): self._on_threads(arguments, count) for count in counts}

    def _on_threads(self, arguments: Sequence[Array], threads: int) -> Run:
        case = CASES[self.kernel]
        program = program_on_cpu(load(case.text_path), "cpu")
        given: list[Argument] = [*arguments]
        bound = program.bind(given)
        grid = case.grid(self.problem)

        # The arrays live as long as what runs the kernel on them.
        def run(_arrays: Sequence[Argument] = given) -> None:
            program.kernel.launch(grid, bound, threads=threads)

        run()
        case.check(given, case.expected(given))
        return run

    def judged(self, times: Mapping[str, float]) -> tuple[bool, str]:
        """Whether the goals are reached, and the row as text."""
        ours = times["ours"]
        best = min((name for name in self.against if name in times), key=times.__getitem__)
        ratio = ours / times[best]
        is_reached = ratio <= self.goal * TOLERANCE
        parts = [f"{name} {taken:.3g}" for name, taken in times.items()]
        text = f"{ratio:5.2f} of {best} (goal {self.goal:.2f})"
        if "by hand" in times:
            by_hand = ours / times["by hand"]
            is_reached = is_reached and by_hand <= HAND_WRITTEN_GOAL * TOLERANCE
            text += f", {by_hand:4.2f} of the loop by hand"
        if self.gflop is not None:
            text += f", {self.gflop / ours * 1e3:.0f} GFLOP/s"
        return is_reached, f"{text}{'' if is_reached else ' MISSED'}: ms {', '.join(parts)}"


def _streams() -> Iterator[Row]:
    for megabytes in (1, 16):
        elements = megabytes << 18
        for kernel in ("gelu", "softmax", "layer_norm", "rope", "cross_entropy"):
            size = elements if kernel == "gelu" else elements // COLUMNS
            yield Row(f"{kernel} {megabytes} MB", kernel, (size,), 0.8)
        yield Row(f"add {megabytes} MB", "add", (elements,), 1.05, ("numpy",))


def _matmul(name: str, kernel: str, m: int, n: int, k: int) -> Row:
    # At least 0.85 of the speed of OpenBLAS.
    return Row(name, kernel, (m, n, k), 1 / 0.85, ("numpy",), 2e-9 * m * n * k)


def _attention(heads: int, length: int) -> Row:
    return Row(
        f"attention {heads}x{length}x64",
        "attention",
        (heads, length),
        0.8,
        ("jax",),
        4e-9 * heads * length * length * 64,
    )


ROWS: Sequence[Row] = (
    *_streams(),
    *(_matmul(f"matmul {size}", "matmul", size, size, size) for size in (512, 1024, 2048, 4096)),
    _matmul("matmul 512, tiles of 64", "matmul_small_tiles", 512, 512, 512),
    _matmul("matmul 1000x1100x900", "matmul", 1000, 1100, 900),
    _matmul("matmul 1024, A transposed", "matmul_first_transposed", 1024, 1024, 1024),
    _matmul("matmul 1024, B transposed", "matmul_second_transposed", 1024, 1024, 1024),
    _attention(4, 1024),
    _attention(1, 8192),
)
"""The whole table, in order."""


def rows_of(words: Sequence[str]) -> list[Row]:
    """The rows whose name has one of the words; all without words."""
    return [row for row in ROWS if not words or any(word in row.name for word in words)]
