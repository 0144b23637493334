"""`tileir-pipeline`: the whole road, from `cuda_tile` to `llvm` and `nvvm`.

`tileir-pipeline{gpu=sm_90a}` runs the passes that `passes` lists, each of which can be run alone
with `xdsl-opt -p`. Between levels it checks that only legal ops are left, and that views are
unchanged when layouts are assigned. `xdsl-opt` sees each of them: it verifies the module after
every pass, and `--print-between-passes` and `--time-passes` show them all. The time of
`tileir-pipeline` itself is only that after the last pass. A pass is run on those functions alone
that have one of its ops. The target stays on the module for `-t ptx`. With `lineinfo=true` the PTX
also tells from which lines of the source its instructions come, as far as the ops of the input have
locations. With `dynamic-persistent=true` tile blocks go on with others of the grid that have not
started. `probe` and `probe-executions` are those of `convert-tileas-to- llvm`: which ops leave
their registers in a buffer alongside the results. The other options are those of
`tileir_xdsl.options`.
"""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr, UnitAttr
from xdsl.passes import ModulePass, PassPipeline, PassPipelineCallbackType
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.dialects.source_locations import LINE_INFO_ATTRIBUTE
from tileir_xdsl.dialects.target_attributes import ABI_ATTRIBUTE
from tileir_xdsl.levels import (
    CUDA_TILE,
    LEVELS,
    LLVM,
    NV_TILEAA,
    NV_TILEAS,
    Level,
    ViewAccess,
    check_legal,
    check_level,
    check_view_accesses,
    level_of,
    view_accesses,
)
from tileir_xdsl.options import DEFAULT_OPTIONS, OptionError, Options
from tileir_xdsl.passes import (
    ASSIGN_LOAD_STORE_LAYOUTS,
    CANONICALIZE,
    CONVERT_TO_LLVM,
    CONVERT_TO_TILEAA,
    CONVERT_TO_TILEAS,
    PASSES,
    PLAN_CTA,
    PRODUCE,
    SLICE_AND_FUSE,
)
from tileir_xdsl.targets import DEFAULT_TARGET, Target, UnknownTargetError, get_target

from .function_pass import SkippingRunner
from .pipeline_progress import first_to_run, forget_progress, labels_of, note_progress
from .resource_ladder import climbing


@dataclass(frozen=True)
class Step:
    """One pass of the pipeline, imported when it is to run, and the level of its output."""

    name: str
    level: Level
    make: Callable[[], ModulePass]
    op_names: frozenset[str] | None = None
    """A module without any of these ops stays as it is; None if the pass is to be asked."""
    place: str | None = None
    """Its name among the steps of a road, where that differs from the name of the pass."""

    @property
    def label(self) -> str:
        """The name that no other step of the road has, such as `tileas-canonicalize:2`."""
        return self.place or self.name

    @cached_property
    def module_pass(self) -> ModulePass:
        """The pass itself."""
        return self.make()


def _step(name: str, level: Level, **options: object) -> Step:
    """The step of a pass with these options."""
    entry = PASSES[name]
    return Step(name, level, lambda: entry.load()(**options), entry.op_names)


def steps(gpu: str = DEFAULT_TARGET, options: Options = DEFAULT_OPTIONS) -> tuple[Step, ...]:
    """The pipeline for a target; level 0 leaves out the passes that only improve code."""
    repeat = (_step("tileas-dynamic-persistent", NV_TILEAS),) if options.dynamic_persistent else ()
    maps = (
        (
            _step(
                "tileas-plan-tensor-maps", NV_TILEAS, device_tensor_maps=options.device_tensor_maps
            ),
        )
        if options.opt_level > 0
        else ()
    )
    convert = _step(
        CONVERT_TO_TILEAA,
        NV_TILEAA,
        compute_capability=gpu,
        num_warps=options.warps,
        num_ctas=options.ctas,
        occupancy=options.occupancy,
    )
    improves = options.opt_level > 0
    improve = (
        (Step("canonicalize", NV_TILEAA, lambda: CANONICALIZE.load()()), _step(PLAN_CTA, NV_TILEAA))
        if improves
        else ()
    )
    return _labelled(
        convert,
        *improve,
        # At every level: without slices a large tile does not compile at all.
        _step(SLICE_AND_FUSE, NV_TILEAA),
        # ConvertTileASToLLVMPass reads four bits from shared memory two to a byte alone.
        _step(CONVERT_TO_TILEAS, NV_TILEAS, packed_scaled_mma=True),
        *slice_cleanup(),
        # Before pipelines are made, which then run on from one tile block into the next.
        *repeat,
        *maps,
        # Matrix instructions dictate their layouts; those of accesses are chosen to suit them.
        _step("tileas-assign-dot-layouts", NV_TILEAS),
        _step(ASSIGN_LOAD_STORE_LAYOUTS, NV_TILEAS),
        *(layout_cleanup() if improves else ()),
        _step("lower-tma-load-store-to-async", NV_TILEAS),
        *(schedule(options) if improves else ()),
        *(_cta_groups(options) if improves else ()),
        # Agents may also come from the program itself, so this is needed in any case.
        _step("optimize-execution-unit-mapping", NV_TILEAS),
        # After pipelines have taken the loads that they start early.
        _step("lower-ldgsts-load-to-async", NV_TILEAS),
        # After agents are formed, which would have to pass new arguments on.
        _step("tileas-attach-tma-desc-args", NV_TILEAS),
        _step("tileas-legalize-tmem-copy", NV_TILEAS),
        # Before memory is allocated, which exchanges between layouts may need.
        _step("tileas-select-lowering", NV_TILEAS),
        # After everything that makes buffers or changes how long they live.
        _step("tileas-allocate-shared-memory", NV_TILEAS),
        _step("tileas-allocate-tensor-memory", NV_TILEAS),
        # After allocation, since memory that is reused needs barriers as well.
        _step("tileas-insert-barriers", NV_TILEAS),
        _step(CONVERT_TO_LLVM, LLVM),
    )


def _labelled(*road: Step) -> tuple[Step, ...]:
    labels = labels_of([step.name for step in road])
    return tuple(replace(step, place=label) for step, label in zip(road, labels, strict=True))


def remaining(
    module: ModuleOp, gpu: str = DEFAULT_TARGET, options: Options = DEFAULT_OPTIONS
) -> Sequence[Step]:
    """The steps that are still to run on a module; the options may name the first.

    Else they follow on the one that the module says; without that, they begin with its level.

    Raises OptionError for a pass that the road has not and for an option that was decided before.
    Raises PassFailedException where an op of the module is of another level than the first step.
    """
    road = steps(gpu, options)
    first = first_to_run(module, [step.label for step in road], options.from_pass)
    if first is None:
        level = LEVELS.index(level_of(module))
        return [step for step in road if LEVELS.index(step.level) >= level]
    rest = road[first:]
    if rest:
        check_level(module, road[first - 1].level if first else CUDA_TILE, rest[0].label)
    given, done = options.given(), {step.name for step in road[:first]}
    for name, last in _DECIDED_BY.items():
        if name in given and last in done:
            raise OptionError(name, given[name], f"is decided by {last}, which has run")
    return rest


_DECIDED_BY = {
    "dynamic_persistent": "tileas-dynamic-persistent",
    "device_tensor_maps": "tileas-plan-tensor-maps",
    "strategy": "tileas-materialize-schedule",
    # The last of the passes that count stages.
    "stages": "tileas-select-cta-group",
}
"""The pass that an option within a level is for."""


def slice_cleanup() -> tuple[Step, ...]:
    """The passes after slicing, at every level: its slices are cut out of whole tiles, which go."""
    return (
        # Before the folds, which see in each iteration of a loop what it takes of a tile.
        _step("tileas-slicing", NV_TILEAS),
        _step("tileas-canonicalize", NV_TILEAS),
    )


def first_choice(road: Sequence[Step]) -> int:
    """The first step that spends registers and memory, which the ladder goes back to."""
    numbers = (n for n, s in enumerate(road) if s.name == SLICE_AND_FUSE)
    return next(numbers, len(road))


def note_options(module: ModuleOp, options: Options) -> None:
    """Writes on a module what its passes and the PTX printer read there."""
    if options.abi is not None:
        module.attributes[ABI_ATTRIBUTE] = StringAttr(options.abi)
    if options.lineinfo:
        module.attributes[LINE_INFO_ATTRIBUTE] = UnitAttr()


def layout_cleanup() -> tuple[Step, ...]:
    """The passes after the assignment of layouts: conversions, aliases and arguments go away."""
    return (
        _step("tileas-remove-layout-conversions", NV_TILEAS),
        _step("tileas-remove-buffer-alias", NV_TILEAS),
        _step("tileas-remove-dead-args", NV_TILEAS),
        _step("tileas-resolve-agent-boundary", NV_TILEAS),
        _step("tileas-slicing", NV_TILEAS),
        _step("tileas-canonicalize", NV_TILEAS),
    )


def schedule(options: Options = DEFAULT_OPTIONS) -> tuple[Step, ...]:
    """Loads of loops go through pipelines, and start long before their tiles are wanted."""
    stages = {} if options.stages is None else {"num_stages": options.stages}
    agents = _step("tileas-materialize-schedule", NV_TILEAS)
    if options.strategy is not None:
        agents = _step(agents.name, NV_TILEAS, pipeline_strategy=options.strategy)
    else:
        # Only who asks for agents is told why there are none.
        agents = replace(agents, op_names=frozenset(PRODUCE))
    return (
        # First, as stages get the shared memory that conversions leave.
        _step("tileas-materialize-convert-layout", NV_TILEAS),
        _step("tileas-materialize-async", NV_TILEAS, **stages),
        _step("tileas-generate-schedule", NV_TILEAS),
        agents,
        _step("tileas-unspecialized-pipeline", NV_TILEAS),
        _step("tileas-optimize-pipeline-region", NV_TILEAS),
        # Loops that the schedule has cut in two forward what stages hold; a view of a stage stays.
        _step("tileas-remove-buffer-alias", NV_TILEAS),
        # An agent carries through its loops only what its own ops need.
        _step("tileas-remove-dead-args", NV_TILEAS),
        # Tiles were made before the agents that use them.
        _step("tileas-resolve-agent-boundary", NV_TILEAS),
        _step("tileas-canonicalize", NV_TILEAS),
    )


def _cta_groups(options: Options) -> tuple[Step, ...]:
    """Pairs of CTAs execute MMAs on stages that agents fill, so this comes after pipelines and
    agents.
    """
    stages = {} if options.stages is None else {"num_stages": options.stages}
    return (
        _step("tileas-select-cta-group", NV_TILEAS, **stages),
        # Before warps are dealt to the agents: it makes one more of these.
        _step("tileas-overlap-epilogue", NV_TILEAS),
    )


def passes(gpu: str = DEFAULT_TARGET, options: Options = DEFAULT_OPTIONS) -> tuple[ModulePass, ...]:
    """The passes of the pipeline, in order."""
    return tuple(s.module_pass for s in steps(gpu, options))


@dataclass(frozen=True)
class TileIRPipelinePass(ModulePass):
    """Compiles all kernels of a module for one target."""

    name = "tileir-pipeline"

    gpu: str = DEFAULT_TARGET
    """The target, such as `sm_100a`."""
    opt_level: int = 3
    warps: int | None = None
    stages: int | None = None
    ctas: int | None = None
    strategy: str | None = None
    occupancy: int | None = None
    dynamic_persistent: bool = False
    lineinfo: bool = False
    abi: str | None = None
    device_tensor_maps: bool | None = None
    from_pass: str | None = None
    probe: tuple[int, ...] = ()
    """As for `convert-tileas-to-llvm`."""
    probe_executions: tuple[int, ...] = ()
    """As for `convert-tileas-to-llvm`."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target, options = self._checked()
        note_options(op, options)
        run, callback = self.pass_runner(ctx, op), running_callback()
        accesses: list[ViewAccess] = []
        try:
            road = self._probed(remaining(op, target.name, options))
        except OptionError as error:
            raise PassFailedException(str(error)) from error

        def run_step(number: int) -> None:
            step = road[number]
            forget_progress(op)
            if step.name == ASSIGN_LOAD_STORE_LAYOUTS:
                # Here for the last time views are what the program made them.
                check_view_accesses(op, accesses)
            run(step.module_pass)
            check_legal(op, step.level)
            if callback is not None:
                following = road[number + 1].module_pass if number + 1 < len(road) else self
                callback(step.module_pass, op, following)
            if step.level is NV_TILEAA:
                accesses[:] = view_accesses(op)

        climbing(op, len(road), first_choice(road), run_step)
        if road:
            note_progress(op, road[-1].label)

    def _probed(self, road: Sequence[Step]) -> Sequence[Step]:
        """The steps with the probes of the last conversion, if there are any."""
        if not self.probe or not road:
            return road
        *before, last = road
        assert last.name == CONVERT_TO_LLVM
        probes = {"probe": self.probe, "probe_executions": self.probe_executions}
        return [*before, _step(last.name, last.level, **probes)]

    def _checked(self) -> tuple[Target, Options]:
        try:
            target = get_target(self.gpu)
            given = {field.name: getattr(self, field.name) for field in fields(Options)}
            options = Options(**given)
            options.check(target)
        except (UnknownTargetError, OptionError) as error:
            raise PassFailedException(str(error)) from error
        return target, options

    def pass_runner(self, ctx: Context, module: ModuleOp) -> Callable[[ModulePass], None]:
        """A function that runs each pass on the module where it has anything to do."""
        return SkippingRunner(ctx, module)


def running_callback() -> PassPipelineCallbackType | None:
    """The callback of the xDSL pipeline that runs the current pass, if any.

    A pass is given a context and a module and nothing else, so the pipeline around it is looked up
    among the callers.
    """
    frame = inspect.currentframe()
    while frame is not None:
        if frame.f_code is PassPipeline.apply.__code__:
            pipeline: PassPipeline = frame.f_locals["self"]
            return pipeline.callback
        frame = frame.f_back
    return None
