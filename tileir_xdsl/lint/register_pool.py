"""Checks the registers that warpgroups release and request by `setmaxnreg`.

A block starts with a pool of `.maxnreg` registers for each thread, from which all later requests of
its warpgroups are served. Source: PTX ISA, "setmaxnreg".
"""

from collections.abc import Iterator

from tileir_xdsl.emulator.syntax import Instruction, Integer, Kernel

from .finding import Finding
from .matches import matches

WARPGROUP_THREADS = 128
LEAST, MOST, STEP = 24, 256, 8


def register_pool_findings(kernel: Kernel) -> Iterator[Finding]:
    """Invalid sizes, kernels without a pool, and requests that exceed the pool.

    The warpgroup that executes an instruction is not known: one is assumed for each release, and
    all others to request the largest size.
    """
    sites = list(matches(kernel, ("setmaxnreg",)))
    if not sites:
        return

    def finding(instruction: Instruction, message: str) -> Finding:
        return Finding("registers", message, instruction.line, kernel.name)

    sizes: dict[Instruction, int] = {}
    for match in sites:
        site, operand = match.instruction, match.operands["count"]
        size = operand.value if isinstance(operand, Integer) else 0
        if size % STEP or not LEAST <= size <= MOST:
            yield finding(site, f"{size} registers are not a multiple of 8 from 24 to 256")
            return
        sizes[site] = size
    limit, block = kernel.directives.get("maxnreg"), kernel.reqntid
    if limit is None or block is None:
        yield finding(
            sites[0].instruction,
            "the registers of the block are not known: .maxnreg and .reqntid are needed",
        )
        return
    x, y, z = block
    groups = -(-x * y * z // WARPGROUP_THREADS)
    # A block begins with whole steps of registers.
    first = -(-limit[0] // STEP) * STEP
    released = [(size, site) for site, size in sizes.items() if ".dec" in site.mnemonic]
    taken = [(size, site) for site, size in sizes.items() if ".inc" in site.mnemonic]
    least = min([first, *(size for size, _ in released)])
    most = max([first, *(size for size, _ in taken)])
    for size, site in released:
        if size > most:
            yield finding(site, f"no thread has more than {most} registers: {size} take a .inc")
    for size, site in taken:
        if size < least:
            yield finding(site, f"no thread has less than {least} registers: {size} take a .dec")
    if not taken:
        return
    size, site = max(taken, key=lambda pair: pair[0])
    asked = sum(size for size, _ in released) + size * max(0, groups - len(released))
    pool = first * groups
    if asked > pool:
        yield finding(
            site,
            f"{groups} warpgroups ask for {asked} registers per lane of a warpgroup, "
            f"the block has {pool}",
        )
