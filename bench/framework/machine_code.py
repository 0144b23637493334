"""Figures of machine code: instructions, their weight by loops, resources, and a digest.

The control-flow graph comes from the listing of `cuobjdump -sass`. How often a loop runs is not in
it, so that each is taken to run `TRIPS` times: an instruction in n nested loops weighs
`TRIPS ** n`. A loop that waits for a barrier object weighs as if it succeeded at once; what nothing
reaches (the padding, the loop on itself behind the end) weighs nothing. A function that is called
weighs as outside of loops.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2s
from pathlib import Path

from tileir_xdsl.runtime.ptxas import find_tool

TRIPS = 16
_DIGEST_BYTES = 6
_WAITS = re.compile(r"TRYWAIT")
# A loop that only waits has a few instructions: the attempt, and a branch.
_LONGEST_WAIT = 12

_FUNCTION = re.compile(r"^\s*Function : (\S+)$", re.MULTILINE)
_INSTRUCTION = re.compile(
    r"^\s*/\*(?P<address>[0-9a-f]{4,})\*/\s+(?P<guard>@!?\w+\s+)?(?P<opcode>[A-Z][\w.]*)"
    r"(?P<operands>[^;]*);\s*/\* 0x(?P<encoding>[0-9a-f]{16}) \*/"
    r"(?:\s*/\* 0x(?P<rest>[0-9a-f]{16}) \*/)?",
    re.MULTILINE,
)
_TARGET = re.compile(r"\b0x([0-9a-f]+)\s*$")
_LOCAL_ACCESSES = ("LDL", "STL")
_RESOURCES = re.compile(r"Function (\S+):\s+REG:(\d+) STACK:\d+ SHARED:(\d+) LOCAL:(\d+)")


@dataclass(frozen=True)
class Instruction:
    """A machine instruction; `target` is the address that it may go to, or `None`."""

    address: int
    opcode: str
    operands: str
    guard: str
    """The predicate under which it is executed, as `!P0`; empty if it always is."""
    encoding: str
    target: int | None = None

    @property
    def family(self) -> str:
        return self.opcode.split(".")[0]

    @property
    def falls_through(self) -> bool:
        """Whether the next instruction may follow."""
        if self.guard or self.family not in ("BRA", "JMP", "EXIT", "RET"):
            return True
        # `BRA P0, 0x20` and `BRA.U UP0, 0x20` have their condition among the operands.
        return self.target is not None and "," in self.operands


@dataclass(frozen=True)
class Figures:
    """What a cubin is made of: sums over its functions, of resources the largest.

    `shared` and `local` are the bytes that the cubin reserves for a block and a thread.
    `local_accesses` are instructions that read or write local memory, where registers are spilled.
    """

    instructions: int
    weighted: int
    registers: int
    shared: int
    local: int
    digest: str
    local_accesses: int


def dump(cubin: bytes, *options: str) -> str:
    """What `cuobjdump` prints of a cubin; ToolNotFoundError if it is not installed."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.cubin"
        path.write_bytes(cubin)
        command = [str(find_tool("cuobjdump", "nvidia-cuda-cuobjdump")), *options, str(path)]
        return subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout


def figures(cubin: bytes) -> Figures:
    """The figures of a cubin; `NOP`s do not count."""
    return figures_of_listing(dump(cubin, "-sass", "-res-usage"))


def figures_of_listing(listing: str) -> Figures:
    """The figures in what `cuobjdump -sass -res-usage` prints."""
    functions = functions_of(listing)
    resources = [tuple(map(int, found[1:])) for found in _RESOURCES.findall(listing)] or [(0, 0, 0)]
    registers, shared, local = (max(column) for column in zip(*resources, strict=True))
    digest = blake2s(digest_size=_DIGEST_BYTES)
    for code in functions.values():
        for instruction in code:
            digest.update(instruction.encoding.encode())
    return Figures(
        sum(i.family != "NOP" for code in functions.values() for i in code),
        sum(weighted(code) for code in functions.values()),
        registers,
        shared,
        local,
        digest.hexdigest(),
        sum(i.family in _LOCAL_ACCESSES for code in functions.values() for i in code),
    )


def functions_of(listing: str) -> dict[str, list[Instruction]]:
    """The instructions of each function in a listing."""
    _, *parts = _FUNCTION.split(listing)
    return {
        name: [_instruction(found) for found in _INSTRUCTION.finditer(text)]
        for name, text in zip(parts[::2], parts[1::2], strict=True)
    }


def _instruction(found: re.Match[str]) -> Instruction:
    operands = found["operands"].strip()
    target = _TARGET.search(operands)
    jumps = found["opcode"].split(".")[0] in ("BRA", "JMP", "CALL", "BSSY")
    return Instruction(
        int(found["address"], 16),
        found["opcode"],
        operands,
        (found["guard"] or "").strip().removeprefix("@"),
        found["encoding"] + (found["rest"] or ""),
        int(target[1], 16) if jumps and target else None,
    )


def successors(code: Sequence[Instruction]) -> list[list[int]]:
    """The instructions that may follow each one, by their places in the list.

    Threads that come to `BSYNC` go on where the `BSSY` of its barrier says.
    """
    places = {instruction.address: place for place, instruction in enumerate(code)}
    meetings: dict[str, list[int]] = {}
    for instruction in code:
        if instruction.family == "BSSY" and instruction.target in places:
            barrier = instruction.operands.split(",")[0]
            meetings.setdefault(barrier, []).append(places[instruction.target])
    found: list[list[int]] = []
    for place, instruction in enumerate(code):
        following = [place + 1] if instruction.falls_through and place + 1 < len(code) else []
        if instruction.family == "BSYNC":
            following = [*meetings.get(instruction.operands, following)]
        elif instruction.family != "BSSY" and instruction.target in places:
            following.append(places[instruction.target])
        found.append(following)
    return found


def weighted(code: Sequence[Instruction], trips: int = TRIPS) -> int:
    """The instructions that are reached, each times `trips` for every loop around it."""
    if not code:
        return 0
    edges = successors(code)
    depths = dict.fromkeys(reached(edges), 0)
    for body in loops(edges).values():
        if not only_waits(code, body):
            for place in body:
                depths[place] += 1
    return sum(trips**depth for place, depth in depths.items() if code[place].family != "NOP")


def only_waits(code: Sequence[Instruction], body: set[int]) -> bool:
    """Whether a loop does nothing but try a barrier object."""
    return len(body) <= _LONGEST_WAIT and any(_WAITS.search(code[p].opcode) for p in body)


def reached(
    edges: Sequence[Sequence[int]],
    start: int = 0,
    goes_on: Callable[[int, int], bool] = lambda place, other: True,
) -> list[int]:
    """The instructions that are reached from one, by edges that `goes_on`, in reverse postorder."""
    order: list[int] = []
    seen = {start}
    stack = [(start, iter(edges[start]))]
    while stack:
        place, following = stack[-1]
        for other in following:
            if other not in seen and goes_on(place, other):
                seen.add(other)
                stack.append((other, iter(edges[other])))
                break
        else:
            order.append(place)
            stack.pop()
    return order[::-1]


def dominators(edges: Sequence[Sequence[int]]) -> Mapping[int, int]:
    """The immediate dominator of each place that is reached (Cooper, Harvey and Kennedy)."""
    order = reached(edges)
    number = {place: index for index, place in enumerate(order)}
    before: dict[int, list[int]] = {place: [] for place in order}
    for place in order:
        for other in edges[place]:
            before[other].append(place)
    found = {0: 0}
    changed = True
    while changed:
        changed = False
        for place in order[1:]:
            known = [other for other in before[place] if other in found]
            common = known[0]
            for other in known[1:]:
                while common != other:
                    while number[common] > number[other]:
                        common = found[common]
                    while number[other] > number[common]:
                        other = found[other]
            if found.get(place) != common:
                found[place] = common
                changed = True
    return found


def loops(edges: Sequence[Sequence[int]]) -> dict[int, set[int]]:
    """The natural loops by their first place; those that begin at one place are one loop."""
    above = dominators(edges)
    before: dict[int, list[int]] = {place: [] for place in above}
    for place in above:
        for other in edges[place]:
            before[other].append(place)

    def dominates(first: int, place: int) -> bool:
        while place != first and place != 0:
            place = above[place]
        return place == first

    found: dict[int, set[int]] = {}
    for place in above:
        for head in edges[place]:
            if not dominates(head, place):
                continue
            body = found.setdefault(head, {head})
            pending = [place]
            while pending:
                inside = pending.pop()
                if inside not in body:
                    body.add(inside)
                    pending += before[inside]
    return found
