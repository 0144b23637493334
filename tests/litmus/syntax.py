"""Reads litmus tests in herd's text format, with PTX instructions as the assembler takes them.

    PTX MP+release+acquire.gpu
    "A flag that is released and acquired makes data visible."
    Race=no
    { x=0; y=0; }
     P0@cta 0             | P1@cta 1                ;
     st.global.u32 [x], 1 | ld.acquire.gpu.global.u32 r0, [y] ;
     ...
    ~exists (1:r0=1 /\\ 1:r1=0)

A column is a thread. Its place is the block (`cta`) it is in, the cluster of that and its device,
each by number; a block is in a cluster of its own, and on device 0, where these are left out. Locations are words of global memory; `shared x=0` is one of
the shared memory of block 0, `shared(1) x=0` of another one, and `mbarrier m` a barrier object in
shared memory. Registers are `r` (32 bits) or `p` (predicates) and a number, and zero at first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tests.litmus.conditions import Condition, LitmusError, parse_condition

Space = Literal["global", "shared", "mbarrier"]


@dataclass(frozen=True)
class Place:
    """Where a thread runs: numbers of its block, of that block's cluster, and of its device."""

    cta: int = 0
    cluster: int = 0
    gpu: int = 0


@dataclass(frozen=True)
class Location:
    """A word of memory, or a barrier object; in shared memory it is that of block `cta`."""

    name: str
    space: Space
    initial: int = 0
    cta: int = 0


@dataclass(frozen=True)
class Instruction:
    """One instruction: `st.global.u32` with operands `("[x]", "1")`; a guard is `p0` or `!p0`."""

    mnemonic: str
    operands: tuple[str, ...]
    guard: str = ""

    @property
    def parts(self) -> tuple[str, ...]:
        return tuple(self.mnemonic.split("."))

    @property
    def text(self) -> str:
        guard = f"@{self.guard} " if self.guard else ""
        return f"{guard}{self.mnemonic} {', '.join(self.operands)}".rstrip()


@dataclass(frozen=True)
class LitmusTest:
    name: str
    comment: str
    locations: dict[str, Location]
    places: tuple[Place, ...]
    threads: tuple[tuple[Instruction, ...], ...]
    condition: Condition
    info: dict[str, str]

    @property
    def is_racy(self) -> bool:
        """Whether, as the test states, some execution has a data race."""
        return self.info["Race"] == "yes"


def read_test(path: Path) -> LitmusTest:
    return parse_test(path.read_text(encoding="utf-8"))


def parse_test(text: str) -> LitmusTest:
    """Reads one test.

    Raises `LitmusError` for what is not well-formed.
    """
    text = re.sub(r"\(\*.*?\*\)", "", text, flags=re.DOTALL)
    match: re.Match[str] | None = re.match(
        r'\s*PTX\s+(\S+)\s*(?:"([^"]*)")?([^{]*)\{([^}]*)\}(.*?)((?:~\s*exists|exists|forall).*)\Z',
        text,
        re.DOTALL,
    )
    if match is None:
        raise LitmusError("expected PTX NAME, a comment, { initial state }, threads, a condition")
    name, comment, info, state, table, condition = match.groups()
    pairs = dict(re.findall(r"^\s*(\w+)=(\S+)\s*$", info, re.MULTILINE))
    if pairs.get("Race") not in ("yes", "no"):
        raise LitmusError("expected Race=yes or Race=no")
    rows = [[cell.strip() for cell in row.split("|")] for row in table.split(";") if row.strip()]
    if not rows or any(len(row) != len(rows[0]) for row in rows):
        raise LitmusError("the rows of the threads differ in length")
    places = tuple(_parse_place(number, cell) for number, cell in enumerate(rows[0]))
    threads = tuple(
        tuple(_parse_instruction(row[column]) for row in rows[1:] if row[column])
        for column in range(len(places))
    )
    return LitmusTest(
        name,
        comment or "",
        _parse_state(state),
        places,
        threads,
        parse_condition(condition),
        pairs,
    )


def _parse_state(text: str) -> dict[str, Location]:
    found: dict[str, Location] = {}
    for entry in filter(None, (part.strip() for part in text.split(";"))):
        match = re.fullmatch(
            r"(?:(shared|mbarrier)(?:\((\d+)\))?\s+)?([A-Za-z_]\w*)(?:\s*=\s*(\d+))?", entry
        )
        if match is None:
            raise LitmusError(f"expected NAME=NUMBER, found {entry!r}")
        space: Space = "global"
        if match[1]:
            space = "shared" if match[1] == "shared" else "mbarrier"
        found[match[3]] = Location(match[3], space, int(match[4] or 0), int(match[2] or 0))
    return found


def _parse_place(number: int, cell: str) -> Place:
    match = re.fullmatch(r"P(\d+)(?:@(.*))?", cell)
    if match is None or int(match[1]) != number:
        raise LitmusError(f"expected P{number}, found {cell!r}")
    levels: dict[str, int] = {}
    for part in filter(None, (part.strip() for part in (match[2] or "").split(","))):
        level = re.fullmatch(r"(cta|cluster|gpu)\s+(\d+)", part)
        if level is None:
            raise LitmusError(f"expected cta, cluster or gpu and a number, found {part!r}")
        levels[level[1]] = int(level[2])
    cta = levels.get("cta", 0)
    return Place(cta, levels.get("cluster", cta), levels.get("gpu", 0))


def _parse_instruction(cell: str) -> Instruction:
    match = re.fullmatch(r"(?:@(!?p\d+)\s+)?([a-z][\w.:]*)\s*(.*)", cell)
    if match is None:
        raise LitmusError(f"expected an instruction, found {cell!r}")
    operands = tuple(part.strip() for part in match[3].split(",")) if match[3] else ()
    return Instruction(match[2], operands, match[1] or "")
