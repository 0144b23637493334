"""Which threads execute an op, and which threads hold the same elements."""

from xdsl.ir import Operation

from tileir_xdsl.analysis.threads.agent_warps import (
    THREADS_PER_WARP,
    agent_around,
    block_warps,
    function_of,
    kernel_warps,
)
from tileir_xdsl.layout.linear import LinearLayout


def threads_around(op: Operation) -> int:
    """The threads that execute an op: those of the agent around it, or of the block."""
    function = function_of(op)
    if function.kernel_spec is None:
        return 1
    agent = agent_around(op, kernel_warps(function))
    warps = block_warps(function) if agent is None else agent.warps
    return warps * THREADS_PER_WARP


def replicating_threads(layout: LinearLayout | None, threads: int) -> int:
    """The bits of a thread's index that do not change which elements the thread holds.

    A scalar has no layout, and all threads hold it. Outside of agents all warps of the block
    execute, and warps that only agents need hold copies.
    """
    bits = (threads - 1).bit_length()
    if layout is None:
        return (1 << bits) - 1
    bases = layout.thread_bases()
    replicated = sum(1 << bit for bit, base in enumerate(bases) if base == 0)
    return replicated | further_threads(layout, threads)


def further_threads(layout: LinearLayout, threads: int) -> int:
    """The bits of a thread's index that a layout has no bases for."""
    bits, known = (threads - 1).bit_length(), len(layout.thread_bases())
    return (1 << bits) - (1 << known) if bits > known else 0
