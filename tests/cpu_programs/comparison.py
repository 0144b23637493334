"""Runs random programs as code of this machine's processor, and in the interpreter."""

from __future__ import annotations

import io
from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.checking.observation import Observation, find_difference
from tileir_xdsl.interpreters.waits import waiting_loops
from tileir_xdsl.options import Options
from tileir_xdsl.runtime.arrays import Argument
from tileir_xdsl.runtime.binding import bind_arguments
from tileir_xdsl.runtime.cpu.compiling import compiled_for_cpu
from tileir_xdsl.runtime.cpu.host import resolved
from tileir_xdsl.runtime.cpu.launching import packed
from tileir_xdsl.runtime.cpu.printing import printing_to
from tileir_xdsl.runtime.cpu.programs import in_memory
from tileir_xdsl.runtime.kernels import find_kernel
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.programs.comparison import Failure, error_failure, observe
from tileir_xdsl.testing.programs.generator import DEFAULT_SIZE, generate
from tileir_xdsl.testing.programs.program import Program
from tileir_xdsl.testing.programs.scale import LARGE, PIPELINED, SMALL
from tileir_xdsl.testing.programs.targets import CPU
from tileir_xdsl.transforms.tilecpu_road import uncovered

PROCESSORS = ("cpu-x86-64-v4", "cpu-x86-64-v3")
"""Targets with vectors of two widths."""

SECONDS = 20.0
"""The time limit of a launch."""


def program_of(seed: int, size: int = DEFAULT_SIZE) -> Program:
    """The program of a seed: most tiles are small, and some need many vectors."""
    scale = {3: LARGE, 4: PIPELINED}.get(seed % 5, SMALL)
    return generate(seed, size, exact=True, target=CPU, scale=scale)


def is_covered(module: ModuleOp) -> bool:
    """Whether there is code for all ops of a program, and no block waits for another."""
    if any(waiting_loops(module)):
        return False
    passes = "convert-cuda-tile-to-tileaa,canonicalize"
    return not uncovered(tools.run_passes(module.clone(), passes))


def run(program: Program, module: ModuleOp, processor: str, level: int = 3) -> Observation:
    """The arrays after a launch of `module`, a form of the program, as code of a processor."""
    kernel = find_kernel(module, program.kernel, program.kernel)
    options = Options(opt_level=level)
    code = compiled_for_cpu(module.clone(), "program", resolved(processor), options)
    loaded = in_memory(code, program.kernel, "program")
    arguments = program.arguments(np.random.default_rng(program.seed))
    bound = bind_arguments(kernel, [Argument(None, argument) for argument in arguments])
    with printing_to(io.StringIO()):
        loaded.launch(program.grid, packed(bound), SECONDS)
    arrays = {position: np.asarray(arguments[position]) for position in program.outputs}
    return Observation(arrays, None)


def find_cpu_failure(
    program: Program, module: ModuleOp, processor: str, level: int = 3
) -> Failure | None:
    """How the code of `module`, a form of the program, differs from it; None without difference."""
    try:
        before = observe(program, module, strict=True)
    except Exception as error:
        return error_failure("the program cannot be interpreted", error)
    try:
        after = run(program, module, processor, level)
    except Exception as error:
        return error_failure("the code cannot be made or run", error)
    difference = find_difference(before, after, exact=True)
    if difference is not None:
        # Strict mode gives arrays other addresses, which a program may store.
        difference = find_difference(observe(program, module), after, exact=True)
    return None if difference is None else Failure("another result", difference)


@dataclass(frozen=True)
class Result:
    """What became of the program of a seed."""

    covered: bool
    failure: str | None = None


def check(seed: int, processor: str) -> Result:
    """Compares the program of a seed."""
    program = program_of(seed)
    if not is_covered(program.module):
        return Result(False)
    failure = find_cpu_failure(program, program.module, processor)
    return Result(True, failure and failure.message)
