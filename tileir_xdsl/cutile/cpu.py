"""Launches of cuTile kernels as compiled code on the CPU of this machine."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TextIO, cast

import numpy as np

from tileir_xdsl.cutile.signatures import Arguments
from tileir_xdsl.cutile.specializing import Specialization, launches_of
from tileir_xdsl.frontends.environment import WITH
from tileir_xdsl.runtime.arrays import Array
from tileir_xdsl.runtime.binding import bind_arguments, named_arguments
from tileir_xdsl.runtime.compiled import Extent
from tileir_xdsl.runtime.cpu.compiling import NotCovered
from tileir_xdsl.runtime.cpu.launching import Arguments as Packed
from tileir_xdsl.runtime.cpu.launching import CPUKernel, address_of, launchable, packed
from tileir_xdsl.runtime.cpu.printing import printing_to
from tileir_xdsl.runtime.cpu.programs import loaded_kernel
from tileir_xdsl.runtime.running import CPU_LEVEL, Run


def on_cpu(specialization: Specialization, name: str) -> CPUKernel | NotCovered:
    """The kernel compiled for the named processor and loaded, once; or why this is not possible.

    Raises CompileError for an unknown name.
    """
    with specialization.lock:
        found = specialization.on_cpu.get(name)
        if found is None:
            program = specialization.program
            found = loaded_kernel(program, specialization.bytecode, name)
            specialization.on_cpu[name] = found
        return found


def launch_on_cpu(
    processor: str,
    specialization: Specialization,
    found: Arguments,
    grid: Extent,
    time_limit: float | None,
    output: TextIO | None,
    request: Request | None = None,
) -> Run | NotCovered:
    """Runs a kernel on the arrays of the caller, or returns why the interpreter must.

    Raises CompileError as `cutile.launch` does.
    """
    bound = bind_arguments(
        specialization.program.kernel(), named_arguments(found.names, found.values)
    )
    values = packed(bound)
    kernel = launchable(on_cpu(specialization, processor), values)
    if isinstance(kernel, NotCovered):
        return kernel
    run = _run(kernel, grid, values, time_limit, output)
    if request is not None:
        arrays = tuple(n for n, value in enumerate(bound) if isinstance(value, np.ndarray))
        request.remember(_Plan(kernel, tuple(values.slots), arrays))
    return run


def _run(
    kernel: CPUKernel,
    grid: Extent,
    values: Packed,
    time_limit: float | None,
    output: TextIO | None,
) -> Run:
    started = time.perf_counter()
    with printing_to(output):
        kernel.launch(grid, values, time_limit)
    return Run(kernel.facts.name, CPU_LEVEL, grid, time.perf_counter() - started)


_MOST_PLANS = 256
"""How many launches of a kernel are remembered, one for each combination of argument facts."""

_Facts = tuple[object, ...]


@dataclass(frozen=True)
class _Plan:
    """A remembered launch, to be repeated with other arrays of the same types and shapes."""

    kernel: CPUKernel
    slots: tuple[int, ...]
    arrays: tuple[int, ...]
    """For each array, the index of its address in `slots`."""


class Request(NamedTuple):
    """A launch before its arguments are checked, with all facts that its code may depend on."""

    kernel: Any
    facts: _Facts
    addresses: Sequence[int]
    """The addresses of the arrays, in the order of the arguments."""
    ranges: Sequence[int]
    """The first and the end address of each array, sorted."""

    def run(self, grid: Extent, time_limit: float | None, output: TextIO | None) -> Run | None:
        """Repeats the remembered launch of the same facts; returns None if there is none."""
        launches = launches_of(self.kernel)
        plan: _Plan | None = launches.get(self.facts) if launches else None
        if plan is None:
            return None
        slots = [*plan.slots]
        for slot, address in zip(plan.arrays, self.addresses, strict=True):
            slots[slot] = address
        return _run(plan.kernel, grid, Packed(slots, self.ranges), time_limit, output)

    def remember(self, plan: _Plan) -> None:
        """Remembers the plan for launches of the same facts."""
        launches = launches_of(self.kernel)
        if launches is None:
            return
        if len(launches) >= _MOST_PLANS:
            launches.clear()
        launches[self.facts] = plan


def request_of(
    kernel: Any, arguments: Sequence[object], processor: str | None, options: object
) -> Request | None:
    """The request of a launch on numbers and disjoint contiguous NumPy arrays; otherwise None."""
    if not type(kernel).__weakrefoffset__:
        return None
    facts: list[object] = [processor, options, os.environ.get(WITH)]
    addresses = list[int]()
    pairs = list[tuple[int, int]]()
    for argument in arguments:
        kind = type(argument)
        if kind is np.ndarray:
            array = cast(Array, argument)
            flags, size = array.flags, array.nbytes
            if not (flags.c_contiguous and size):
                return None
            address = address_of(array)
            facts += (array.dtype, array.shape, address & 15, flags.writeable)
            addresses.append(address)
            pairs.append((address, address + size))
        elif kind in (int, float, bool, str):
            # Minus zero equals zero, and a constant of the kernel may be either.
            facts += (kind, repr(argument))
        else:
            return None
    pairs.sort()
    ranges = [number for pair in pairs for number in pair]
    # Arrays that overlap end after the next one starts.
    return Request(kernel, tuple(facts), addresses, ranges) if ranges == sorted(ranges) else None
