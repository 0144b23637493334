"""Work of the thread that issues `tcgen05` MMAs, done in advance for later ops."""

from dataclasses import dataclass, field

from xdsl.ir import Operation, SSAValue


@dataclass
class IssuedMMAs:
    """Ops whose work is done, or partly done, in advance."""

    released: set[Operation] = field(default_factory=set[Operation])
    """Releases of stages that the hardware executes when an earlier MMA completes."""
    committed: set[SSAValue] = field(default_factory=set[SSAValue])
    """Accumulators whose MMA is committed to their barrier; threads have yet to arrive."""
    done: set[SSAValue] = field(default_factory=set[SSAValue])
    """Accumulators that have been waited for."""
