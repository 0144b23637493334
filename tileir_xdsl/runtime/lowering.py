"""Takes a module down the road from Tile IR to PTX, as far as wanted.

The module was verified when it was read, and is once more when all passes have run. Whoever looks
for a pass that leaves invalid IR asks for more: by `verify_each`, or for all that a process lowers
by setting the environment variable `TILEIR_VERIFY_EACH`, as the tests do.
"""

import gc
import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tileir_xdsl.backend import ptx
from tileir_xdsl.levels import CUDA_TILE, LEVELS, LLVM, NV_TILEAA, NV_TILEAS, Level, check_legal
from tileir_xdsl.runtime.diagnostics import InputError, errors_in
from tileir_xdsl.targets import UnknownTargetError, get_target
from tileir_xdsl.transforms.function_pass import SkippingRunner
from tileir_xdsl.transforms.tileir_pipeline import Step, steps
from tileir_xdsl.verification import verify_module

Observer = Callable[[ModulePass, ModuleOp], None]


RUNNABLE = {"cuda_tile": CUDA_TILE, "nv_tileaa": NV_TILEAA, "nv_tileas": NV_TILEAS, "ptx": LLVM}
"""Where a program can be run, and the level that its module then is at."""


@dataclass(frozen=True)
class Program:
    """A module at one level; `ptx` is its text at the level of that name, else None."""

    module: ModuleOp
    ptx: str | None


def level_of(module: ModuleOp) -> Level:
    """The first level all ops of the module are legal at; the last one if there is none."""
    present = {op.dialect_name() for op in module.walk()}
    return next((level for level in LEVELS if present <= level.dialects), LEVELS[-1])


def levels_from(module: ModuleOp, file: str) -> tuple[str, ...]:
    """The levels of `RUNNABLE` that the module is at, or can be lowered to.

    Raises InputError for ops that no level has, or that have none in common.
    """
    level = level_of(module)
    if level is LEVELS[-1]:
        with errors_in(file):
            check_legal(module, level)
    return tuple(name for name, at in RUNNABLE.items() if LEVELS.index(at) >= LEVELS.index(level))


def steps_to(
    level: Level, module: ModuleOp, gpu: str, *, dynamic_persistent: bool = False
) -> list[Step]:
    """The steps of the pipeline that lead from where the module is to the end of `level`."""
    first, last = LEVELS.index(level_of(module)), LEVELS.index(level)
    road = steps(gpu, dynamic_persistent=dynamic_persistent)
    return [step for step in road if first <= LEVELS.index(step.level) <= last]


VERIFY_EACH_VARIABLE = "TILEIR_VERIFY_EACH"
"""The environment variable that, if not empty, stands for `verify_each`."""


def _ignore(_step: ModulePass, _module: ModuleOp) -> None:
    """An observer that looks away."""


ALLOCATIONS = 500_000
"""How many objects are made between two collections of garbage while a module is lowered."""


@contextmanager
def collecting_seldom() -> Generator[None]:
    """Lets the garbage collector run seldom for a while.

    IR is made of cycles that mostly stay: with the default of Python, collections of the youngest
    objects, hundreds of them for each kernel, take a fifth of the time and free next to nothing.
    """
    threshold, *others = gc.get_threshold()
    if 0 < threshold < ALLOCATIONS:
        gc.set_threshold(ALLOCATIONS, *others)
    try:
        yield
    finally:
        gc.set_threshold(threshold, *others)


def lower(
    context: Context,
    module: ModuleOp,
    level: str,
    *,
    gpu: str,
    file: str,
    observe: Observer = _ignore,
    dynamic_persistent: bool = False,
    verify_each: bool = False,
) -> Program:
    """Takes `module` itself to a level of `RUNNABLE`; `observe` sees it after every pass.

    With `dynamic_persistent` tile blocks of a kernel go on with others of the grid. The module is
    verified when all passes have run, with `verify_each` after each of them.

    Raises InputError for an unknown GPU, for a level above that of the module, and where a pass or
    the PTX printer refuses the module.
    """
    levels = levels_from(module, file)
    if level not in levels:
        raise InputError(file, f"the program is at level {levels[0]}, below {level}")
    with errors_in(file, UnknownTargetError), collecting_seldom():
        gpu = get_target(gpu).name
        verify_each = verify_each or bool(os.environ.get(VERIFY_EACH_VARIABLE))
        run = SkippingRunner(context, module)
        road = steps_to(RUNNABLE[level], module, gpu, dynamic_persistent=dynamic_persistent)
        for step in road:
            run(step.module_pass)
            if verify_each or step is road[-1]:
                verify_module(module)
                check_legal(module, step.level)
            observe(step.module_pass, module)
        return Program(module, ptx.emit(module, gpu) if level == "ptx" else None)
