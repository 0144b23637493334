"""Compares a program's results in `cuda_tile` and as PTX, bit for bit, and detects races.

The emulator delays asynchronous work of the PTX as long as possible, and detects data races.
"""

from __future__ import annotations

import io
import json
import math
import os
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl import emulator
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.checking.observation import Observation, find_difference
from tileir_xdsl.runtime.arrays import Argument
from tileir_xdsl.runtime.binding import bind_arguments
from tileir_xdsl.runtime.kernels import find_kernel
from tileir_xdsl.runtime.launching import dynamic_shared_memory, with_tensor_maps
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.programs.comparison import (
    Failure,
    error_failure,
    observe,
    raise_disagreement,
)
from tileir_xdsl.testing.programs.program import Program
from tileir_xdsl.testing.programs.scopes import has_scopes
from tileir_xdsl.transforms.tileas_assign_load_store_layouts.assign_layouts import (
    PREFER_TMA_VARIABLE,
)

_STEP_LIMIT = 3_000_000

_PREFERRING_TMA = 3
"""One of this many programs is compiled with TMA preferred for all loads and stores."""


def lower(program: Program, module: ModuleOp) -> ModuleOp:
    """Lowers `module`, a form of the program, to the last level for its target."""
    options = {"gpu": program.target, "lineinfo": has_scopes(module), **program.options.given()}
    pipeline = f"tileir-pipeline{{{written_options(options)}}}"
    with _preference_of_tma(program.seed % _PREFERRING_TMA == 0):
        return tools.run_passes(module.clone(), pipeline)


def written_options(options: Mapping[str, object]) -> str:
    """Options of a pass, in the syntax of `xdsl-opt -p`."""
    return " ".join(f"{name.replace('_', '-')}={json.dumps(v)}" for name, v in options.items())


@contextmanager
def _preference_of_tma(preferred: bool) -> Generator[None]:
    before = os.environ.get(PREFER_TMA_VARIABLE)
    os.environ[PREFER_TMA_VARIABLE] = str(preferred).lower()
    try:
        yield
    finally:
        if before is None:
            del os.environ[PREFER_TMA_VARIABLE]
        else:
            os.environ[PREFER_TMA_VARIABLE] = before


def run_machine(program: Program, module: ModuleOp) -> Observation:
    """Runs the PTX of `module`, a form of the program; a race raises an error."""
    lowered = lower(program, module)
    arguments = program.arguments(np.random.default_rng(program.seed))
    kernel = find_kernel(module, program.kernel, program.kernel)
    bound = bind_arguments(kernel, [Argument(None, argument) for argument in arguments])
    output = io.StringIO()
    emulator.load(emit(lowered, program.target)).launch(
        program.kernel,
        program.grid,
        with_tensor_maps(lowered, program.kernel, bound),
        dynamic_shared=dynamic_shared_memory(lowered, program.kernel),
        step_limit=_STEP_LIMIT,
        late=True,
        races=True,
        output=output,
    )
    arrays = {position: np.asarray(arguments[position]) for position in program.outputs}
    return Observation(arrays, output.getvalue())


def compare_with_machine(program: Program, *, reduce: bool = True) -> None:
    """Checks that the PTX of a program computes what its `cuda_tile` module does.

    Raises `Disagreement`, as `compare` does.
    """
    failure = find_machine_failure(program, program.module)
    if failure is not None:
        raise_disagreement(
            program, failure, lambda module: find_machine_failure(program, module), reduce
        )


def _in_any_order(program: Program, observation: Observation) -> Observation:
    """An observation whose printed characters are sorted if tile blocks print concurrently."""
    if math.prod(program.grid) == 1 or observation.printed is None:
        return observation
    return replace(observation, printed="".join(sorted(observation.printed)))


def find_machine_failure(program: Program, module: ModuleOp) -> Failure | None:
    """How the PTX of `module`, a form of the program, differs from `module`; None if it does
    not.
    """
    try:
        before = _in_any_order(program, observe(program, module, strict=True))
    except Exception as error:
        return error_failure("the program cannot be interpreted", error)
    try:
        after = _in_any_order(program, run_machine(program, module))
    except Exception as error:
        return error_failure("the PTX cannot be made or run", error)
    difference = find_difference(before, after, exact=True)
    if difference is not None:
        # Strict mode gives arrays other addresses, which a program may store.
        before = _in_any_order(program, observe(program, module))
        difference = find_difference(before, after, exact=True)
    return None if difference is None else Failure("another result", difference)
