"""Takes a module down the road from Tile IR to PTX, as far as wanted."""

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tileir_xdsl.backend import ptx
from tileir_xdsl.cli.diagnostics import errors_in
from tileir_xdsl.targets import UnknownTargetError, get_target
from tileir_xdsl.transforms.tileir_pipeline import passes

Observer = Callable[[ModulePass, ModuleOp], None]

DEFAULT_GPU = "sm_90a"

_NEXT_PASS: Mapping[str, str] = {
    "nv_tileaa": "convert-tileaa-to-tileas",
    "nv_tileas": "convert-tileas-to-llvm",
}
"""The pass that leaves a level between the input and PTX."""

LEVELS = ("cuda_tile", *_NEXT_PASS, "ptx")
"""Where a program can be run: as it was read, after two of the stages, and as PTX."""


@dataclass(frozen=True)
class Program:
    """A module at one level; `ptx` is its text at the level of that name, else None."""

    module: ModuleOp
    ptx: str | None


def passes_to(level: str, gpu: str, file: str) -> tuple[ModulePass, ...]:
    """The passes from the input to `level`; raises InputError for an unknown GPU."""
    with errors_in(file, UnknownTargetError):
        get_target(gpu)
    match level:
        case "cuda_tile":
            return ()
        case "ptx":
            return passes(gpu)
        case _:
            end = _NEXT_PASS[level]
            return tuple(itertools.takewhile(lambda step: step.name != end, passes(gpu)))


def _ignore(_step: ModulePass, _module: ModuleOp) -> None:
    """An observer that looks away."""


def lower(
    context: Context,
    module: ModuleOp,
    level: str,
    *,
    gpu: str,
    file: str,
    observe: Observer = _ignore,
) -> Program:
    """Takes `module` itself to a level; `observe` sees it after every pass.

    Raises InputError for an unknown GPU, and where a pass or the PTX printer refuses the module.
    """
    steps = passes_to(level, gpu, file)
    with errors_in(file):
        for step in steps:
            step.apply(context, module)
            module.verify()
            observe(step, module)
        return Program(module, ptx.emit(module, gpu) if level == "ptx" else None)
