"""The choice of the threads that execute a loop of `tcgen05` MMAs: all, or the one that issues the
MMAs.
"""

from dataclasses import dataclass
from functools import cached_property

from xdsl.dialects import scf
from xdsl.ir import Operation

from tileir_xdsl.analysis.mma.mma_loops import MMALoops
from tileir_xdsl.analysis.mma.tensor_memory_mmas import is_tensor_memory_mma
from tileir_xdsl.analysis.regions.scopes import function_around
from tileir_xdsl.dialects.nv_tileas.strategies import Strategy
from tileir_xdsl.targets import Target
from tileir_xdsl.walking import ops_in

from .issuers import ELECTION
from .strategies import Family, Row, always


@dataclass(frozen=True)
class MMALoop:
    """A loop of MMAs in tensor memory."""

    op: scf.ForOp
    mmas: int

    @cached_property
    def needs_other_threads(self) -> Operation | None:
        """An op of the loop that one thread cannot execute."""
        function = function_around(self.op)
        assert function is not None
        return MMALoops.of(function).needs_other_threads(self.op)


def mma_loop_of(op: Operation, _target: Target) -> MMALoop | None:
    """Facts about a loop; None if it has no MMAs in tensor memory."""
    assert isinstance(op, scf.ForOp)
    mmas = sum(map(is_tensor_memory_mma, ops_in(op.body)))
    return MMALoop(op, mmas) if mmas else None


def _needs_threads(loop: MMALoop) -> str | None:
    needing = loop.needs_other_threads
    return None if needing is None else f"one thread cannot execute '{needing.name}' op in it"


FAMILY = Family(
    mma_loop_of,
    (
        Row(
            Strategy.ONE_THREAD,
            _needs_threads,
            # Once before the loop, which counts as nothing in its iterations.
            lambda _: 0,
            "PTX ISA, tcgen05.mma, which one thread issues",
        ),
        Row(
            Strategy.ALL_THREADS,
            always,
            lambda loop: ELECTION * loop.mmas,
            "PTX ISA, elect.sync",
        ),
    ),
)
