"""Generated kernels with data: what a launch computes against what it should."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from tests.kernel_generators.bugs import Bug
from tileir_xdsl import emulator
from tileir_xdsl.backend.ptx import emit

Array = NDArray[Any]


@dataclass(frozen=True)
class Problem:
    """The arguments of one launch, the array that it writes, and what that should hold.

    Results may differ by `tolerance` times the magnitude of the expected values, at most 1.
    """

    arguments: Sequence[emulator.Argument]
    output: Array
    expected: Array
    tolerance: float = 0.0

    def error(self) -> float:
        """The largest error of the output, in units of the tolerance (0 where exact)."""
        found = self.output.astype(np.float64)
        wanted = self.expected.astype(np.float64)
        difference = np.abs(found - wanted)
        if not self.tolerance:
            return 0.0 if np.array_equal(found, wanted) else np.inf
        allowed = self.tolerance * np.maximum(np.abs(wanted), 1.0)
        worst = float(np.max(difference / allowed))
        return np.inf if np.isnan(worst) else worst

    @property
    def is_solved(self) -> bool:
        return self.error() <= 1.0


@dataclass(frozen=True)
class Case:
    """A kernel, a launch of it, and the bugs that can be put into it, by name."""

    name: str
    gpu: str
    build: Callable[[Bug | None], ModuleOp]
    grid: tuple[int, int, int]
    shared_bytes: int
    problem: Callable[[], Problem]
    bugs: Mapping[str, Bug]

    def ptx(self, bug: str | None = None) -> str:
        """The kernel as PTX, as it should be or with a bug."""
        return _ptx(self, bug)

    def launch(self, bug: str | None = None, **modes: Any) -> Problem:
        """Runs the kernel in the emulator; gives the problem with the output written.

        Raises `EmulatorError` where the emulator finds a fault.
        """
        problem = self.problem()
        module = _loaded(self, bug)
        module.launch(None, self.grid, problem.arguments, dynamic_shared=self.shared_bytes, **modes)
        return problem

    def __hash__(self) -> int:
        return hash(self.name)


@cache
def _ptx(case: Case, bug: str | None) -> str:
    return emit(case.build(None if bug is None else case.bugs[bug]), case.gpu)


@cache
def _loaded(case: Case, bug: str | None) -> emulator.Module:
    return emulator.load(case.ptx(bug))
