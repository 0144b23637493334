"""Compares the results of a random `nv_tileas` program with its PTX, bit for bit.

The emulator delays asynchronous work of the PTX as long as possible, and detects data races.
"""

from __future__ import annotations

import random

import numpy as np
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl import emulator
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.checking.observation import Observation, find_difference
from tileir_xdsl.dialects.target_attributes import TARGET_ATTRIBUTE
from tileir_xdsl.runtime.launching import dynamic_shared_memory, with_tensor_maps
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.programs.comparison import Disagreement, Failure, error_failure, observe
from tileir_xdsl.testing.programs.program import Program
from tileir_xdsl.testing.programs.reduction import reduce_module
from tileir_xdsl.testing.programs.targets import TARGETS
from tileir_xdsl.testing.tileas_programs.comparison import REFUSALS as PASS_REFUSALS
from tileir_xdsl.testing.tileas_programs.comparison import stand_in
from tileir_xdsl.testing.tileas_programs.generator import generate
from tileir_xdsl.transforms.pipeline_road import steps
from tileir_xdsl.transforms.tileas_assign_dot_layouts import TileASAssignDotLayoutsPass

_STEP_LIMIT = 3_000_000

REFUSALS = (
    *(text for texts in PASS_REFUSALS.values() for text in texts),
    "'nv_tileas.view' op expects the result's layout to match the buffer's addresses",
)
"""Messages with which passes may refuse to lower a program."""


def generate_for_machine(seed: int, size: int) -> Program:
    """The program of a seed, for the target that the seed draws."""
    target = random.Random(f"{seed} target").choice(TARGETS)
    return generate(seed, size, for_machine=True, target=target)


def lower(program: Program, module: ModuleOp) -> ModuleOp:
    """Lowers a copy of `module`, a form of the program, to the last level for its target.

    It runs the passes of the pipeline from `nv_tileas` on.
    """
    module = module.clone()
    module.attributes[TARGET_ATTRIBUTE] = StringAttr(program.target)
    passes = [step.module_pass for step in steps(program.target)]
    first = next(i for i, p in enumerate(passes) if isinstance(p, TileASAssignDotLayoutsPass))
    for module_pass in passes[first:]:
        module_pass.apply(tools.context(), module)
    return module


def run_machine(program: Program, lowered: ModuleOp) -> Observation:
    """Launches the PTX of a lowered program; a data race raises an error."""
    arguments = program.arguments(np.random.default_rng(program.seed))
    emulator.load(emit(lowered, program.target)).launch(
        program.kernel,
        program.grid,
        with_tensor_maps(lowered, program.kernel, arguments),
        dynamic_shared=dynamic_shared_memory(lowered, program.kernel),
        step_limit=_STEP_LIMIT,
        late=True,
        races=True,
    )
    arrays = {position: np.asarray(arguments[position]) for position in program.outputs}
    return Observation(arrays, "")


def compare_with_machine(program: Program, *, reduce: bool = True) -> str | None:
    """Checks that the PTX of a program has the program's results.

    Returns the message of `REFUSALS` with which a pass refuses the program, or None. Raises
    `Disagreement` with the seed, the failure, and the program, which `reduce` makes small first.
    """
    found = find_machine_failure(program, program.module)
    if not isinstance(found, Failure):
        return found
    failure, module = found, program.module
    if reduce:
        kind = failure.kind

        def fails_alike(smaller: ModuleOp) -> bool:
            return _kind(program, smaller) == kind

        module = reduce_module(module, fails_alike, stand_in)
        found = find_machine_failure(program, module)
        failure = found if isinstance(found, Failure) else failure
    raise Disagreement(
        f"seed {program.seed}, size {program.size}, {program.target}: {failure.message}\n"
        f"{tools.to_text(module)}"
    )


def _kind(program: Program, module: ModuleOp) -> str | None:
    found = find_machine_failure(program, module)
    return found.kind if isinstance(found, Failure) else None


def find_machine_failure(program: Program, module: ModuleOp) -> Failure | str | None:
    """How the PTX of `module`, a form of the program, differs from `module`, or why a pass refuses
    it; None otherwise.
    """
    try:
        before = observe(program, module)
    except Exception as error:
        return error_failure("the program cannot be interpreted", error)
    try:
        after = run_machine(program, lower(program, module))
    except Exception as error:
        return refusal(error) or error_failure("the PTX cannot be made or run", error)
    difference = find_difference(before, after, exact=True)
    return None if difference is None else Failure("another result", difference)


def refusal(error: Exception) -> str | None:
    """The message of `REFUSALS` that an error has, or None."""
    if not isinstance(error, PassFailedException):
        return None
    return next((text for text in REFUSALS if text in str(error)), None)
