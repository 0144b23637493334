"""`tileir-pipeline`: the whole road, from `cuda_tile` to `llvm` and `nvvm`.

`tileir-pipeline{gpu=sm_90a}` runs the passes that `passes` lists, each of which can be run alone
with `xdsl-opt -p`. Between levels it checks that only legal ops are left, and that views are
unchanged when layouts are assigned. `xdsl-opt` treats each pass like its own: it verifies the
module after every pass, and `--print-between-passes` and `--time-passes` show all passes. The time
shown for `tileir-pipeline` itself is that after the last pass. A pass runs only on functions that
have one of its ops. The module keeps an attribute with the target for `-t ptx`. With
`lineinfo=true` the PTX also tells from which lines of the source its instructions come, as far as
the ops of the input have locations. With `dynamic-persistent=true` thread blocks execute further
tile blocks that have not started. `probe` and `probe-executions` are options of
`convert-tileas-to-llvm`, which select ops whose registers the kernel also stores. The other options
are those of `tileir_xdsl.options`.
"""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass, PassPipeline, PassPipelineCallbackType
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.levels import (
    NV_TILEAA,
    ViewAccess,
    check_legal,
    check_view_accesses,
    view_accesses,
)
from tileir_xdsl.options import OptionError, Options
from tileir_xdsl.passes import Promise, takes_option
from tileir_xdsl.targets import DEFAULT_TARGET, Target, UnknownTargetError, get_target

from .pipeline_road import Follower, Step, note_options, remaining, walk


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
    extensions: tuple[str, ...] = ()
    """The extensions whose passes run, too."""
    probe: tuple[int, ...] = ()
    """As for `convert-tileas-to-llvm`."""
    probe_executions: tuple[int, ...] = ()
    """As for `convert-tileas-to-llvm`."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target, options = self._checked()
        note_options(op, options)
        try:
            road = self._probed(remaining(op, target.name, options))
            followers = [*self.followers(), _BetweenPasses(self, road)]
            walk(ctx, op, road, options, followers, self.pass_runner(ctx, op))
        except OptionError as error:
            raise PassFailedException(str(error)) from error

    def _probed(self, road: Sequence[Step]) -> Sequence[Step]:
        """The steps, with the probe options set on the pass that has them."""
        probes: dict[str, Any] = {"probe": self.probe, "probe_executions": self.probe_executions}
        return [
            replace(step, make=partial(replace, cast(Any, step.module_pass), **probes))
            if self.probe and takes_option(step.module_pass, "probe")
            else step
            for step in road
        ]

    def _checked(self) -> tuple[Target, Options]:
        try:
            target = get_target(self.gpu)
            given = {field.name: getattr(self, field.name) for field in fields(Options)}
            options = Options(**given)
            options.check(target)
        except (UnknownTargetError, OptionError) as error:
            raise PassFailedException(str(error)) from error
        return target, options

    def followers(self) -> Sequence[Follower]:
        """Further followers of the passes."""
        return ()

    def pass_runner(self, ctx: Context, module: ModuleOp) -> Callable[[ModulePass], None] | None:
        """A function that runs each pass in place of the pass itself."""
        return None


class _BetweenPasses(Follower):
    """Checks the module after each pass, and shows it to the xDSL pipeline that runs this pass."""

    def __init__(self, pipeline: ModulePass, road: Sequence[Step]):
        self._pipeline = pipeline
        self._following = dict(zip((step.label for step in road), road[1:], strict=False))
        self._callback = running_callback()
        self._accesses: list[ViewAccess] | None = None

    def before(self, step: Step, module_pass: ModulePass, module: ModuleOp) -> ModulePass:
        if Promise.CHANGES_VIEWS in step.promises and self._accesses is not None:
            # Here for the last time views are what the program made them.
            check_view_accesses(module, self._accesses)
        return module_pass

    def after(self, step: Step, module: ModuleOp, *, ran: bool, ends_level: bool) -> None:
        check_legal(module, step.level)
        if self._callback is not None:
            following = self._following.get(step.label)
            next_pass = self._pipeline if following is None else following.module_pass
            self._callback(step.module_pass, module, next_pass)
        if step.level is NV_TILEAA:
            self._accesses = view_accesses(module)


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
