"""What a program computes at the first level and as PTX: the same, bit for bit, without races."""

from __future__ import annotations

import io
import math
from dataclasses import replace

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from tests.programs.comparison import Failure, error_failure, observe, raise_disagreement
from tests.programs.program import Program
from tests.unit import tools
from tileir_xdsl import emulator
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.checking.observation import Observation, find_difference
from tileir_xdsl.runtime.arrays import Argument
from tileir_xdsl.runtime.binding import bind_arguments
from tileir_xdsl.runtime.kernels import find_kernel
from tileir_xdsl.runtime.launching import dynamic_shared_memory, with_tensor_maps

TARGET = "sm_100a"
"""A target that has every element type."""

_STEP_LIMIT = 3_000_000


def run_machine(program: Program, module: ModuleOp, gpu: str = TARGET) -> Observation:
    """What a launch of the PTX of `module`, a form of the program, leaves; races are faults."""
    lowered = tools.run_passes(module.clone(), f'tileir-pipeline{{gpu="{gpu}"}}')
    arguments = program.arguments(np.random.default_rng(program.seed))
    kernel = find_kernel(module, program.kernel, program.kernel)
    bound = bind_arguments(kernel, [Argument(None, argument) for argument in arguments])
    output = io.StringIO()
    emulator.load(emit(lowered, gpu)).launch(
        program.kernel,
        program.grid,
        with_tensor_maps(lowered, program.kernel, bound),
        dynamic_shared=dynamic_shared_memory(lowered, program.kernel),
        step_limit=_STEP_LIMIT,
        races=True,
        output=output,
    )
    arrays = {position: np.asarray(arguments[position]) for position in program.outputs}
    return Observation(arrays, output.getvalue())


def compare_with_machine(program: Program, gpu: str = TARGET, *, reduce: bool = True) -> None:
    """Checks that the PTX of a program computes what the program does at the first level.

    Raises `Disagreement` as `compare` does.
    """
    failure = find_machine_failure(program, program.module, gpu)
    if failure is not None:
        raise_disagreement(
            program, failure, lambda module: find_machine_failure(program, module, gpu), reduce
        )


def _in_any_order(program: Program, observation: Observation) -> Observation:
    """What a launch leaves, its characters sorted where tile blocks print at once."""
    if math.prod(program.grid) == 1 or observation.printed is None:
        return observation
    return replace(observation, printed="".join(sorted(observation.printed)))


def find_machine_failure(program: Program, module: ModuleOp, gpu: str) -> Failure | None:
    """How the PTX of `module`, a form of the program, differs from it."""
    try:
        before = _in_any_order(program, observe(program, module, strict=True))
    except Exception as error:
        return error_failure("the program cannot be interpreted", error)
    try:
        after = _in_any_order(program, run_machine(program, module, gpu))
    except Exception as error:
        return error_failure("the PTX cannot be made or run", error)
    difference = find_difference(before, after, exact=True)
    return None if difference is None else Failure("another result", difference)
