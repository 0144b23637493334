"""Checks the ids and the thread counts of named barriers, and that a thread waits for each arrival.

Source: PTX ISA, "bar, barrier".
"""

from collections.abc import Iterator
from dataclasses import dataclass

from tileir_xdsl.emulator.syntax import Instruction, Integer, Kernel, Operand

from .finding import Finding
from .matches import matches

BARRIERS = 16
WARP_THREADS = 32


@dataclass(frozen=True)
class _Use:
    """One instruction on a named barrier."""

    instruction: Instruction
    barrier: Operand
    threads: Operand | None
    waits: bool


def _uses(kernel: Kernel) -> Iterator[_Use]:
    for match in matches(kernel, ("bar", "barrier")):
        # `bar.warp` and `barrier.cluster` have no number.
        if "a" in match.operands:
            instruction = match.instruction
            waits = ".arrive" not in instruction.mnemonic
            yield _Use(instruction, match.operands["a"], match.operands.get("b"), waits)


def _block_threads(kernel: Kernel) -> int | None:
    if kernel.reqntid is None:
        return None
    x, y, z = kernel.reqntid
    return x * y * z


def named_barrier_findings(kernel: Kernel) -> Iterator[Finding]:
    """Ids above 15 or in a register, invalid thread counts, arrivals that no thread waits for."""
    counts: dict[int, tuple[int, int]] = {}
    arrivals: dict[int, Instruction] = {}
    waited: set[int] = set()
    block = _block_threads(kernel)

    def finding(instruction: Instruction, message: str) -> Finding:
        return Finding("barrier", message, instruction.line, kernel.name)

    for use in _uses(kernel):
        if not isinstance(use.barrier, Integer):
            yield finding(
                use.instruction, "the barrier's id is in a register: all 16 barriers are reserved"
            )
            continue
        barrier = use.barrier.value
        if not 0 <= barrier < BARRIERS:
            yield finding(use.instruction, f"there is no barrier {barrier}: ids are 0 to 15")
            continue
        if use.waits:
            waited.add(barrier)
        else:
            arrivals.setdefault(barrier, use.instruction)
        threads = use.threads.value if isinstance(use.threads, Integer) else None
        if use.threads is None:
            threads = block
        if threads is None:
            continue
        if threads % WARP_THREADS or threads <= 0:
            yield finding(use.instruction, f"{threads} threads are not whole warps")
        elif block is not None and threads > block:
            yield finding(
                use.instruction, f"barrier {barrier} waits for {threads} of {block} threads"
            )
        first, line = counts.setdefault(barrier, (threads, use.instruction.line))
        if first != threads:
            yield finding(
                use.instruction,
                f"barrier {barrier} has {threads} threads here and {first} at line {line}",
            )
    for barrier, instruction in arrivals.items():
        if barrier not in waited:
            yield finding(instruction, f"nobody waits at barrier {barrier}")
