"""`tileas-select-cta-group`: chooses between MMAs of one CTA and of pairs of CTAs.

    %v = nv_tileas.async.tiled_tma_load %map, %y[%k, %j], %m {num_multicast = 2 : i32, ..}
    %d = nv_tileas.async.dot %a, %b, %c {atom = #nv_tileas<atom umma_f16_f16_f32>}
    ->
    %v = nv_tileas.async.tiled_tma_load %map, %y[%k, %j], %m {cta_group = 2 : i32, ..}
    %d = nv_tileas.async.dot %a, %b, %c {.., cta_group = 2 : i32}

`tcgen05.mma` with `.cta_group::2` computes 256 rows, half of them in each CTA of a pair. Each CTA
has half of the columns of B in its shared memory. In the type of B, a mode of stride 0 stands for
the CTA that holds an element. The first CTA of a pair waits for the stages of both CTAs, issues the
MMAs and releases the stages. A stage then takes less shared memory, so that pipelines get more
stages, and an MMA reads less.

Pairs execute all MMAs of a kernel, or none. MMAs remain of one CTA if the CTAs of a pair compute
different columns, or if threads read an accumulator before its last MMA. MMAs also remain of one
CTA if an operand is not in stages that only bulk copies fill. The pass runs after pipelines and
agents have been made. Source: PTX ISA, "tcgen05.mma", `.cta_group`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from tileir_xdsl.analysis.mma.tensor_memory_mmas import tensor_memory_mmas
from tileir_xdsl.analysis.values.divisibility import element_bytes
from tileir_xdsl.diagnostics import PAIR_NOT_HAD, fail, remark
from tileir_xdsl.dialects.nv_tileaa.core import FuncOp, cluster_shape
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.dialects.nv_tileas.cta_groups import PAIR
from tileir_xdsl.dialects.resource_attributes import STAGES_ATTRIBUTE, asked_integer
from tileir_xdsl.dialects.target_attributes import target_or_default
from tileir_xdsl.explain import OperationLabels, Report, forced_ops, write_report
from tileir_xdsl.targets import Feature, Target
from tileir_xdsl.targets.throughput import throughput_of
from tileir_xdsl.transforms.function_pass import FunctionPass, functions_in
from tileir_xdsl.transforms.tileas_materialize_async.stage_counts import MOST_STAGES
from tileir_xdsl.walking import ops_in

from .pairing import NoPairError, Pairing, pairing_of, stages_of
from .rewrite import execute

ONE, TWO = "one_cta", "pair_of_ctas"
"""The names of the choices."""

SOURCE = "PTX ISA, tcgen05.mma, .cta_group"
HALF_BYTES = 2
"""The bytes of the elements for which the table of throughputs states the MMA rate."""


@dataclass(frozen=True)
class TileASSelectCTAGroupPass(FunctionPass):
    """Chooses between MMAs of one CTA and of pairs of CTAs."""

    name = "tileas-select-cta-group"

    num_stages: int | None = None
    """The most stages of a pipeline; by default, enough to hide memory latency."""
    explain: str | None = None
    """The text or `.json` file for a report of choices and costs."""
    force: str | None = None
    """The forced choices, e.g. `#4=one_cta`; the numbers are the report's. One named MMA forces all
    MMAs of its kernel.
    """

    def apply_to(self, module: ModuleOp, scopes: Sequence[Operation]) -> None:
        target = target_or_default(module)
        functions = list(functions_in(scopes))
        is_named = self.explain is not None or self.force is not None
        labels = {function: OperationLabels(function) for function in functions if is_named}
        forced = forced_ops(self.force, labels, lambda op: isinstance(op, MMAOp))
        for op, name in forced.items():
            _check_forced(op, name)
        report = Report(self.name)
        for function in functions if Feature.TCGEN05 in target.features else ():
            mmas = tensor_memory_mmas(ops_in(function))
            # Written by hand: existing attributes are intended.
            if not mmas or any(mma.cta_group is not None for mma in mmas):
                continue
            named = {op: name for op, name in forced.items() if op in mmas}
            choice = Choice.of(function, mmas, target, named, self._most_stages(function))
            if self.explain is not None:
                choice.report(report, labels[function])
            choice.execute()
        if self.explain is not None:
            write_report(report, self.explain)

    def _most_stages(self, function: FuncOp) -> int:
        asked = asked_integer(function, STAGES_ATTRIBUTE)
        given = (MOST_STAGES, self.num_stages, asked)
        return max(1, min(number for number in given if number is not None))


def _check_forced(op: Operation, name: str) -> None:
    if not isinstance(op, MMAOp):
        fail(op, f"'{op.name}' op has no choice between one CTA and a pair: only MMAs have one")
    if name not in (ONE, TWO):
        fail(op, f"'{op.name}' op has no choice '{name}', expected one of {ONE}, {TWO}")


@dataclass(frozen=True)
class Choice:
    """The choice for the MMAs of a function, and the reason."""

    function: FuncOp
    mmas: Sequence[MMAOp]
    target: Target
    most_stages: int
    pairing: Pairing | None
    """The changes for MMAs of pairs; None for MMAs of one CTA."""
    problem: str | None
    """The reason why MMAs of pairs are impossible, or None."""

    @staticmethod
    def of(
        function: FuncOp,
        mmas: Sequence[MMAOp],
        target: Target,
        forced: Mapping[Operation, str],
        most_stages: int,
    ) -> "Choice":
        """The forced choice, otherwise pairs if possible, as these never cost more.

        Raises `PassFailedException` if pairs are forced but impossible.
        """
        pairing, problem = None, None
        try:
            pairing = pairing_of(function, mmas, target)
        except NoPairError as error:
            problem = str(error)
            for op, name in forced.items():
                if name == TWO:
                    fail(op, f"'{op.name}' op cannot be issued for a pair of CTAs: {problem}")
            # A kernel that asks for clusters expects shared operands to be in memory once.
            if cluster_shape(function)[0] > 1:
                remark(function, PAIR_NOT_HAD, f"each CTA of a cluster multiplies alone: {problem}")
        if ONE in forced.values():
            pairing = None
        return Choice(function, mmas, target, most_stages, pairing, problem)

    def execute(self) -> None:
        """Applies the choice to the function."""
        if self.pairing is not None:
            execute(self.function, self.pairing, stages_of(self.pairing, self.most_stages))

    def report(self, report: Report, labels: OperationLabels) -> None:
        """Adds the choice to a report, for each MMA."""
        for mma in self.mmas:
            costs = {ONE: cycles(mma, self.target, 1)}
            if self.problem is None:
                costs[TWO] = cycles(mma, self.target, PAIR)
            report.add(
                self.function.sym_name.data,
                op=labels.label(mma),
                strategy=ONE if self.pairing is None else TWO,
                costs=costs,
                pruned={} if self.problem is None else {TWO: self.problem},
                **self._stages(),
                source=SOURCE,
            )

    def _stages(self) -> dict[str, int]:
        """The bytes and the number of stages, for the report."""
        if self.pairing is None:
            return {}
        stages = stages_of(self.pairing, self.most_stages)
        return {
            "stage_bytes_before": sum(before for before, _ in self.pairing.bytes.values()),
            "stage_bytes": sum(now for _, now in self.pairing.bytes.values()),
            "stages": min(stages.values()),
        }


def cycles(mma: MMAOp, target: Target, ctas: int) -> int:
    """The cycles of an MMA in each CTA, bound by the matrix unit or by shared memory.

    Shared memory is written by copies of the operands, and read by the MMA.
    """
    rates = throughput_of(target)
    a, b = tile_shape(mma.a.type), tile_shape(mma.b.type)
    size = element_bytes(a.element)
    multiply = prod(a.shape) * b.shape[-1] * size // (HALF_BYTES * rates.mma_macs_of_16_bits)
    # Each CTA of a pair has its rows of A, and half of B for both.
    held = (prod(a.shape) + prod(b.shape) // ctas) * size
    return max(multiply, 2 * held // rates.shared_bytes)
