"""Runs kernels of the zoo as code of this machine's processor, and in the interpreter."""

from __future__ import annotations

import io
from collections.abc import Mapping

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from tests.cpu_programs.comparison import SECONDS, Result, is_covered
from tileir_xdsl import interpreters
from tileir_xdsl.options import Options
from tileir_xdsl.runtime.arrays import Argument as Given
from tileir_xdsl.runtime.arrays import Array
from tileir_xdsl.runtime.binding import bind_arguments
from tileir_xdsl.runtime.cpu.compiling import compiled_for_cpu
from tileir_xdsl.runtime.cpu.host import resolved
from tileir_xdsl.runtime.cpu.launching import packed
from tileir_xdsl.runtime.cpu.printing import printing_to
from tileir_xdsl.runtime.cpu.programs import in_memory
from tileir_xdsl.runtime.kernels import find_kernel
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import DIVISIBLE, KERNELS, KernelCase, launch_arguments
from tileir_xdsl.testing.kernels.agreement import agreeing, same
from tileir_xdsl.testing.kernels.case import Argument

TABLES: Mapping[str, Mapping[str, KernelCase]] = {"zoo": KERNELS, "twins": DIVISIBLE}
"""The kernels by their names."""

INPUTS = 20
"""How many inputs of each kernel are compared."""

SPECIAL = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, 1e-45, -1e-310)
"""Floats that some formats round to zero. Whether finite sums overflow depends on their order."""

ORDERED = ("cumulative", "top_k")
"""Kernels that combine subnormals by products, or NaN by comparisons: the order matters."""

EVERY_SPECIAL = 4
"""One in so many inputs has special floats."""


def module_of(case: KernelCase) -> ModuleOp | None:
    """The Tile IR of a kernel; None where it has no code for a CPU."""
    module = tools.parse(case.text_path.read_text(encoding="utf-8"))
    return module if is_covered(module) else None


def inputs_of(case: KernelCase, seed: int) -> list[Argument]:
    """The arguments of an input, the same for the same seed; sizes take turns."""
    arguments = case.make_arguments(case.problems[seed % len(case.problems)], seed)
    if seed % EVERY_SPECIAL == EVERY_SPECIAL - 1 and case.name not in ORDERED:
        random = np.random.default_rng(seed)
        for argument in arguments:
            if isinstance(argument, np.ndarray) and _has_floats(argument):
                chosen = random.random(argument.shape) < 1 / len(SPECIAL)
                with np.errstate(all="ignore"):
                    drawn = random.choice(SPECIAL, argument.shape).astype(argument.dtype)
                argument[...] = np.where(chosen, drawn, argument)
    return arguments


def _has_floats(array: Array) -> bool:
    return array.dtype.kind == "f" or (array.dtype.kind == "V" and "float" in array.dtype.name)


class Compared:
    """A kernel as code of a processor, next to its module."""

    def __init__(self, case: KernelCase, module: ModuleOp, processor: str, level: int = 3):
        self._case, self._module = case, module
        self._parameters = find_kernel(module, case.name, case.name)
        options = Options(opt_level=level)
        code = compiled_for_cpu(module.clone(), case.name, resolved(processor), options)
        self._kernel = in_memory(code, case.name, case.name)

    def check(self, seed: int) -> None:
        """Compares an input: elements have the same bits, or are within the bounds of the kernel.

        Raises AssertionError where they differ.
        """
        case = self._case
        given, expected, found = (inputs_of(case, seed) for _ in range(3))
        grid = case.grid(case.problems[seed % len(case.problems)])
        printed, output = io.StringIO(), io.StringIO()
        taken = launch_arguments(expected)
        interpreters.launch(self._module, case.name, grid, taken, output=printed)
        taken = [Given(None, argument) for argument in launch_arguments(found)]
        with printing_to(output):
            self._kernel.launch(grid, packed(bind_arguments(self._parameters, taken)), SECONDS)
        assert output.getvalue() == printed.getvalue()
        differing = {at: ~same(found[at], expected[at]) for at in case.outputs}
        if not any(mask.any() for mask in differing.values()):
            return
        with np.errstate(all="ignore"):
            for (at, mask), allowed in zip(differing.items(), case.expected(given), strict=True):
                wrong = mask & ~agreeing(np.asarray(found[at]), allowed)
                assert not wrong.any(), f"argument {at}: {int(wrong.sum())} elements differ"


def check_kernel(
    table: str, name: str, processor: str, inputs: int = INPUTS, level: int = 3
) -> Result:
    """Compares a kernel on inputs; the first failure counts."""
    case = TABLES[table][name]
    module = module_of(case)
    if module is None:
        return Result(False)
    seed: int | None = None
    try:
        compared = Compared(case, module, processor, level)
        for seed in range(inputs):
            compared.check(seed)
    except Exception as error:
        return Result(True, f"input {seed}: {type(error).__name__}: {error}")
    return Result(True)
