"""What tests of seeded bugs share: a kernel, how it is launched, and the barriers that bugs name."""

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.unit.road.zoo import Lowered, run
from tileir_xdsl.testing.kernels.case import KernelCase, Problem

MODES: tuple[dict[str, Any], ...] = (
    {"late": True, "races": True},
    {"late": True, "races": True, "warp_seed": 1},
)


@dataclass(frozen=True)
class SeededKernel:
    """A kernel without a bug, and a problem on which bugs show."""

    case: KernelCase
    program: str
    kernel: Lowered
    problem: Problem
    grid: tuple[int, int, int]

    def launch(self, ptx: str, folder: Path, mode: dict[str, Any]) -> None:
        """Runs other PTX in its place."""
        written = replace(self.case, folder=folder)
        written.text_path.write_text(self.program)
        run(written, replace(self.kernel, ptx=ptx), self.problem, self.grid, **mode)


def with_barriers(bug: tuple[str, str], ptx: str, arrivals: int) -> tuple[str, str]:
    """A pattern and what replaces it, with the offsets of the barriers of two stages for `FULL` and
    `EMPTY`; at the latter so many arrive."""
    (empty, *_) = (int(n) for n in re.findall(rf"mbarrier\.init[^\n]*\+(\d+)\], {arrivals};", ptx))
    pattern, instead = (
        t.replace("FULL", f"{empty - 16}").replace("EMPTY", f"{empty}") for t in bug
    )
    return pattern, instead
