"""The plan of a whole module, made before any change."""

from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ConsumeOp, ProduceOp
from tileir_xdsl.walking import ops_in

from .loops import ATTRIBUTE, plan_loop
from .plan import LoopPlan, SlicingPlan, StagePlan
from .stages import plan_stage
from .supported import Callees

SLICED = (
    ConsumeOp,
    ProduceOp,
    scf.ForOp,
)
"""The ops that are sliced if they have the attribute `sliceCount`."""


def plan_slicing(module: ModuleOp) -> SlicingPlan:
    """The plans of all ops of a module with the attribute `sliceCount`.

    Raises:
        PassFailedException: one of them cannot be sliced; the text is that of the first.
    """
    sliced = [op for op in ops_in(module) if isinstance(op, SLICED) and ATTRIBUTE in op.attributes]
    returned = _returned_values(module) if sliced else frozenset[SSAValue]()
    callees = Callees()
    loops: dict[scf.ForOp, LoopPlan] = {}
    stages: dict[Operation, StagePlan] = {}
    for op in sliced:
        if isinstance(op, scf.ForOp):
            # All plans first: an error must leave the module as it was.
            loops[op] = plan_loop(op, callees, returned)
        else:
            stages[op] = plan_stage(op, callees)
    inside = (inner for op in sliced for inner in ops_in(op.body))
    return SlicingPlan(loops, stages, frozenset(inside))


def _returned_values(module: ModuleOp) -> frozenset[SSAValue]:
    """The values that the functions of a module return."""
    return frozenset(
        value
        for op in ops_in(module)
        if isinstance(op, func.ReturnOp | nv_tileaa.ReturnOp)
        for value in op.operands
    )
