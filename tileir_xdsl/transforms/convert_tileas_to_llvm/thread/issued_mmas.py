"""What the thread that issues products in tensor memory has done for ops that follow."""

from dataclasses import dataclass, field

from xdsl.ir import Operation, SSAValue


@dataclass
class IssuedMMAs:
    """Ops for which nothing, or less, is left to do."""

    released: set[Operation] = field(default_factory=set[Operation])
    """Releases of stages that the hardware carries out when a product before is done."""
    committed: set[SSAValue] = field(default_factory=set[SSAValue])
    """Sums whose product arrives at the barrier when it is done; threads have to arrive yet."""
    done: set[SSAValue] = field(default_factory=set[SSAValue])
    """Sums that have been waited for."""
