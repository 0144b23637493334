"""Divides one kernel among the CTAs of a cluster, or reports why not."""

from tileir_xdsl.diagnostics import HINT_NOT_HAD, remark
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.target_attributes import target_around as module_target
from tileir_xdsl.explain import Report
from tileir_xdsl.rewriting import DispatchWalker

from .plan import plan
from .rewrite import SetClusterShape, execute


def divide(function: nv_tileaa.FuncOp, clusters: int, report: Report) -> None:
    """Divides a kernel among the CTAs of clusters of at most this size, if possible."""
    name, target = function.sym_name.data, module_target(function)
    # Every CTA would load all of the shared operand itself: smaller tiles, and nothing saved.
    if target is not None and not target.copies_to_clusters:
        found = f"{target.name} does not load for several thread blocks at once"
    else:
        found = plan(function, clusters)
    if isinstance(found, str):
        instead = f"{found}: the kernel runs without clusters"
        remark(function, HINT_NOT_HAD, f"num_cta_in_cga of {clusters}: {instead}")
        report.add(name, remark=instead)
        DispatchWalker({nv_tileaa.FuncOp: SetClusterShape(None)}).rewrite(function)
        return
    rows, columns = found.shape
    if rows * columns < clusters:
        message = f"num_cta_in_cga of {clusters} is reduced to {rows * columns}: smaller parts of a"
        remark(function, HINT_NOT_HAD, f"{message} tile are less than an instruction multiplies")
    report.add(name, parts_of_rows=rows, parts_of_columns=columns)
    execute(function, found)
