"""Facts about a function before its ops are lowered."""

from dataclasses import dataclass

from tileir_xdsl.analysis.allocation.shared_memory_allocation import SharedMemory
from tileir_xdsl.analysis.allocation.tensor_memory_allocation import TensorMemoryAllocation
from tileir_xdsl.targets import Target

from .module_variables import Variables


@dataclass(frozen=True)
class FunctionFacts:
    """The target of a function, and decisions of passes for the whole function."""

    target: Target
    variables: Variables
    """The module-level variables of the function; the lowerings of ops add theirs."""
    shared_allocation: SharedMemory
    """The offsets of buffers, mbarriers and scratch memory in shared memory."""
    columns: TensorMemoryAllocation
    """The columns of accumulators in tensor memory; a register per accumulator says whether it is
    initialised.
    """
    cluster: tuple[int, int]
    """The numbers of CTAs that execute a tile block together, along rows and columns of dots."""
    has_pairs: bool = False
    """Whether the first CTA of each pair issues `tcgen05` MMAs for both CTAs."""
    mma_warpgroups: int = 1
    """The warpgroups that each issue the MMAs of their own rows; 1 where one thread issues all."""
    warpgroup_barrier: int = 0
    """The number of the first warpgroup's named barrier; barriers of further warpgroups follow."""
    notes_wavefronts: bool = False
    """Whether shared-memory accesses are annotated with their expected wavefronts per warp."""
