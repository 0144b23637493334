"""Reports on one launch of a kernel: its instructions, its waits, a race, and elements of values.

The emulator runs the PTX, first with race detection. The interpreter runs the program as it was
read, for the values that tile block 0 computes first.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.interpreter import PythonValues
from xdsl.ir import Operation, SSAValue

from tileir_xdsl import emulator, interpreters
from tileir_xdsl.dialects.target_attributes import abi_of
from tileir_xdsl.emulator.groups import ThreadGroup
from tileir_xdsl.emulator.program import Barrier, BasicBlock, ClusterWait
from tileir_xdsl.emulator.schedule import Scheduler
from tileir_xdsl.emulator.syntax import Instruction
from tileir_xdsl.interpreters.listeners import LaunchListener
from tileir_xdsl.report.provenance import values_in
from tileir_xdsl.report.schema import Line, Race, Run, Site, Text, TileValues
from tileir_xdsl.runtime.binding import LaunchArgument
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.launching import (
    Grid,
    dynamic_shared_memory,
    launch_errors_in,
    with_tensor_maps,
)
from tileir_xdsl.targets import ABI
from tileir_xdsl.targets.symbols import ptx_name
from tileir_xdsl.walking import ops_in

WAITS = re.compile(
    r"bar\.|barrier\.|mbarrier\.(try_wait|test_wait)|wgmma\.wait_group|cp\.async\.(bulk\.)?wait"
    r"|tcgen05\.wait|griddepcontrol\.wait"
)
"""The prefixes of opcodes that wait."""

_EARLIER = re.compile(r"and the (?P<access>.+?) at PTX line (?P<line>\d+) \('(?P<text>[^']*)'\)")


@dataclass(frozen=True)
class Launch:
    """A requested launch: arguments as the kernel takes them, and values to show."""

    kernel: str | None
    grid: Grid
    arguments: Sequence[LaunchArgument]
    shown: tuple[str, ...] = ()
    """The values to show, by ids (`v12`) or names (`%sum`) in the program as it was read."""


@dataclass
class CountingWatch(emulator.Watch):
    """Counts how often warps execute the instruction of each line of PTX."""

    counts: Counter[int] = field(default_factory=Counter[int])
    opcodes: dict[int, str] = field(default_factory=dict[int, str])

    def executed(self, scheduler: Scheduler, group: ThreadGroup, block: BasicBlock) -> None:
        for instruction in _instructions_in(block):
            self.counts[instruction.line] += group.warps
            self.opcodes[instruction.line] = instruction.mnemonic


def _instructions_in(block: BasicBlock) -> Iterator[Instruction]:
    """The instructions of a basic block except jumps, whose text the emulator does not keep."""
    yield from (step.match.instruction for step in block.steps)
    match block.terminator:
        case Barrier(match=match):
            yield match.instruction
        case ClusterWait(instruction=instruction):
            yield instruction
        case _:
            return


def run_of(program: ModuleOp, compiled: ModuleOp, ptx: Text, launch: Launch, file: str) -> Run:
    """Launches a kernel in the program as it was read, and in its compiled module and PTX.

    Raises InputError for a fault of the kernel or of its arguments, and for unknown values.
    """
    kernel = launch.kernel
    assert kernel is not None
    values = _values_of(program, kernel, launch, file)
    text = "\n".join(line.text for line in ptx.lines)
    races: tuple[Race, ...] = ()
    watch = CountingWatch()
    with launch_errors_in(file):
        try:
            _launch(compiled, text, kernel, launch, watch, races=True)
        except emulator.RaceFault as error:
            races = (race_of(error, ptx),)
            watch = CountingWatch()
            _launch(compiled, text, kernel, launch, watch, races=False)
    return Run(instructions_of(watch), waits_of(watch, ptx.lines), races, values)


def _launch(
    compiled: ModuleOp, text: str, kernel: str, launch: Launch, watch: CountingWatch, *, races: bool
) -> None:
    # Each launch starts from the arguments as they were given.
    arguments = deepcopy(list(launch.arguments))
    emulator.load(text).launch(
        ptx_name(kernel),
        launch.grid,
        with_tensor_maps(compiled, kernel, arguments),
        dynamic_shared=dynamic_shared_memory(compiled, kernel),
        races=races,
        self_contained=abi_of(compiled) is ABI.TILE,
        watch=watch,
    )


def instructions_of(watch: CountingWatch) -> Mapping[str, int]:
    """How often warps executed each opcode, the most frequent first."""
    opcodes = Counter[str]()
    for line, count in watch.counts.items():
        opcodes[watch.opcodes[line]] += count
    return dict(opcodes.most_common())


def waits_of(watch: CountingWatch, lines: Sequence[Line]) -> tuple[Mapping[str, Any], ...]:
    """The instructions that wait, and how often warps executed them, including failed tries."""
    return tuple(
        {
            "line": line,
            "instruction": lines[line - 1].text.strip(),
            "executed": count,
            "ids": list(lines[line - 1].ids),
        }
        for line, count in sorted(watch.counts.items())
        if WAITS.match(watch.opcodes[line])
    )


def race_of(error: emulator.EmulatorError, ptx: Text) -> Race:
    """A race that the emulator has found, with both accesses."""
    earlier = _EARLIER.search(error.message)
    # Threads that race at one instruction are told of as one access.
    first = error.line if earlier is None else int(earlier["line"])
    return Race(_site(first, ptx), _site(error.line, ptx), error.message)


def _site(number: int | None, ptx: Text) -> Site:
    if number is None:
        return Site(ptx.title, None, "", ())
    line = ptx.lines[number - 1]
    return Site(ptx.title, number, line.text.strip(), line.ids)


class ShownValues(LaunchListener):
    """Stores the first elements that ops compute for the wanted values."""

    def __init__(self, wanted: Mapping[SSAValue, str]):
        self._wanted = wanted
        self.found: dict[str, Any] = {}

    def did_interpret_op(self, op: Operation, results: PythonValues) -> None:
        for result, value in zip(op.results, results, strict=True):
            name = self._wanted.get(result)
            if name is not None and isinstance(value, np.ndarray | np.generic):
                self.found.setdefault(name, np.array(value))


def _values_of(program: ModuleOp, kernel: str, launch: Launch, file: str) -> tuple[TileValues, ...]:
    if not launch.shown:
        return ()
    listener = ShownValues(wanted_values(program, launch.shown))
    with launch_errors_in(file):
        interpreters.launch(
            program, kernel, launch.grid, deepcopy(list(launch.arguments)), listeners=(listener,)
        )
    return tuple(
        TileValues(name, array.shape, array.tolist()) for name, array in listener.found.items()
    )


def wanted_values(program: ModuleOp, shown: Sequence[str]) -> dict[SSAValue, str]:
    """The ids of the values of a program as it was read that are to be shown.

    Raises InputError for an unknown name.
    """
    numbered = {f"v{number}": value for number, value in enumerate(values_in(ops_in(program)))}
    wanted: dict[SSAValue, str] = {}
    for name in shown:
        found = {
            value: identity
            for identity, value in numbered.items()
            if name in (identity, f"%{value.name_hint}")
        }
        if not found:
            raise InputError(f"--show {name}", "the program has no such value")
        wanted |= found
    return wanted
