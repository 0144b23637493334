"""Diagnostics of launches that ended early."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from tileir_xdsl.runtime.cpu.helpers import SLOTS, Slot
from tileir_xdsl.runtime.cpu.kernel_facts import CPUKernelFacts, Site
from tileir_xdsl.runtime.errors import InputError, MemoryFaultError

Grid = tuple[int, int, int]


class Fault(IntEnum):
    """The codes for the first fault of a launch."""

    NONE = 0
    OUTSIDE = 1
    ASSERTION = 2


def check_faults(
    facts: CPUKernelFacts, file: str, grid: Grid, context: Sequence[int], limit: float | None
) -> None:
    """Raises InputError for the fault of a launch, or if its time limit was exceeded.

    Returns if a signal stopped the launch: its handler runs next.
    """
    code = context[Slot.FAULT]
    if code == Fault.NONE:
        if limit is not None:
            raise InputError(file, f"the kernel has not ended within {limit:g} s")
        return
    number = context[Slot.SITE]
    site = facts.sites[number] if number < len(facts.sites) else Site("llvm.load", "")
    block = context[Slot.BLOCK]
    where = (block % grid[0], block // grid[0] % grid[1], block // (grid[0] * grid[1]))
    at = f"'{site.op}' in tile block {where}"
    if code == Fault.ASSERTION:
        message = f"assertion failed: {site.message}" if site.message else "assertion failed"
        raise InputError(site.location or file, f"{at}: {message}")
    if code == Fault.OUTSIDE:
        place = _place(context)
        raise MemoryFaultError(site.location or file, f"{at}: accesses {place}")
    raise InputError(site.location or file, f"{at}: fault {code}")


def _place(context: Sequence[int]) -> str:
    """The position of an address relative to the nearest array."""
    address = context[Slot.ADDRESS]
    pairs = [
        (context[n], context[n + 1]) for n in range(SLOTS, SLOTS + 2 * context[Slot.ARRAYS], 2)
    ]
    before = [pair for pair in pairs if pair[0] <= address]
    if not before:
        return f"address {address:#x}, in no array"
    start, end = before[-1]
    return f"byte {address - start} of an array of {end - start} bytes"
