"""`tileas-overlap-epilogue`: the epilogue of a tile overlaps the MMAs of the next tile.

    agent_switch {num_warps = [8, 1]} {
      scf.for %tile .. {
        %c = async.to_async %zero
        %d = scf.for .. iter_args(%acc = %c) {..}    // MMAs in tensor memory
        %t = async.future_wait %d
        store ..
      }
    }, {..}
    ->
    %cols = alloc_tensor : tensor<2x128x128xf32, #nv_tileas.memory<tmem>>
    %p, %q = create_pipeline %cols {numStages = 2}
    agent_switch {num_warps = [8, 1, 1]} {
      scf.for %tile .. iter_args(%j = ..) {
        %w = consumer_wait %q, %j
        %r, %s = consumer_read %w
        %t = copy %s : tmem -> registers
        consumer_release %r
        store ..
      }
    }, {
      scf.for %tile .. iter_args(%i = ..) {
        %a = producer_acquire %p, %i
        %c = async.to_async %zero
        %d = scf.for .. iter_args(%acc = %c) {..}
        %b = producer_write %a, %d
        producer_commit %b
      }
    }, {..}

In persistent kernels, one agent issues the MMAs, and another reads accumulators from the stages of
a pipeline in tensor memory. With two stages, one accumulator is read while MMAs add to the other.
With one stage, MMAs wait until the accumulator has been read, but not until it is stored. The
number of stages depends on the free columns of tensor memory. Agents do not change if one thread
cannot issue the MMAs, or if the epilogue depends on other ops of the MMAs.

Runs after agents and pairs of CTAs are chosen, before warps are assigned.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i32
from xdsl.ir import Operation

from tileir_xdsl.analysis.allocation.allocation_requests import pipeline_request
from tileir_xdsl.analysis.values.divisibility import element_bytes
from tileir_xdsl.diagnostics import EPILOGUE_NOT_OVERLAPPED, fail, remark
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileaa.core import FuncOp
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.accumulators import ACCUMULATORS, accumulators_of
from tileir_xdsl.dialects.target_attributes import target_or_default
from tileir_xdsl.explain import OperationLabels, Report, forced_ops, write_report
from tileir_xdsl.rewriting import WriteAttributes
from tileir_xdsl.targets import Feature, Target
from tileir_xdsl.targets.throughput import throughput_of
from tileir_xdsl.transforms.function_pass import FunctionPass, functions_in

from .plan import (
    NoOverlapError,
    OverlapPlan,
    plan_overlap,
    room_for_barriers,
    stages_that_fit,
    switch_of,
)
from .rewrite import execute

NAMES = ("mmas_in_the_epilogue", "one_accumulator", "two_accumulators")
"""The names of the choices, by the number of accumulator stages; 0 keeps MMAs and epilogue in one
agent.
"""

BARRIERS = pipeline_request(len(NAMES) - 1).bytes
"""The bytes of shared memory for the mbarriers of two accumulator stages."""

SOURCE = "PTX ISA, tcgen05.ld; targets/throughput.py"


@dataclass(frozen=True)
class TileASOverlapEpiloguePass(FunctionPass):
    """Moves the MMAs of persistent kernels to a separate agent."""

    name = "tileas-overlap-epilogue"

    explain: str | None = None
    """The text or `.json` file for a report of choices and costs."""
    force: str | None = None
    """The forced choices, e.g. `#4=one_accumulator`; the numbers are the report's."""

    def apply_to(self, module: ModuleOp, scopes: Sequence[Operation]) -> None:
        target = target_or_default(module)
        functions = list(functions_in(scopes))
        is_named = self.explain is not None or self.force is not None
        labels = {function: OperationLabels(function) for function in functions if is_named}
        forced = forced_ops(
            self.force, labels, lambda op: isinstance(op, nv_tileaa.AgentLikeOpInterface)
        )
        for op, name in forced.items():
            _check_forced(op, name)
        report = Report(self.name)
        for function in functions if Feature.TCGEN05 in target.features else ():
            switch = switch_of(function)
            if switch is None or function.kernel_spec is None:
                continue
            asked = accumulators_of(switch)
            if switch in forced:
                asked = NAMES.index(forced[switch])
            choice = Choice.of(function, switch, asked, target)
            if self.explain is not None:
                choice.report(report, labels[function])
            choice.execute()
        if self.explain is not None:
            write_report(report, self.explain)


def _check_forced(op: Operation, name: str) -> None:
    if not isinstance(op, nv_tileaa.AgentLikeOpInterface):
        fail(op, f"'{op.name}' op has no choice of accumulators: only ops with agents have one")
    if name not in NAMES:
        fail(op, f"'{op.name}' op has no choice '{name}', expected one of {', '.join(NAMES)}")


@dataclass(frozen=True)
class Choice:
    """The number of accumulator stages, 0 without a separate agent, and the reason for fewer than
    two.
    """

    function: FuncOp
    switch: nv_tileaa.AgentLikeOpInterface
    target: Target
    plan: OverlapPlan | None
    fitting: int
    """The most accumulator stages that fit."""
    stages: int
    problem: str | None

    @staticmethod
    def of(
        function: FuncOp, switch: nv_tileaa.AgentLikeOpInterface, asked: int | None, target: Target
    ) -> "Choice":
        """The choice `asked`, otherwise the most stages that fit, which never cost more.

        Raises `PassFailedException` if more stages are requested than fit.
        """
        plan, problem, fitting = None, None, 0
        try:
            plan = plan_overlap(function, switch)
            fitting = stages_that_fit(function, plan)
            if room_for_barriers(function, target) < BARRIERS:
                fitting, problem = 0, "stages leave no shared memory for barriers"
            elif fitting < len(NAMES) - 1:
                columns = plan.columns(fitting + 1)
                problem = f"{fitting + 1} accumulators in turn take {columns} columns"
        except NoOverlapError as error:
            problem = str(error)
        if asked is not None and not 0 <= asked <= fitting:
            fail(switch, f"'{switch.name}' op cannot have {asked} accumulators in turn: {problem}")
        if problem is not None and asked is None:
            instead = "one accumulator is used" if fitting else "one agent does both"
            message = f"the epilogue does not run under the MMAs of the next tile: {problem}"
            remark(switch, EPILOGUE_NOT_OVERLAPPED, f"{message}; {instead}")
        stages = fitting if asked is None else asked
        return Choice(function, switch, target, plan, fitting, stages, problem)

    def execute(self) -> None:
        """Creates the agent, and sets the attribute of the switch with the number of stages."""
        if self.plan is not None and self.stages:
            execute(self.function, self.plan, self.stages)
        else:
            none = {ACCUMULATORS: IntegerAttr(0, i32)}
            WriteAttributes({self.switch: none}).execute(self.function)

    def report(self, report: Report, labels: OperationLabels) -> None:
        """Adds the choice to a report; costs are the cycles of a tile in which no MMA runs."""
        plan = self.plan
        count = 0 if plan is None else self.fitting
        costs = {} if plan is None else idle_cycles(plan, self.target)
        pruned = {name: str(self.problem) for name in NAMES[count + 1 :]}
        report.add(
            self.function.sym_name.data,
            op=labels.label(self.switch),
            strategy=NAMES[self.stages],
            costs={name: cost for name, cost in costs.items() if name not in pruned},
            pruned=pruned,
            columns={} if plan is None else {NAMES[n]: plan.columns(n) for n in (1, 2)},
            source=SOURCE,
        )


def idle_cycles(plan: OverlapPlan, target: Target) -> dict[str, int]:
    """For each choice, the cycles of a tile in which the matrix unit waits for the epilogue.

    With two stages it never waits, with one stage until the accumulator is in registers. In one
    agent it waits until the tile is in shared memory or its store is in flight.
    """
    rates = throughput_of(target)
    tiles = [tile_shape(accumulator.start.source.type) for accumulator in plan.accumulators]
    size = sum(prod(tile.shape) * element_bytes(tile.element) for tile in tiles)
    read = rates.mma_latency + size // rates.tensor_memory_bytes
    # An instruction for each element at least, and what is stored goes through shared memory.
    rest = sum(prod(t.shape) for t in tiles) // rates.arithmetic + size // rates.shared_bytes
    return dict(zip(NAMES, (read + rest, read, 0), strict=True))
