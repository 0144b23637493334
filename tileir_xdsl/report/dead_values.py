"""Dead values: no visible effect of the kernel depends on them."""

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.traits import Pure

from tileir_xdsl.walking import ops_in


def dead_values(module: ModuleOp) -> list[SSAValue]:
    """The results that no live op uses, in the order of the program.

    An op is live unless it is pure and all of its results are dead.
    """
    dead_ops = set[Operation]()
    dead = list[SSAValue]()
    # Backwards: uses come after definitions, but for those around a loop, which count as live.
    for op in reversed(ops_in(module)[1:]):
        unused = [r for r in op.results if all(use.operation in dead_ops for use in r.uses)]
        dead += reversed(unused)
        if op.results and len(unused) == len(op.results) and op.has_trait(Pure):
            dead_ops.add(op)
    return dead[::-1]
