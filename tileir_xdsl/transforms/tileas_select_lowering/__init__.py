"""`tileas-select-lowering`: chooses the strategy by which each op is lowered.

    %q = arith.divsi %a, %seven : tensor<256xi32, #L>
    %r = nv_tileas.convert_layout %q : tensor<256xi32, #L> -> tensor<256xi32, #M>
    // becomes
    %q = arith.divsi %a, %seven {nv_tileas.strategy = #nv_tileas.strategy<reciprocal>} : ..
    %r = nv_tileas.shuffle %q : ..

Each family of ops has a table of strategies. A row states when a strategy is possible, its cost,
and its source. An attribute of the op names the cheapest strategy, and `convert-tileas-to-llvm`
follows it. An op with such an attribute keeps it, so that strategies can be chosen by hand. A
layout conversion by shuffles becomes `nv_tileas.shuffle`; other conversions get an `atom_plan`. A
range becomes `nv_tileas.generate`, and a reduction gets the number of lanes that it combines
(`reduce_atom`). Masks that only ops after tested powers of two use move after these.

First, calls are inlined, and asynchronous ops without hardware support expanded: the resulting ops
need strategies too. Memory is allocated in a later pass, as exchanges through shared memory need
some.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tileir_xdsl.dialects.nv_tileaa.collectives import ReductionOp
from tileir_xdsl.dialects.nv_tileaa.core import FuncOp, MakeRangeOp
from tileir_xdsl.dialects.nv_tileas import ConvertLayoutOp
from tileir_xdsl.dialects.target_attributes import DEFAULT_TARGET, target_around
from tileir_xdsl.explain import OperationLabels, Report, forced_ops, write_report
from tileir_xdsl.rewriting import DispatchWalker
from tileir_xdsl.targets import Target, get_target
from tileir_xdsl.transforms.function_pass import functions_in
from tileir_xdsl.transforms.pipeline_progress import extension_names

from .exchanges import AssignReduceAtom, ShuffleInWarps
from .late_masks import compute_masks_late
from .preparation import prepare
from .ranges import GenerateRange
from .selection import WriteStrategies, has_strategies, report_lowering, select_lowering


@dataclass(frozen=True)
class TileASSelectLoweringPass(ModulePass):
    """Selects strategies for the ops of kernels."""

    name = "tileas-select-lowering"

    explain: str | None = None
    """The text or `.json` file for a report of strategies and costs."""
    force: str | None = None
    """The forced strategies, e.g. `#4=reciprocal, kernel#7=shuffle`; the numbers are the
    report's.
    """
    extensions: tuple[str, ...] = ()
    """The extensions whose strategies are further candidates."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        prepare(op)
        extensions = extension_names(self.extensions) if self.extensions else ()
        functions = list(functions_in((op,)))
        is_named = self.explain is not None or self.force is not None
        # Numbering the ops of every function takes as long as the plans.
        labels = {function: OperationLabels(function) for function in functions if is_named}
        forced = forced_ops(self.force, labels, has_strategies)
        report = Report(self.name)
        forms = DispatchWalker(
            {
                ConvertLayoutOp: ShuffleInWarps(),
                MakeRangeOp: GenerateRange(),
                ReductionOp: AssignReduceAtom(),
            }
        )
        for function in functions:
            plan = select_lowering(function, target_of(function), forced, extensions)
            if self.explain is not None:
                report_lowering(plan, report, function.sym_name.data, labels[function])
            WriteStrategies(plan).execute(function)
            forms.rewrite(function)
            compute_masks_late(plan)
        if self.explain is not None:
            write_report(report, self.explain)


def target_of(function: FuncOp) -> Target:
    """The target that a function is compiled for."""
    return target_around(function) or get_target(DEFAULT_TARGET)
