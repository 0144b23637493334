"""Compares the results of a program before and after passes bit for bit."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.checking.observation import Observation, find_difference
from tileir_xdsl.dialects.cuda_tile import ModuleOp as TileModuleOp
from tileir_xdsl.dialects.cuda_tile.printing import print_short
from tileir_xdsl.interpreters import launch
from tileir_xdsl.interpreters.memory_order import MemoryOrder
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.programs.program import Program
from tileir_xdsl.testing.programs.reduction import reduce_module

_ITERATION_LIMIT = 10_000


@dataclass(frozen=True)
class Failure:
    """Why passes are wrong for a program; failures with equal `kind` probably have the same
    cause.
    """

    kind: str
    message: str


class Disagreement(AssertionError):
    """Raised for passes that fail, or that change what a program computes."""


def observe(
    program: Program,
    module: ModuleOp,
    memory_order: MemoryOrder | None = None,
    *,
    strict: bool = False,
) -> Observation:
    """Launches `module`, a form of the program; returns its outputs and the text it printed.

    The program's seed determines the arguments. If `strict`, undefined behaviour is an error.
    """
    arguments = program.arguments(np.random.default_rng(program.seed))
    output = io.StringIO()
    launch(
        module,
        program.kernel,
        program.grid,
        arguments,
        output=output,
        iteration_limit=_ITERATION_LIMIT,
        memory_order=memory_order,
        strict=strict,
    )
    arrays = {position: np.asarray(arguments[position]) for position in program.outputs}
    return Observation(arrays, output.getvalue())


def compare(program: Program, passes: str, *, reduce: bool = True) -> None:
    """Checks that a pass pipeline, written as for `xdsl-opt -p`, preserves a program's results.

    Raises `Disagreement` with the seed, the failure, and the program, which `reduce` makes small
    first.
    """
    failure = find_failure(program, program.module, passes)
    if failure is not None:
        raise_disagreement(
            program, failure, lambda module: find_failure(program, module, passes), reduce
        )


def raise_disagreement(
    program: Program,
    failure: Failure,
    find: Callable[[ModuleOp], Failure | None],
    reduce: bool,
) -> NoReturn:
    """Raises `Disagreement`; `reduce` first makes the program small, as long as `find` finds a
    failure.
    """
    module = program.module

    def fails_alike(smaller: ModuleOp) -> bool:
        found = find(smaller)
        return found is not None and found.kind == failure.kind

    if reduce:
        module = reduce_module(module, fails_alike)
        failure = find(module) or failure
    text = "\n".join(print_short(op) for op in module.ops if isinstance(op, TileModuleOp))
    raise Disagreement(
        f"seed {program.seed}, size {program.size}, grid {program.grid}, {program.target}: "
        f"{failure.message}\n{text}"
    )


def find_failure(program: Program, module: ModuleOp, passes: str) -> Failure | None:
    """The failure of `passes` on `module`, a form of the program; None if they preserve its
    results.
    """
    try:
        before = observe(program, module, strict=True)
    except Exception as error:
        return error_failure("the program cannot be interpreted", error)
    try:
        converted = tools.run_passes(module.clone(), passes)
    except Exception as error:
        return error_failure("the passes fail", error)
    try:
        after = observe(program, converted)
    except Exception as error:
        return error_failure("what the passes make cannot be interpreted", error)
    difference = find_difference(before, after, exact=True)
    if difference is not None:
        # Strict mode gives arrays other addresses, which a program may store.
        difference = find_difference(observe(program, module), after, exact=True)
    return None if difference is None else Failure("another result", difference)


def error_failure(what: str, error: Exception) -> Failure:
    """An exception as a `Failure`."""
    first_line = str(error).partition("\n")[0]
    kind = re.sub(r"%?\d+", "", f"{type(error).__name__}: {first_line}")
    return Failure(f"{what}: {kind}", f"{what}: {type(error).__name__}: {error}")
