"""Compares the results of a random `nv_tileaa` program with its PTX, bit for bit.

The emulator delays asynchronous work of the PTX as long as possible, and detects data races.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.checking.dominance import verify_dominance
from tileir_xdsl.checking.observation import find_difference
from tileir_xdsl.levels import LLVM
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.programs.comparison import Disagreement, Failure, error_failure, observe
from tileir_xdsl.testing.programs.program import Program
from tileir_xdsl.testing.programs.reduction import reduce_module
from tileir_xdsl.testing.tileaa_programs.stand_ins import stand_in
from tileir_xdsl.testing.tileas_programs.machine import run_machine
from tileir_xdsl.transforms.pipeline_road import Step, steps


def steps_after(target: str) -> tuple[Step, ...]:
    """The pipeline's steps after the first, which all start from `nv_tileaa`."""
    return steps(target)[1:]


def lower(program: Program, module: ModuleOp) -> ModuleOp:
    """Lowers a copy of `module`, a form of the program, to the last level for its target."""
    module = module.clone()
    for step in steps_after(program.target):
        step.module_pass.apply(tools.context(), module)
    return module


def find_machine_failure(program: Program, module: ModuleOp) -> Failure | None:
    """How the PTX of `module`, a form of the program, differs from `module`; None if it does
    not.
    """
    try:
        before = observe(program, module, strict=True)
    except Exception as error:
        return error_failure("the program cannot be interpreted", error)
    try:
        after = run_machine(program, lower(program, module))
    except Exception as error:
        return error_failure("the PTX cannot be made or run", error)
    difference = find_difference(before, after, exact=True)
    return None if difference is None else Failure("another result", difference)


def find_level_failure(program: Program, module: ModuleOp) -> Failure | None:
    """The first pass after which `module`, a form of the program, has other results.

    The program is verified and interpreted after each pass except the last.
    """
    try:
        before = observe(program, module, strict=True)
    except Exception as error:
        return error_failure("the program cannot be interpreted", error)
    current = module.clone()
    for step in steps_after(program.target):
        if step.level is LLVM:
            break
        try:
            step.module_pass.apply(tools.context(), current)
            current.verify()
            verify_dominance(current)
            after = observe(program, current)
        except Exception as error:
            return error_failure(f"{step.name} fails", error)
        difference = find_difference(before, after, exact=True)
        if difference is not None:
            return Failure(f"another result after {step.name}", f"{step.name}: {difference}")
    return None


def check(program: Program, *, levels: bool = False, reduce: bool = True) -> None:
    """Checks that the PTX of a program, or with `levels` each pass, preserves its results.

    Raises `Disagreement` with the seed, the failure, and the program, which `reduce` makes small
    first.
    """
    find = find_level_failure if levels else find_machine_failure
    failure, module = find(program, program.module), program.module
    if failure is None:
        return
    if reduce:
        kind = failure.kind

        def fails_alike(smaller: ModuleOp) -> bool:
            found = find(program, smaller)
            return found is not None and found.kind == kind

        module = reduce_module(module, fails_alike, stand_in)
        failure = find(program, module) or failure
    raise Disagreement(
        f"seed {program.seed}, size {program.size}, {program.target}: {failure.message}\n"
        f"{tools.to_text(module)}"
    )
