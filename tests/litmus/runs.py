"""Runs litmus tests in the emulator: as PTX, with every order of threads up to a limit."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

from tests.litmus.conditions import LitmusError
from tests.litmus.syntax import Instruction, LitmusTest, Location
from tileir_xdsl import emulator
from tileir_xdsl.emulator.groups import ThreadGroup
from tileir_xdsl.emulator.program import BasicBlock, Exit
from tileir_xdsl.emulator.schedule import Scheduler

WARP = 32
_BYTES = 16
"""What a location has: a bulk copy moves no less."""
_BARRIER = 15
"""The named barrier that tests leave to what stands around them."""
_UNINITIALISED = "no mbarrier is initialised"
"""How an access is reported that came before the initialisation in this order."""
_ASYNCHRONOUS = ("cp",)


@dataclass(frozen=True)
class Layout:
    """The blocks of the launch that a test's are, and the warp of its block that each thread is."""

    blocks: dict[int, int]
    cluster: int
    grid: int
    warps: tuple[int, ...]
    threads: int


@dataclass
class Observed:
    """The outcomes that were seen, as values of the names in the condition; the races that were
    reported, uses of barrier objects that are none yet among them; and how many launches there were."""

    outcomes: set[tuple[int, ...]] = field(default_factory=lambda: set[tuple[int, ...]]())
    races: set[str] = field(default_factory=lambda: set[str]())
    launches: int = 0


def observe(test: LitmusTest, limit: int, *, races: bool = False, weak: bool = False) -> Observed:
    """Launches a test in up to `limit` orders; with `races` or `weak` each ends at the first race.

    With `weak`, strong loads return old values, too, and there are launches for these as well.

    Raises `EmulatorError` for any other fault, and `LitmusError` for a test that cannot run.
    """
    layout = layout_of(test)
    module = emulator.load(ptx_of(test, layout))
    names = test.condition.names()
    shared = [place for place in test.locations.values() if place.space == "global"]
    late = any(i.parts[0] in _ASYNCHRONOUS for thread in test.threads for i in thread)
    found = Observed()
    for choices in emulator.explore(limit):
        found.launches += 1
        memory = np.zeros(max(1, len(test.locations)) * _BYTES // 4, np.uint32)
        for location in shared:
            memory[_offset(test, location) // 4] = location.initial
        registers = _Registers()
        try:
            module.launch(
                "litmus",
                (layout.grid, 1, 1),
                [memory],
                block=(layout.threads, 1, 1),
                cluster=(layout.cluster, 1, 1) if layout.cluster > 1 else None,
                resident_blocks=layout.grid,
                choices=choices,
                late=late,
                races=races,
                weak=weak,
                watch=registers,
            )
        except emulator.EmulatorError as error:
            is_race = (races or weak) and error.message.startswith("race")
            if not (is_race or error.message.startswith(_UNINITIALISED)):
                raise
            found.races.add(error.message)
            continue
        found.outcomes.add(tuple(_final(test, layout, name, memory, registers) for name in names))
    return found


class _Registers(emulator.Watch):
    """Keeps the registers of every warp's first thread when it ends."""

    def __init__(self) -> None:
        super().__init__()
        self.values: dict[tuple[int, int], dict[str, int]] = {}

    def executed(self, scheduler: Scheduler, group: ThreadGroup, block: BasicBlock) -> None:
        if not isinstance(block.terminator, Exit):
            return
        storage = scheduler.registers.storage
        for row in range(group.b0, group.b1):
            for column in range(group.t0, group.t1, WARP):
                self.values[row, column // WARP] = {
                    name: int(values[row, column])
                    for name, values in storage.items()
                    if re.fullmatch(r"%[rp]\d+", name)
                }


def _final(
    test: LitmusTest, layout: Layout, name: str, memory: np.ndarray, registers: _Registers
) -> int:
    if ":" not in name:
        return int(memory[_offset(test, test.locations[name]) // 4])
    thread, register = name.split(":")
    block = layout.blocks[test.places[int(thread)].cta]
    return registers.values[block, layout.warps[int(thread)]].get(f"%{register}", 0)


def _offset(test: LitmusTest, location: Location) -> int:
    return list(test.locations).index(location.name) * _BYTES


def layout_of(test: LitmusTest) -> Layout:
    """Where the threads of a test run.

    Raises `LitmusError` for several devices, of which the emulator has one.
    """
    if any(place.gpu != test.places[0].gpu for place in test.places):
        raise LitmusError("the emulator has a single device")
    clusters: dict[int, list[int]] = {}
    for place in test.places:
        members = clusters.setdefault(place.cluster, [])
        if place.cta not in members:
            members.append(place.cta)
    size = max(map(len, clusters.values()))
    blocks = {
        cta: number * size + index
        for number, members in enumerate(clusters.values())
        for index, cta in enumerate(members)
    }
    counts: dict[int, int] = {}
    warps: list[int] = []
    for place in test.places:
        warps.append(counts.get(place.cta, 0))
        counts[place.cta] = warps[-1] + 1
    return Layout(blocks, size, len(clusters) * size, tuple(warps), max(counts.values()) * WARP)


def ptx_of(test: LitmusTest, layout: Layout) -> str:
    """A kernel whose warps are the threads of a test: the first lane of each does what it says.

    Every instruction is a basic block of its own, so that any order of them can be chosen.
    """
    lines = _head(test)
    for number, place in enumerate(test.places):
        warp = layout.blocks[place.cta] * layout.threads // WARP + layout.warps[number]
        lines += [f"setp.eq.u32 %here, %warp, {warp};", f"@%here bra THREAD{number};"]
    lines.append("ret;")
    for number, instructions in enumerate(test.threads):
        lines.append(f"THREAD{number}:")
        lines += _addresses(test, layout, number)
        for index, instruction in enumerate(instructions):
            lines += [f"AT{number}_{index}:", *statements(test, instruction)]
        lines += [f"END{number}:", *_end(test, layout, number), "ret;"]
    lines.append("}")
    return "\n".join(lines) + "\n"


def _in_shared(test: LitmusTest) -> list[Location]:
    return [place for place in test.locations.values() if place.space != "global"]


def _meet(layout: Layout) -> list[str]:
    """All threads that can reach the shared memory of a test meet."""
    if layout.cluster > 1:
        return ["barrier.cluster.arrive;", "barrier.cluster.wait;"]
    return [f"bar.sync {_BARRIER};"]


def _head(test: LitmusTest) -> list[str]:
    layout = layout_of(test)
    registers = {
        name
        for thread in test.threads
        for instruction in thread
        for text in (*instruction.operands, instruction.guard)
        for name in re.findall(r"\b[rp]\d+\b", text)
    }
    lines = [
        ".version 8.7",
        ".target sm_90a",
        ".address_size 64",
        ".visible .entry litmus(.param .u64 memory)",
        "{",
        *(f".shared .align 16 .b32 {place.name}_shared[4];" for place in _in_shared(test)),
        ".reg .pred %here, %first, %guard;",
        ".reg .b32 %warp, %lane, %block;",
        ".reg .b64 %memory;",
        *(f".reg .{'pred' if r[0] == 'p' else 'b32'} %{r};" for r in sorted(registers)),
        *(
            f".reg .{'b64' if place.space == 'global' else 'b32'} %{place.name};"
            for place in test.locations.values()
        ),
        "ld.param.u64 %memory, [memory];",
        "mov.u32 %block, %ctaid.x;",
        "mov.u32 %lane, %tid.x;",
        "shr.u32 %warp, %lane, 5;",
        f"mad.lo.u32 %warp, %block, {layout.threads // WARP}, %warp;",
        "and.b32 %lane, %lane, 31;",
        "setp.eq.u32 %first, %lane, 0;",
        *(
            f"mov.{'pred' if r[0] == 'p' else 'u32'} %{r}, 0;"
            for r in sorted(registers)
            if r[0] != "p"
        ),
        *(f"setp.ne.u32 %{r}, %lane, %lane;" for r in sorted(registers) if r[0] == "p"),
    ]
    words = [place for place in _in_shared(test) if place.space == "shared"]
    if words:
        lines.append("setp.eq.u32 %here, %tid.x, 0;")
        for place in words:
            lines += [
                f"mov.u32 %{place.name}, {place.name}_shared;",
                f"@%here st.shared.u32 [%{place.name}], {place.initial};",
            ]
        lines += ["fence.proxy.async;", *_meet(layout)]
    return lines


def _addresses(test: LitmusTest, layout: Layout, number: int) -> list[str]:
    """The addresses of all locations as one thread sees them."""
    lines: list[str] = []
    for place in test.locations.values():
        if place.space == "global":
            lines.append(f"add.u64 %{place.name}, %memory, {_offset(test, place)};")
            continue
        lines.append(f"mov.u32 %{place.name}, {place.name}_shared;")
        if test.places[number].cta != place.cta:
            rank = layout.blocks[place.cta] % layout.cluster
            lines.append(f"mapa.shared::cluster.u32 %{place.name}, %{place.name}, {rank};")
    return lines


def statements(test: LitmusTest, instruction: Instruction) -> list[str]:
    """PTX that the first lane of a warp executes, and all lanes if it is a barrier."""
    operands = [
        re.sub(r"\b([A-Za-z_]\w*)\b", lambda m: _name(test, m[1]), text)
        for text in instruction.operands
    ]
    text = f"{instruction.mnemonic} {', '.join(operands)}".rstrip() + ";"
    if instruction.parts[0] in ("bar", "barrier"):
        return [text]
    if not instruction.guard:
        return [f"@%first {text}"]
    guard = f"%{instruction.guard.lstrip('!')}"
    negate = ["not.pred %guard, %guard;"] if instruction.guard.startswith("!") else []
    return [
        f"and.pred %guard, {guard}, {guard};",
        *negate,
        "and.pred %guard, %guard, %first;",
        f"@%guard {text}",
    ]


def _name(test: LitmusTest, name: str) -> str:
    is_register = re.fullmatch(r"[rp]\d+", name) is not None
    return f"%{name}" if is_register or name in test.locations else name


def _end(test: LitmusTest, layout: Layout, number: int) -> list[str]:
    """Shared memory that the condition names goes to global memory, when all have ended."""
    shared = [place for place in _in_shared(test) if place.space == "shared"]
    if not shared:
        return _meet(layout) if layout.cluster > 1 and _in_shared(test) else []
    lines = _meet(layout)
    for place in shared:
        own = test.places[number].cta == place.cta and layout.warps[number] == 0
        if own and place.name in test.condition.names():
            lines += [
                f"ld.shared.u32 %lane, [{place.name}_shared];",
                f"@%first st.global.u32 [%memory+{_offset(test, place)}], %lane;",
            ]
    return lines
