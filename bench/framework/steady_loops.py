"""The steady-state loop of a kernel in its listing: what all warps of a block execute in it.

Each warp has at most one such loop: the innermost one with matrix multiply-adds, else the one with
asynchronous copies, else, in a kernel with either, the largest one that waits for another agent.
An iteration is the longest path through the loop. Loops within it that wait count once where they
stand in line, and not at all where a failed attempt jumps to them; neither do other loops within it
that have no multiply-adds, which compute what is rare (subnormal powers, exact divisions).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench.framework.machine_code import Instruction, loops, only_waits, successors
from bench.framework.machine_code import reached as reverse_postorder
from bench.framework.warps import LANES, reached_by

SCHEDULERS = 4
"""Of a multiprocessor; warp `w` issues on scheduler `w % 4`."""

MMA = 2048
"""Multiply-adds of one `mma.m16n8k16`, the unit of work."""

_KINDS: Mapping[str, re.Pattern[str]] = {
    "mma": re.compile(r"\w*MMA(2|$)"),
    "asynchronous copies": re.compile(r"LDGSTS|LDGDEPBAR|UTMA\w*|UBLK\w*|ARRIVES"),
    "shared": re.compile(r"LDS|STS|LDSM|STSM|ATOMS"),
    "tensor memory": re.compile(r"LDTM|STTM|UTC\w*"),
    "global": re.compile(r"LDG|STG|RED|REDG|ATOM|ATOMG|LD|ST"),
    "local": re.compile(r"LDL|STL"),
    "barrier": re.compile(r"BAR|SYNCS|MEMBAR|FENCE|DEPBAR|WARP\w+|BSYNC|BSSY|ERRBAR|CCTL|ELECT"),
    "control": re.compile(r"BRA|BRX|CALL|RET|EXIT|JMP|YIELD|NANOSLEEP|VOTEU?|USETMAXREG"),
    "float": re.compile(r"[FDH](ADD|MUL|FMA|SET|SETP|MNMX|SEL|CHK)\d*|MUFU|F2\w+|I2F\w*|FMNMX3"),
}
"""The kinds of instructions, the first that matches; all others are integers."""

_WARPGROUP = re.compile(r"^[HQI]GMMA\.64x(\d+)x(\d+)")
_WARP = re.compile(r"^[A-Z]MMA\.(?:SF\.|SP\.)*([\dx]+)")
_TENSOR = re.compile(r"^UTC\w*MMA$")
_OF_WARP: Mapping[str, int] = {
    "884": 8 * 8 * 4,
    "8x8x4": 8 * 8 * 4,
    "1684": 16 * 8 * 4,
    "16x8x4": 16 * 8 * 4,
    "16x8x8": 16 * 8 * 8,
    "16x8x16": 16 * 8 * 16,
    "1688": 16 * 8 * 8,
    "16816": 16 * 8 * 16,
    "8816": 8 * 8 * 16,
    "16832": 16 * 8 * 32,
    "16864": 16 * 8 * 64,
}
_FUSED: Mapping[str, int] = {"FFMA": LANES, "DFMA": LANES, "FFMA2": 2 * LANES, "IMAD": 0}
"""Multiply-adds where there is no matrix unit."""
PART = 0.5
"""The share of an iteration's work that a loop over parts of it does at most."""

_COPY = re.compile(r"LDGSTS|UTMALDG|UBLKCP|UTMAG?THR\w*")
_WAIT = re.compile(r"TRYWAIT")
_AGENT = re.compile(r"LDTM|STTM|SYNCS")
_WAVEFRONTS = {"128": 4, "64": 2, "4": 4, "2": 2}


@dataclass(frozen=True)
class Work:
    """The work of a tile-block iteration."""

    multiply_adds: int
    tensor_mmas: int
    """How many `tcgen05.mma` they take."""


@dataclass(frozen=True)
class LoopFigures:
    """Sums over all warps of a block, for the work of one tile-block iteration."""

    instructions: float
    busiest: float
    """Those of the scheduler that issues most."""
    kinds: Mapping[str, float]
    synchronous_loads: float
    wavefronts: float
    """The fewest that accesses of shared memory take, without conflicts of banks."""
    local_accesses: float
    unrolled: float
    """Iterations of the program in one of the machine code, of the loop with multiply-adds."""


def flow(code: Sequence[Instruction]) -> list[list[int]]:
    """The instructions that may follow each one.

    Threads that come to the end of a divergent region go on after it, although another region uses
    the same barrier.
    """
    edges = successors(code)
    for place, following in enumerate(edges):
        if code[place].family == "BSYNC" and place + 1 in following:
            edges[place] = [place + 1]
    return edges


def kind_of(instruction: Instruction) -> str:
    """The kind of an instruction."""
    for kind, pattern in _KINDS.items():
        if pattern.fullmatch(instruction.family):
            return kind
    return "integer"


def multiply_adds_of(instruction: Instruction) -> int:
    """The multiply-adds of a warp's instruction of a matrix unit; 0 of any other."""
    if (group := _WARPGROUP.match(instruction.opcode)) is not None:
        return 64 * int(group[1]) * int(group[2]) // 4
    if (warp := _WARP.match(instruction.opcode)) is not None:
        return _OF_WARP.get(warp[1], 0)
    return 0


@dataclass(frozen=True)
class _Path:
    """What a warp executes of a loop in an iteration."""

    body: frozenset[int]
    instructions: tuple[Instruction, ...]

    def count(self, pattern: re.Pattern[str]) -> int:
        return sum(pattern.search(i.opcode) is not None for i in self.instructions)

    @property
    def multiply_adds(self) -> int:
        """Those of matrix units."""
        return sum(map(multiply_adds_of, self.instructions))

    @property
    def fused(self) -> int:
        """Those of threads."""
        return sum(_FUSED.get(i.family, 0) for i in self.instructions)

    @property
    def tensor_mmas(self) -> int:
        return sum(_TENSOR.match(i.family) is not None for i in self.instructions)


def longest_path(
    code: Sequence[Instruction],
    edges: Sequence[Sequence[int]],
    body: set[int],
    head: int,
    inner: Mapping[int, set[int]],
) -> list[int]:
    """The places of the longest path from a loop's head back to it, or to the kernel's end."""
    waits = {h: _only_waits(code, nested) for h, nested in inner.items()}
    skipped = {p for h, nested in inner.items() if not waits[h] for p in nested}
    # A failed attempt jumps to a loop that stands behind the code.
    failed = {h for h, is_wait in waits.items() if is_wait and not _falls_to(code, body, h)}
    order = _topological(edges, body, head, inner)
    best: dict[int, tuple[int, int | None]] = {}
    for place in reversed(order):
        ends = head in edges[place] or code[place].family == "EXIT"
        weight = int(code[place].family != "NOP" and place not in skipped)
        further = [
            (best[f][0], f)
            for f in edges[place]
            if f in best and f not in failed and _goes_on(place, f, inner)
        ]
        if further or ends:
            length, following = max(further, default=(0, None))
            best[place] = (length + weight, following)
    path: list[int] = []
    place: int | None = head if head in best else None
    while place is not None:
        if place not in skipped and code[place].family != "NOP":
            path.append(place)
        place = best[place][1]
    return path


def _falls_to(code: Sequence[Instruction], body: set[int], place: int) -> bool:
    """Whether the instruction before a place leads to it."""
    return place - 1 in body and code[place - 1].falls_through


def _goes_on(place: int, following: int, inner: Mapping[int, set[int]]) -> bool:
    """Whether an edge leads on, and not back to the head of a loop within."""
    return not (following in inner and place in inner[following])


def _topological(
    edges: Sequence[Sequence[int]], body: set[int], head: int, inner: Mapping[int, set[int]]
) -> list[int]:
    """The places of a loop so that each comes before those that follow it."""
    return reverse_postorder(
        edges, head, lambda place, other: other in body and _goes_on(place, other, inner)
    )


def _paths(
    code: Sequence[Instruction], edges: Sequence[Sequence[int]], reached: set[int]
) -> list[_Path]:
    """The iterations of all loops of a warp that do more than wait, those within first."""
    bodies = {head: body & reached for head, body in loops(edges).items() if head in reached}
    found: list[_Path] = []
    for head, body in sorted(bodies.items(), key=lambda item: len(item[1])):
        if _only_waits(code, body):
            continue
        inner = {h: b for h, b in bodies.items() if h != head and h in body and b < body}
        places = longest_path(code, edges, body, head, inner)
        if places:
            found.append(_Path(frozenset(body), tuple(code[place] for place in places)))
    return found


def _only_waits(code: Sequence[Instruction], body: set[int]) -> bool:
    """Whether a loop tries a barrier object, and does no work."""
    works = any(kind_of(code[place]) in ("mma", "asynchronous copies") for place in body)
    return not works and only_waits(code, body)


def _steady(paths: Sequence[_Path], has_mma: bool) -> _Path | None:
    """The steady-state loop of a warp."""

    def is_computing(path: _Path) -> int:
        return path.multiply_adds or path.tensor_mmas * MMA or (0 if has_mma else path.fused)

    if computing := [path for path in paths if is_computing(path)]:
        # Of loops with as much work, such as those with and without masks, the shortest is steady.
        return max(computing, key=lambda p: (is_computing(p), -len(p.instructions)))
    if copying := [path for path in paths if path.count(_COPY)]:
        return max(copying, key=lambda p: (p.count(_COPY), -len(p.instructions)))
    waiting = [path for path in paths if path.count(_AGENT)]
    return max(waiting, key=lambda p: len(p.instructions), default=None)


def loop_figures(code: Sequence[Instruction], warps: int, work: Work) -> LoopFigures | None:
    """The steady-state loop of a kernel with multiply-adds; `None` where it has no loop."""
    edges = flow(code)
    has_mma = any(multiply_adds_of(i) or _TENSOR.match(i.family) for i in code)
    every: list[list[_Path]] = []
    known: dict[frozenset[int], list[_Path]] = {}
    for warp in range(warps):
        reached = reached_by(code, edges, warp)
        key = frozenset(reached)
        if key not in known:
            known[key] = _paths(code, edges, reached)
        every.append(known[key])
    chosen = [_steady(paths, has_mma) for paths in every]
    done = sum(p.multiply_adds if has_mma else p.fused for p in chosen if p is not None)
    tensor = sum(p.tensor_mmas for p in chosen if p is not None)
    unrolled = done / work.multiply_adds + tensor / work.tensor_mmas
    if not unrolled:
        return None
    if unrolled <= PART:
        pairs = zip(chosen, every, strict=True)
        chosen = [path and _of_parts(path, paths, round(1 / unrolled)) for path, paths in pairs]
        unrolled = 1.0
    computing = next(p for p in chosen if p and (p.multiply_adds or p.tensor_mmas or not has_mma))
    shares = [1.0 if p is None else _unrolled(p, computing, unrolled, has_mma) for p in chosen]
    return _sum(chosen, shares, unrolled)


def _of_parts(inner: _Path, paths: Sequence[_Path], trips: int) -> _Path:
    """The loop around one that does a part of the work of an iteration."""
    around = next((path for path in paths if path.body > inner.body), None)
    if around is None:
        return inner
    return _Path(around.body, around.instructions + inner.instructions * trips)


def _unrolled(path: _Path, computing: _Path, unrolled: float, has_mma: bool) -> float:
    """Iterations of the program in one of a warp's loop; a copying agent's by its waits."""
    if path.multiply_adds or path.tensor_mmas or not has_mma or not path.count(_COPY):
        return unrolled
    theirs, own = computing.count(_WAIT), path.count(_WAIT)
    return max(1.0, round(own * unrolled / theirs)) if theirs else unrolled


def path_figures(code: Sequence[Instruction], warps: int) -> LoopFigures:
    """The same of a whole kernel, from its entry to its end, with each loop left out."""
    edges = flow(code)
    paths: list[_Path | None] = []
    known: dict[frozenset[int], _Path] = {}
    for warp in range(warps):
        reached = reached_by(code, edges, warp)
        key = frozenset(reached)
        if key not in known:
            inner = {h: b & reached for h, b in loops(edges).items() if h in reached and h}
            places = longest_path(code, edges, reached, 0, inner)
            known[key] = _Path(frozenset(reached), tuple(code[place] for place in places))
        paths.append(known[key])
    return _sum(paths, [1.0] * warps, 1.0)


def _sum(paths: Sequence[_Path | None], shares: Sequence[float], unrolled: float) -> LoopFigures:
    schedulers = [0.0] * SCHEDULERS
    kinds = defaultdict[str, float](float)
    loads = wavefronts = local = 0.0
    for warp, (path, share) in enumerate(zip(paths, shares, strict=True)):
        if path is None:
            continue
        schedulers[warp % SCHEDULERS] += len(path.instructions) / share
        for instruction in path.instructions:
            kind = kind_of(instruction)
            kinds[kind] += 1 / share
            loads += (instruction.family in ("LDG", "LD")) / share
            local += (kind == "local") / share
            if kind == "shared":
                wavefronts += _wavefronts(instruction.opcode) / share
    return LoopFigures(
        sum(schedulers), max(schedulers), dict(kinds), loads, wavefronts, local, unrolled
    )


def _wavefronts(opcode: str) -> int:
    """The fewest wavefronts of an access of shared memory by a warp."""
    return max((_WAVEFRONTS[part] for part in opcode.split(".") if part in _WAVEFRONTS), default=1)
