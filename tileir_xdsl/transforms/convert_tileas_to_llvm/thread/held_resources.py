"""Resources that emitted code has taken, and that later code gives back."""

from dataclasses import dataclass, field

from xdsl.ir import Block, SSAValue


@dataclass
class HeldResources:
    """Resources given back where a block of the tile program, or the kernel, ends."""

    barriers_in_block: dict[Block, list[int]] = field(default_factory=dict[Block, list[int]])
    """The offsets of barriers that a block of the tile program has initialised, until it ends."""
    allocations: dict[Block, list[SSAValue]] = field(default_factory=dict[Block, list[SSAValue]])
    """Heap memory allocated in a block of the tile program, which frees it at its end."""
    tensor_memory: SSAValue | None = None
    """The address of the tensor memory that the block has allocated; None if it has none."""
    tensor_map_slot: SSAValue | None = None
    """The flag of the slot with the tensor maps that a kernel makes; None if it makes none."""
