"""Lowers a module on the road from Tile IR to PTX, up to a given level.

The module was verified when it was read, and is verified again after all passes. To find a pass
that leaves invalid IR, set `verify_each`. The environment variable `TILEIR_VERIFY_EACH` sets
`verify_each` for all modules that a process lowers, as in the tests.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i32
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from tileir_xdsl.backend import ptx
from tileir_xdsl.dialects.target_attributes import CAPABILITY_ATTRIBUTE, named_target, target_of
from tileir_xdsl.levels import (
    CUDA_TILE,
    EXTENSION_OPS,
    LEVELS,
    LLVM,
    NV_TILEAA,
    NV_TILEAS,
    Level,
    check_legal,
    level_of,
)
from tileir_xdsl.options import DEFAULT_OPTIONS, OptionError, Options
from tileir_xdsl.rewriting import dialect_name
from tileir_xdsl.runtime.collecting import collecting_seldom
from tileir_xdsl.runtime.diagnostics import errors_in
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.outputs import OUTPUTS, PTX
from tileir_xdsl.suggestions import did_you_mean
from tileir_xdsl.targets import (
    DEFAULT_TARGET,
    TARGETS,
    UnknownTargetError,
    get_target,
    variant_origin,
)
from tileir_xdsl.transforms.pipeline_progress import extension_names
from tileir_xdsl.transforms.pipeline_road import Follower, Step, note_options, remaining, walk
from tileir_xdsl.verification import verify_module
from tileir_xdsl.walking import ops_in

Observer = Callable[[ModulePass, ModuleOp], None]

LevelObserver = Callable[[Level, ModuleOp], None]
"""A function that is called with each level whose last pass has run."""


class PassRecorder(Follower):
    """Observes a compilation in detail, for example to write a report."""

    def start(self, module: ModuleOp) -> None:
        """Called with the module before the first pass."""

    def kernel(self, kernel: ptx.PrintedKernel) -> None:
        """Called with the instructions of every kernel that is printed as PTX."""


def check_variant(target: str, extensions: Sequence[str]) -> None:
    """Raises InputError for a target of an extension that the options do not name.

    The process may know the target from another compilation, but the cache key would lack the
    extension.
    """
    origin = variant_origin(target)
    if origin is not None and origin not in extension_names(extensions):
        raise InputError(
            "--gpu", f"target '{target}' is of extension '{origin}', which the options do not name"
        )


RUNNABLE = {"cuda_tile": CUDA_TILE, "nv_tileaa": NV_TILEAA, "nv_tileas": NV_TILEAS, PTX: LLVM}
"""The outputs at which a program can be run, each with the level of its module."""


RUNS_AS = {LLVM.name: PTX}
"""For an output that cannot be run itself, the output that is run in its place."""


@dataclass(frozen=True)
class Lowered:
    """A module at one level, with its PTX text at level `ptx`."""

    module: ModuleOp
    ptx: str | None


def level_named(name: str) -> Level:
    """The level of the module for an output."""
    return next((level for level in LEVELS if level.name == name), LLVM)


def checked_level(module: ModuleOp, file: str) -> Level:
    """The level of the module.

    Raises InputError for ops that are legal at no level, or at no common level.
    """
    level = level_of(module)
    if level is LEVELS[-1]:
        with errors_in(file):
            check_legal(module, level)
    return level


def chosen_target(module: ModuleOp, gpu: str | None, file: str) -> str:
    """The name of the target: the given one, otherwise that of the program, otherwise the default.

    Raises InputError for an unknown target, and if a program below Tile IR is for another target.
    """
    with errors_in(file, UnknownTargetError):
        named, stated = target_of(module), named_target(module)
    if named is None and stated is not None:
        hint = did_you_mean(str(stated), TARGETS)
        raise InputError(file, f"the program is for an unknown target, {stated}{hint}")
    capability = module.attributes.get(CAPABILITY_ATTRIBUTE)
    if named is not None and capability not in (None, IntegerAttr(named.compute_capability, i32)):
        raise InputError(
            file, f"{CAPABILITY_ATTRIBUTE} must be the compute capability of {named.name}"
        )
    default = DEFAULT_TARGET if named is None else named.name
    try:
        target = get_target(default if gpu is None else gpu)
    except UnknownTargetError as error:
        raise InputError(file, f"{error}{did_you_mean(gpu or default, TARGETS)}") from None
    if named not in (None, target) and level_of(module) is not CUDA_TILE:
        raise InputError(file, f"the program is for {default}, not {target.name}")
    return target.name


def levels_from(module: ModuleOp, file: str) -> tuple[str, ...]:
    """The levels of `RUNNABLE` from that of the module on.

    Raises InputError for ops that are legal at no level, or at no common level.
    """
    level = checked_level(module, file)
    return tuple(name for name, at in RUNNABLE.items() if LEVELS.index(at) >= LEVELS.index(level))


def steps_to(
    level: Level, module: ModuleOp, gpu: str, options: Options = DEFAULT_OPTIONS
) -> list[Step]:
    """The steps of the pipeline from the module's state to the end of `level`."""
    last = LEVELS.index(level)
    road = remaining(module, gpu, options)
    return [step for step in road if LEVELS.index(step.level) <= last]


_DECIDED_BY = {
    "warps": NV_TILEAA,
    "ctas": NV_TILEAA,
    "occupancy": NV_TILEAA,
    "abi": NV_TILEAS,
    "dynamic_persistent": LLVM,
    "device_tensor_maps": LLVM,
    "stages": LLVM,
    "strategy": LLVM,
    "opt_level": LLVM,
}
"""For each option, the first level after which the option has no effect."""


def check_options(options: Options, level: Level, gpu: str) -> None:
    """Raises OptionError for an option that the target lacks, or that is decided before `level`."""
    options.check(get_target(gpu))
    given = options.given()
    for name, decided in _DECIDED_BY.items():
        if name in given and LEVELS.index(level) >= LEVELS.index(decided):
            raise OptionError(
                name,
                given[name],
                f"must be set earlier: the program is already at level {level.name}",
            )


def begun_road(module: ModuleOp, at: Level, level: str, gpu: str, options: Options) -> list[Step]:
    """The steps from level `at` to a level of `OUTPUTS`; notes the options on the module.

    Raises OptionError for unsupported options.
    """
    check_options(options, at, gpu)
    note_options(module, options)
    return steps_to(level_named(level), module, gpu, options)


VERIFY_EACH_VARIABLE = "TILEIR_VERIFY_EACH"
"""The environment variable that sets `verify_each`, unless it is empty or 0."""


def enter_road(context: Context, module: ModuleOp, file: str, gpu: str, options: Options) -> None:
    """Lowers a program in dialects of extensions to Tile IR, by passes of the extensions.

    Only Tile IR defines kernels and parameters. Other programs stay unchanged. Raises InputError if
    a pass rejects the program.
    """
    if (
        options.extensions
        and level_of(module) is CUDA_TILE
        and any(map(_is_foreign, ops_in(module)))
    ):
        with errors_in(file, UnknownTargetError):
            run_steps(context, module, steps_to(CUDA_TILE, module, gpu, options), options)


def _is_foreign(op: Operation) -> bool:
    """Whether an op is unknown at level `cuda_tile`, to this package and to extensions."""
    return dialect_name(op) not in CUDA_TILE.own and type(op) not in EXTENSION_OPS


def run_steps(
    context: Context,
    module: ModuleOp,
    road: Sequence[Step],
    options: Options = DEFAULT_OPTIONS,
    *,
    observe: Observer | None = None,
    record: PassRecorder | None = None,
    observe_levels: LevelObserver | None = None,
    verify_each: bool = False,
) -> None:
    """Runs steps on `module` in place, and verifies it after the last step, or after every step.

    If levels are observed, or if a user may have edited the module, it is also verified at the end
    of each level. If a kernel exceeds a resource, levels are repeated. Raises xDSL's exceptions,
    and OptionError for a cluster size that does not fit the kernel.
    """
    verify_each = verify_each or os.environ.get(VERIFY_EACH_VARIABLE, "0") not in ("", "0")
    # A pass may carry on what it was given, and find no fault with it.
    is_edited = bool(road) and road[0].takes is not CUDA_TILE
    verifies_levels = is_edited or observe_levels is not None
    last = road[-1].label if road else None
    followers: list[Follower] = [_Verification(verify_each, verifies_levels, last)]
    if observe is not None or observe_levels is not None:
        followers.append(_Observation(observe, observe_levels))
    if record is not None:
        record.start(module)
        followers.append(record)
    walk(context, module, road, options, followers)


@dataclass(frozen=True)
class _Verification(Follower):
    """Verifies the module after the last pass, after each level, or after each pass."""

    each: bool
    levels: bool
    last: str | None

    def after(self, step: Step, module: ModuleOp, *, ran: bool, ends_level: bool) -> None:
        # A pass that does not run leaves the module as it was verified.
        changes = self.each and (ran or ends_level)
        if changes or step.label == self.last or (ends_level and self.levels):
            verify_module(module)
            check_legal(module, step.level)


@dataclass(frozen=True)
class _Observation(Follower):
    """Calls observers with the module."""

    observe: Observer | None
    observe_levels: LevelObserver | None

    def after(self, step: Step, module: ModuleOp, *, ran: bool, ends_level: bool) -> None:
        if self.observe is not None:
            self.observe(step.module_pass, module)

    def reached(self, level: Level, module: ModuleOp) -> None:
        if self.observe_levels is not None:
            self.observe_levels(level, module)


def lower(
    context: Context,
    module: ModuleOp,
    level: str,
    *,
    gpu: str,
    file: str,
    options: Options = DEFAULT_OPTIONS,
    observe: Observer | None = None,
    verify_each: bool = False,
) -> Lowered:
    """Lowers `module` in place to a level of `OUTPUTS`, calling `observe` after every pass.

    The module is verified after all passes, with `verify_each` after each pass.

    Raises InputError for an unknown GPU, a level above that of the module, and unsupported options.
    InputError is also raised if a pass or the PTX printer rejects the module.
    """
    at = checked_level(module, file)
    if OUTPUTS.index(level) < OUTPUTS.index(at.name):
        raise InputError(file, f"the program is at level {at.name}, below {level}")
    with errors_in(file, UnknownTargetError), collecting_seldom():
        gpu = get_target(gpu).name
        road = begun_road(module, at, level, gpu, options)
        run_steps(context, module, road, options, observe=observe, verify_each=verify_each)
        return Lowered(module, ptx.emit(module, gpu) if level == PTX else None)
