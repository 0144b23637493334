"""The plan of a whole module, made before anything is changed."""

from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.dialects import nv_tileaa

from .loops import ATTRIBUTE, plan_loop
from .plan import SlicingPlan
from .supported import Callees


def plan_slicing(module: ModuleOp) -> SlicingPlan:
    """The plans of all loops of a module that carry `sliceCount`.

    Raises:
        PassFailedException: one of them cannot be sliced; the text is that of the first.
    """
    sliced = [
        op for op in module.walk() if isinstance(op, scf.ForOp) and ATTRIBUTE in op.attributes
    ]
    if not sliced:
        return SlicingPlan({}, frozenset())
    returned = frozenset(
        value
        for op in module.walk()
        if isinstance(op, func.ReturnOp | nv_tileaa.ReturnOp)
        for value in op.operands
    )
    callees = Callees()
    return SlicingPlan(
        {loop: plan_loop(loop, callees, returned) for loop in sliced},
        frozenset(op for loop in sliced for op in loop.body.walk()),
    )
