"""What the bounds of a loop say about its iterations."""

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr


def surely_runs(op: scf.ForOp) -> bool:
    """Whether a loop has an iteration, as its constant bounds say."""
    first, last = (getattr(bound.owner, "value", None) for bound in (op.lb, op.ub))
    if not isinstance(first, IntegerAttr) or not isinstance(last, IntegerAttr):
        return False
    return first.value.data < last.value.data
