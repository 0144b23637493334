"""Facts about a function before its ops are lowered."""

from dataclasses import dataclass

from tileir_xdsl.analysis.allocation.shared_memory_allocation import SharedMemory
from tileir_xdsl.analysis.allocation.tensor_memory_allocation import TensorMemoryAllocation
from tileir_xdsl.targets import Target

from .module_variables import Variables


@dataclass(frozen=True)
class FunctionFacts:
    """The target of a function, and what passes have decided for all of it."""

    target: Target
    variables: Variables
    """The variables of the module that the function uses; ops add theirs."""
    shared_allocation: SharedMemory
    """The offsets of buffers, mbarriers and scratch memory in shared memory."""
    columns: TensorMemoryAllocation
    """Where accumulators are in tensor memory; a register of each says whether it is
    initialised.
    """
    cluster: tuple[int, int]
    """The CTAs that execute a tile block together: along the rows of dots, along columns."""
    has_pairs: bool = False
    """Whether MMAs in tensor memory are of pairs of CTAs, issued by the first one of each."""
    mma_warpgroups: int = 1
    """The warpgroups that each issue the MMAs of their own rows; 1 where one thread issues all."""
    warpgroup_barrier: int = 0
    """The named barrier of the first of these warpgroups; the barriers of the others follow."""
    notes_wavefronts: bool = False
    """Whether shared-memory accesses are annotated with their expected wavefronts per warp."""
