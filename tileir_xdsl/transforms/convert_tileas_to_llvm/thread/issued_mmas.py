"""Work that the lowering of a `tcgen05` MMA does in advance for later ops."""

from dataclasses import dataclass, field

from xdsl.ir import Operation, SSAValue


@dataclass
class IssuedMMAs:
    """Ops and accumulators whose work is done, or partly done, in advance."""

    released: set[Operation] = field(default_factory=set[Operation])
    """Releases of stages that the hardware executes when an earlier MMA completes."""
    committed: set[SSAValue] = field(default_factory=set[SSAValue])
    """Accumulators whose MMA is committed to an mbarrier; threads have not arrived there yet."""
    done: set[SSAValue] = field(default_factory=set[SSAValue])
    """Accumulators that threads have waited for."""
