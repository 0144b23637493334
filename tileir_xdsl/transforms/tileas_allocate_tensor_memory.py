"""`tileas-allocate-tensor-memory`: assigns columns of tensor memory to accumulators and tiles.

    %acc = nv_tileas.async.to_async %zero : tile<128x64xf32> -> !async.value<tile<128x64xf32>>
    // becomes
    %acc = nv_tileas.async.to_async %zero
         {nv_tileas.tmem = #nv_tileas.allocation<offset = 0, size = 64>}
         : tile<128x64xf32> -> !async.value<tile<128x64xf32>>

A value and those it is forwarded to have the same columns; accumulators that are not live at the
same time share columns. An op with an allocation keeps it.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tileir_xdsl.analysis.allocation.tensor_memory_allocation import (
    PASS_NAME,
    TensorMemoryAllocation,
    plan_tensor_memory,
)
from tileir_xdsl.explain import OperationLabels, Report, write_report
from tileir_xdsl.rewriting import WriteAttributes
from tileir_xdsl.transforms.function_pass import functions_in


@dataclass(frozen=True)
class TileASAllocateTensorMemoryPass(ModulePass):
    """Allocates columns of tensor memory."""

    name = PASS_NAME

    explain: str | None = None
    """The text or `.json` file for a report of the columns."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        report = Report(self.name)
        for function in functions_in((op,)):
            memory = plan_tensor_memory(function)
            WriteAttributes(memory.attributes(function)).execute(function)
            if self.explain is not None:
                _report(function.sym_name.data, memory, OperationLabels(function), report)
        if self.explain is not None:
            write_report(report, self.explain)


def _report(
    name: str, memory: TensorMemoryAllocation, labels: OperationLabels, report: Report
) -> None:
    for op, allocation in memory.by_op.items():
        end = allocation.column + allocation.columns
        report.add(name, op=labels.label(op), columns=f"{allocation.column} to {end - 1}")
