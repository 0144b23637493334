"""What long runs consist of: commands that take some seeds, and so many that a run is short."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from tests.reach.map import REPOSITORY, all_tests

_NO_TESTS = 5
"""Exit status of pytest that has run nothing."""


@dataclass(frozen=True)
class Part:
    """A command that runs some seeds."""

    command: Callable[[int, int], Sequence[str]]
    """The words after `python -m`, for the first seed and how many there are."""
    seeds: int
    """How many one run takes."""
    what: str
    """What a seed stands for."""
    in_slice: bool = True
    """Whether continuous integration runs some of it."""
    fine: frozenset[int] = frozenset({0})
    """The exit statuses of a run without findings."""


def _seeded(*words: str) -> Callable[[int, int], Sequence[str]]:
    return lambda first, count: (*words, "--first", str(first), "--seeds", str(count))


@cache
def _kernels() -> Sequence[str]:
    from tileir_xdsl.testing.kernels import KERNELS  # noqa: PLC0415 - imports all front ends

    return sorted(KERNELS)


@cache
def _files_with_soak_tests() -> Sequence[str]:
    return [test for test in all_tests() if "soak" in (REPOSITORY / test).read_text("utf-8")]


def _kernel_run(first: int, count: int) -> Sequence[str]:
    names = _kernels()
    return ("tests.kernels", *(names[seed % len(names)] for seed in range(first, first + count)))


def _soak_tests(first: int, count: int) -> Sequence[str]:
    files = _files_with_soak_tests()
    chosen = (files[seed % len(files)] for seed in range(first, first + count))
    return ("pytest", "-q", "-m", "soak", *chosen)


PARTS: Mapping[str, Part] = {
    "programs": Part(
        _seeded("tileir_xdsl.testing.programs", "--ptx"),
        4,
        "random programs to PTX, for drawn targets",
    ),
    "aliased programs": Part(
        _seeded("tileir_xdsl.testing.tileaa_programs"), 10, "random programs of `nv_tileaa` to PTX"
    ),
    "aliased passes": Part(
        _seeded("tileir_xdsl.testing.tileaa_programs", "--levels"),
        6,
        "the same, pass by pass, in the interpreter",
    ),
    "tile programs": Part(
        _seeded("tileir_xdsl.testing.tileas_programs", "--ptx"),
        10,
        "random programs of `nv_tileas` to PTX",
    ),
    "tile passes": Part(
        _seeded("tileir_xdsl.testing.tileas_programs"),
        5,
        "the same, pass by pass, in the interpreter",
    ),
    "llvm programs": Part(
        _seeded("tests.llvm_programs"),
        20,
        "random functions, our PTX next to LLVM's",
        # It needs the extra `upstream`.
        in_slice=False,
    ),
    "cpu programs": Part(
        _seeded("tests.cpu_programs"), 20, "random programs as code of this processor"
    ),
    "forced choices": Part(
        _seeded("tests.forced"), 4, "kernels of the zoo with drawn choices of passes"
    ),
    "metamorphic": Part(
        _seeded("tests.metamorphic"), 4, "programs and kernels of the zoo in other forms"
    ),
    "fuzz": Part(_seeded("tests.fuzz"), 20, "damaged inputs of each kind"),
    "ptx mutations": Part(_seeded("tests.ptx_mutations"), 60, "damaged kernels in PTX"),
    "tileiras": Part(
        _seeded("tests.tileiras_agreement"), 20, "modules that `tileiras` and we may refuse"
    ),
    "kernels": Part(_kernel_run, 2, "kernels of the zoo and their twins, on every target"),
    "soak tests": Part(
        _soak_tests,
        1,
        "test files with tests marked `soak`",
        in_slice=False,
        fine=frozenset({0, _NO_TESTS}),
    ),
}
"""The parts by name, in the order of the report."""


def command_line(part: Part, first: int) -> list[str]:
    """The command of one run."""
    return [sys.executable, "-m", *part.command(first, part.seeds)]
