"""The pass pipelines ("roads") from `cuda_tile` to `llvm` as data, for GPUs and processors, and the
function that runs them.

`steps` returns the passes for a target and options, including passes of extensions. `walk` runs
passes on a module; compilation, checks and reports hook in as a `Follower`.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from traceback import extract_tb

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr, UnitAttr
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import DiagnosticException, PassFailedException

from tileir_xdsl.dialects.nv_tileaa.core import FuncOp, cluster_shape
from tileir_xdsl.dialects.source_locations import LINE_INFO_ATTRIBUTE
from tileir_xdsl.dialects.target_attributes import ABI_ATTRIBUTE
from tileir_xdsl.levels import CPU_LEVELS, LEVELS, Level, check_legal, check_level, level_of
from tileir_xdsl.nesting import levels_in, make_room, room_for
from tileir_xdsl.options import DEFAULT_OPTIONS, OptionError, Options
from tileir_xdsl.passes import PASSES, PRODUCE, Promise
from tileir_xdsl.targets import DEFAULT_TARGET
from tileir_xdsl.targets.cpu import is_cpu
from tileir_xdsl.verification import verify_module
from tileir_xdsl.walking import ops_in

from .function_pass import SkippingRunner
from .pipeline_progress import (
    check_extensions,
    first_to_run,
    forget_progress,
    labels_of,
    note_progress,
)
from .pipeline_step import Step, step_of
from .resource_ladder import climbing


@dataclass(frozen=True)
class _Place:
    """A pass on the road: the condition under which it is included, and its options."""

    name: str
    when: Callable[[Options], bool] = lambda options: True
    given: Callable[[str, Options], Mapping[str, object]] = lambda gpu, options: {}
    among: Callable[[Options], frozenset[str] | None] = lambda options: None
    """Overrides the ops of the pass: it is skipped if a module has none of them."""


def _improves(options: Options) -> bool:
    return options.opt_level > 0


def _stages(gpu: str, options: Options) -> Mapping[str, object]:
    return {} if options.stages is None else {"num_stages": options.stages}


def _kernel_facts(gpu: str, options: Options) -> Mapping[str, object]:
    return {
        "compute_capability": gpu,
        "num_warps": options.warps,
        "num_ctas": options.ctas,
        "occupancy": options.occupancy,
    }


ROAD: tuple[_Place, ...] = (
    _Place("convert-cuda-tile-to-tileaa", given=_kernel_facts),
    _Place("canonicalize", _improves),
    _Place("tileas-plan-cta", _improves),
    # At every level: without slices a large tile does not compile at all.
    _Place("tileas-slice-and-fuse"),
    # ConvertTileASToLLVMPass reads four bits from shared memory two to a byte alone.
    _Place("convert-tileaa-to-tileas", given=lambda gpu, options: {"packed_scaled_mma": True}),
    # Before the folds, which see in each iteration of a loop what it takes of a tile.
    _Place("tileas-slicing"),
    _Place("tileas-canonicalize"),
    # Before pipelines are made, which then run on from one tile block into the next.
    _Place("tileas-dynamic-persistent", lambda options: options.dynamic_persistent),
    _Place(
        "tileas-plan-tensor-maps",
        _improves,
        lambda gpu, options: {"device_tensor_maps": options.device_tensor_maps},
    ),
    # Matrix instructions dictate their layouts; those of accesses are chosen to suit them.
    _Place("tileas-assign-dot-layouts"),
    _Place("tileas-assign-load-store-layouts"),
    _Place("tileas-remove-layout-conversions", _improves),
    _Place("tileas-remove-buffer-alias", _improves),
    _Place("tileas-remove-dead-args", _improves),
    _Place("tileas-resolve-agent-boundary", _improves),
    _Place("tileas-slicing", _improves),
    _Place("tileas-canonicalize", _improves),
    _Place("lower-tma-load-store-to-async"),
    # Loads of loops go through pipelines. First, as stages get the shared memory that conversions
    # leave:
    _Place("tileas-materialize-convert-layout", _improves),
    _Place("tileas-materialize-async", _improves, _stages),
    _Place("tileas-generate-schedule", _improves),
    _Place(
        "tileas-materialize-schedule",
        _improves,
        lambda gpu, options: (
            {} if options.strategy is None else {"pipeline_strategy": options.strategy}
        ),
        # Only who asks for agents is told why there are none.
        lambda options: frozenset(PRODUCE) if options.strategy is None else None,
    ),
    _Place("tileas-unspecialized-pipeline", _improves),
    _Place("tileas-optimize-pipeline-region", _improves),
    # Loops that the schedule has cut in two forward what stages hold; a view of a stage stays.
    _Place("tileas-remove-buffer-alias", _improves),
    # An agent carries through its loops only what its own ops need.
    _Place("tileas-remove-dead-args", _improves),
    # Tiles were made before the agents that use them.
    _Place("tileas-resolve-agent-boundary", _improves),
    _Place("tileas-canonicalize", _improves),
    # Pairs of CTAs execute MMAs on stages that agents fill.
    _Place("tileas-select-cta-group", _improves, _stages),
    # Before warps are dealt to the agents: it makes one more of these.
    _Place("tileas-overlap-epilogue", _improves),
    # Agents may also come from the program itself, so this is needed in any case.
    _Place("optimize-execution-unit-mapping"),
    # After pipelines have taken the loads that they start early.
    _Place("lower-ldgsts-load-to-async"),
    # After agents are formed, which would have to pass new arguments on.
    _Place("tileas-attach-tma-desc-args"),
    _Place("tileas-legalize-tmem-copy"),
    # Before memory is allocated, which exchanges between layouts may need.
    _Place(
        "tileas-select-lowering",
        given=lambda gpu, options: {"extensions": options.extensions} if options.extensions else {},
    ),
    # After everything that makes buffers or changes how long they live.
    _Place("tileas-allocate-shared-memory"),
    _Place("tileas-allocate-tensor-memory"),
    # After allocation, since memory that is reused needs barriers as well.
    _Place("tileas-insert-barriers"),
    _Place("convert-tileas-to-llvm"),
)
"""The passes in their order; optimization level 0 leaves out those that only improve code."""

CPU_ROAD: tuple[_Place, ...] = (
    _Place("convert-cuda-tile-to-tileaa"),
    _Place("canonicalize"),
    _Place("tilecpu-group", given=lambda gpu, options: {"gpu": gpu}),
    _Place("convert-tileaa-to-tilecpu"),
    _Place("tilecpu-assign-buffers"),
    _Place("convert-tilecpu-to-llvm"),
)
"""The passes for processors; at optimization level 0 LLVM improves nothing."""


def steps(gpu: str = DEFAULT_TARGET, options: Options = DEFAULT_OPTIONS) -> tuple[Step, ...]:
    """The road for a target, with the passes of the extensions in the options.

    Raises OptionError for an unknown extension, or an unknown place of a pass.
    """
    places = CPU_ROAD if is_cpu(gpu) else ROAD
    road = labelled([_step(place, gpu, options) for place in places if place.when(options)])
    if not options.extensions:
        return road
    # Only compilations with extensions import them.
    placing = importlib.import_module("tileir_xdsl.transforms.placed_passes")
    return placing.with_extensions(road, options.extensions)


def _step(place: _Place, gpu: str, options: Options) -> Step:
    step = step_of(place.name, PASSES[place.name], place.given(gpu, options))
    return replace(step, op_names=place.among(options) or step.op_names)


def labelled(road: Sequence[Step]) -> tuple[Step, ...]:
    """The steps with unique names."""
    labels = labels_of([step.name for step in road])
    return tuple(replace(step, place=label) for step, label in zip(road, labels, strict=True))


def passes(gpu: str = DEFAULT_TARGET, options: Options = DEFAULT_OPTIONS) -> tuple[ModulePass, ...]:
    """The passes of the pipeline for a target, in order."""
    return tuple(s.module_pass for s in steps(gpu, options))


def remaining(
    module: ModuleOp, gpu: str = DEFAULT_TARGET, options: Options = DEFAULT_OPTIONS
) -> Sequence[Step]:
    """The steps that are still to run on a module, from `from_pass` of the options on.

    Without `from_pass`, the steps after the last pass in the module's attribute, or all steps from
    the module's level on.

    Raises OptionError for a pass that is not on the road, an option that is already decided, or a
    missing extension of the module. Raises PassFailedException if an op of the module is of another
    level than the first step.
    """
    check_extensions(module, options.extensions)
    road = steps(gpu, options)
    first = first_to_run(module, [step.label for step in road], options.from_pass)
    if first is None:
        levels = CPU_LEVELS if is_cpu(gpu) else LEVELS
        level = levels.index(level_of(module, levels))
        return [step for step in road if levels.index(step.level) >= level]
    rest = road[first:]
    if rest:
        check_level(module, rest[0].takes, rest[0].label)
    given = options.given()
    for step in road[:first]:
        if step.decides in given:
            message = f"is decided by {step.label}, which has run"
            raise OptionError(step.decides, given[step.decides], message)
    return rest


def first_choice(road: Sequence[Step]) -> int:
    """The index of the first step that spends registers and memory, to which a rung of
    `ResourceLadder` returns.
    """
    numbers = (n for n, s in enumerate(road) if Promise.SPENDS_RESOURCES in s.promises)
    return next(numbers, len(road))


def note_options(module: ModuleOp, options: Options) -> None:
    """Sets the module attributes that passes and the PTX printer read from the options."""
    if options.abi is not None:
        module.attributes[ABI_ATTRIBUTE] = StringAttr(options.abi)
    if options.lineinfo:
        module.attributes[LINE_INFO_ATTRIBUTE] = UnitAttr()


class Follower:
    """Base of hooks that `walk` calls around passes; the methods here do nothing."""

    def before(self, step: Step, module_pass: ModulePass, module: ModuleOp) -> ModulePass:
        """Called before a pass, unless it is skipped; returns the pass to run instead."""
        return module_pass

    def after(self, step: Step, module: ModuleOp, *, ran: bool, ends_level: bool) -> None:
        """Called after every step; `ran` is false if the pass was skipped."""

    def reached(self, level: Level, module: ModuleOp) -> None:
        """Called at the end of each level."""


def walk(
    context: Context,
    module: ModuleOp,
    road: Sequence[Step],
    options: Options,
    followers: Sequence[Follower],
    run: Callable[[ModulePass], None] | None = None,
) -> None:
    """Runs the steps of a road on `module` itself, each on the functions that have its ops.

    If a kernel exceeds a resource, steps run again with other choices. `run`, if given, applies
    each pass to the whole module. At the end of each level the module's progress attribute is set.

    Raises the errors of passes and followers, and OptionError if a kernel cannot be divided among
    the CTAs of a cluster.
    """
    runner = SkippingRunner(context, module)

    def run_step(number: int) -> None:
        step = road[number]
        forget_progress(module)
        runs = runner.may_change(step.op_names)
        if runs:
            module_pass = step.module_pass
            for follower in followers:
                module_pass = follower.before(step, module_pass, module)
            with _blamed(step) if step.extension else nullcontext():
                if run is None:
                    runner(module_pass)
                else:
                    run(module_pass)
                    runner.index.forget_all()
            if step.extension:
                _verify(step, module)
        if Promise.DIVIDES_CLUSTERS in step.promises:
            _check_clusters(module, options)
        ends_level = number + 1 == len(road) or road[number + 1].level is not step.level
        if ends_level:
            # Code after a branch that leaves early is nested in one from here on.
            make_room(levels_in(module))
        for follower in followers:
            follower.after(step, module, ran=runs, ends_level=ends_level)
        if ends_level:
            note_progress(module, step.label, options.extensions)
            for follower in followers:
                follower.reached(step.level, module)

    with room_for(levels_in(module)):
        climbing(module, len(road), first_choice(road), run_step)


@contextmanager
def _blamed(step: Step) -> Generator[None]:
    """Turns an unexpected exception in a pass of an extension into an error that names the pass."""
    try:
        yield
    except (DiagnosticException, OptionError, MemoryError):
        raise
    # The code of others may raise anything.
    except Exception as error:
        frame = extract_tb(error.__traceback__)[-1]
        message = f"pass '{step.name}' of extension '{step.extension}' ends with "
        place = f" ({Path(frame.filename).name}, line {frame.lineno})"
        message += f"{type(error).__name__}: {error}{place}"
        raise PassFailedException(message) from error


def _verify(step: Step, module: ModuleOp) -> None:
    """Verifies the output of a pass of an extension, so that errors do not appear in later
    passes.
    """
    try:
        verify_module(module)
        check_legal(module, step.level)
    except DiagnosticException as error:
        # In the message, as a terminal shows no notes.
        error.args = (f"pass '{step.name}' leaves invalid IR: {error}",)
        raise


def _check_clusters(module: ModuleOp, options: Options) -> None:
    """Raises OptionError for a kernel that cannot be divided among the CTAs that the options
    request.
    """
    if options.ctas is None:
        return
    for op in ops_in(module):
        if isinstance(op, FuncOp) and op.kernel_spec is not None:
            used = math.prod(cluster_shape(op))
            if used != options.ctas:
                can = "cannot be divided among CTAs" if used == 1 else f"has tiles for {used} CTAs"
                message = f"kernel '{op.sym_name.data}' {can}"
                raise OptionError("ctas", options.ctas, message)
