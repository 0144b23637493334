"""Resources that emitted code acquires, and that later code releases."""

from dataclasses import dataclass, field

from xdsl.ir import Block, SSAValue


@dataclass
class HeldResources:
    """Resources released where a block of the tile program, or the kernel, ends."""

    barriers_in_block: dict[Block, list[int]] = field(default_factory=dict[Block, list[int]])
    """The offsets of mbarriers that each block of the tile program has initialised."""
    allocations: dict[Block, list[SSAValue]] = field(default_factory=dict[Block, list[SSAValue]])
    """The heap memory that each block of the tile program allocates, and frees at its end."""
    tensor_memory: SSAValue | None = None
    """The address of the tensor memory that the thread block has allocated; None without tensor
    memory.
    """
    tensor_map_slot: SSAValue | None = None
    """The flag of the slot for the tensor maps that a kernel makes; None for other kernels."""
