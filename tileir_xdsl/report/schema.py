"""The data of a report, and the JSON that they become; `docs/report_schema.md` describes both.

Ids: `oN` is an origin, an op of the module as it was read, numbered in the order of the program.
`vN` is an SSA value. It keeps its id while it exists or exactly one other value replaces it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import StrEnum
from math import isfinite
from typing import Any, NamedTuple

from tileir_xdsl.drawings.drawing import Drawing
from tileir_xdsl.explain import ReportValue

SCHEMA = "tileir-report"
SCHEMA_VERSION = 1


class Status(StrEnum):
    """How far a compilation is."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class Span(NamedTuple):
    """A value in a line: from character `start` up to `end`, which is not part of it."""

    start: int
    end: int
    id: str


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a text."""

    text: str
    ids: tuple[str, ...] = ()
    """The origins that the line stems from."""
    spans: tuple[Span, ...] = ()
    """Values: `[start, end, id]`, in characters from 0, `end` not included."""
    number: int | None = None
    """The number of the op in its function: `#4` in the decisions of the next pass and in force."""


@dataclass(frozen=True)
class Text:
    """A whole text: a source, PTX or machine code."""

    title: str
    language: str
    """`mlir`, `python`, `ptx` or `sass`."""
    lines: Sequence[Line]


@dataclass(frozen=True)
class Candidate:
    """One of the choices that a pass had for an op."""

    name: str
    score: float | None = None
    """Lower is better; None where the pass compares by no number."""
    pruned: str | None = None
    """The reason for which the candidate is not possible; None if it is possible."""
    force: str | None = None
    """Text for `tileir explain --force` to choose it; None if it cannot be forced."""

    def as_text(self) -> str:
        """Its name and score, or why it could not be had, and the text that forces it."""
        score = "" if self.score is None else f" {self.score:g}"
        pruned = "" if self.pruned is None else f", not possible: {self.pruned}"
        forced = "" if self.force is None else f", by --force {self.force}"
        return f"{self.name}{score}{pruned}{forced}"


@dataclass(frozen=True)
class Decision:
    """The decision of a pass about an op."""

    function: str
    op: str
    """`#4 nv_tileas.tiled_load %tile`, the number as in the lines shown before the pass."""
    ids: tuple[str, ...]
    chosen: str | None
    why: str | None
    candidates: tuple[Candidate, ...]
    facts: Mapping[str, ReportValue]
    """The report of the pass itself."""
    about: str = ""
    """The property of the op that is decided, which tells decisions about one op apart."""

    def as_text(self) -> str:
        """The op, the choice and its reason, and a line for each candidate."""
        about = f" ({self.about})" if self.about else ""
        lines = [f"@{self.function} {self.op}: {self.chosen or 'nothing'}{about}"]
        lines += [f"  why: {self.why}"] if self.why else []
        return "\n".join([*lines, *(f"  {one.as_text()}" for one in self.candidates)])


@dataclass(frozen=True)
class Phase:
    """The result of one pass; phase 0 is the module as it was read."""

    index: int
    pass_name: str
    """The pass; `read` for the module as it was read."""
    spec: str
    """The pass with its options, as `xdsl-opt -p` takes it."""
    level: str
    """`cuda_tile`, `nv_tileaa`, `nv_tileas` or `llvm`."""
    seconds: float
    changed: bool
    """Whether the text differs from that of the phase before."""
    ops: Mapping[str, int]
    """How many ops there are of each name."""
    lines: Sequence[Line] | None
    """None where the text is that of the last phase with lines."""
    dead: tuple[str, ...] = ()
    """Values that nothing with an effect depends on."""
    remarks: tuple[str, ...] = ()
    decisions: tuple[Decision, ...] = ()
    drawings: tuple[Drawing, ...] = ()

    def as_text(self) -> str:
        """The pass, its decisions and its remarks."""
        lines = [f"{self.pass_name} ({self.level}){'' if self.changed else ': unchanged'}"]
        lines += [decision.as_text() for decision in self.decisions]
        return "\n".join([*lines, *(f"remark: {remark}" for remark in self.remarks)])


@dataclass(frozen=True)
class Failure:
    """The diagnostic that ended a compilation, and the phase that it ended in."""

    phase: int
    message: str
    where: str | None
    """`FILE:LINE:COLUMN`."""
    ids: tuple[str, ...]


@dataclass(frozen=True)
class Registers:
    """Registers of a thread."""

    predicted: int | None
    """By the tiles in use."""
    actual: int | None
    """As `ptxas -v` says; None without the assembler."""
    limited_by: str | None = None
    """The hint that leaves no more of them; None where the code needs no more."""


@dataclass(frozen=True)
class Roofline:
    """The arithmetic of one iteration of each innermost loop with dots, else of each op once."""

    flops: float
    bytes: float
    """Bytes of global memory that are loaded and stored."""
    intensity: float
    peak_flops: float
    peak_bandwidth: float
    source: str
    """Where the peaks are stated."""


@dataclass(frozen=True)
class Resources:
    """Resources of a thread block on a multiprocessor; None where one is unknown."""

    kernel: str
    registers: Registers
    spills: int | None
    """Bytes of a thread that the assembler stores and loads for want of registers."""
    shared_bytes: int
    tensor_columns: int
    threads: int | None
    blocks_per_sm: int | None
    occupancy: float | None
    """The resident warps over those that a multiprocessor can hold."""
    limit: str | None
    """The limit on more thread blocks: registers, shared memory, threads or blocks."""
    roofline: Roofline | None


@dataclass(frozen=True)
class Site:
    """Where an access is."""

    title: str
    line: int | None
    text: str
    ids: tuple[str, ...]


@dataclass(frozen=True)
class Race:
    """Two accesses that conflict and that nothing orders."""

    first: Site
    second: Site
    message: str


@dataclass(frozen=True)
class TileValues:
    """The elements of a value, nested by its shape."""

    id: str
    shape: tuple[int, ...]
    values: Any


@dataclass(frozen=True)
class Run:
    """The result of one launch on given arguments."""

    instructions: Mapping[str, int]
    """How often each opcode was executed, over all warps."""
    barrier_waits: Sequence[Mapping[str, ReportValue]]
    """`line` and `instruction` of a wait, how often warps `executed` it, failed tries included."""
    races: Sequence[Race]
    values: Sequence[TileValues]
    """Those that were asked for."""


@dataclass(frozen=True)
class CompilationReport:
    """The report of a compilation, as far as it went."""

    file: str
    kernels: tuple[str, ...]
    gpu: str
    options: Mapping[str, Any]
    """Options that are not at their defaults."""
    command: str
    """The command line that compiles so again."""
    tools: Mapping[str, str | None]
    """Versions of `tileir`, `ptxas` and `nvdisasm`; None for a missing one."""
    status: Status
    """`running`, also where a compilation was broken off, `done` or `failed`."""
    failure: Failure | None = None
    sources: tuple[Text, ...] = ()
    """Python that debug locations name, if it is here, then IR text."""
    phases: Sequence[Phase] = ()
    """The module as read, then after each pass."""
    ptx: Text | None = None
    sass: Text | None = None
    """Machine code; None without `ptxas` and `nvdisasm`."""
    resources: Resources | None = None
    """Of the first kernel."""
    run: Run | None = None
    """The result of `--run`."""
    schema: str = field(default=SCHEMA, init=False)
    version: int = field(default=SCHEMA_VERSION, init=False)


_NAMES = {"pass_name": "pass"}
"""Fields whose name in JSON is a keyword of Python."""

_OPTIONAL = frozenset({"number", "trace"})
"""Fields that JSON has only where they are known: of the many lines, few stand for an op."""


def as_json(value: Any) -> Any:
    """A report, or a part of it, as what `json.dumps` takes."""
    match value:
        case Line(text, ids, spans, number):
            line = {"text": text, "ids": list(ids), "spans": [list(span) for span in spans]}
            return line if number is None else {**line, "number": number}
        case float() if not isfinite(value):
            # JSON has no such numbers.
            return str(value)
        case str() | int() | float() | None:
            return value
        case Mapping():
            return {key: as_json(item) for key, item in value.items()}
        case list() | tuple():
            return [as_json(item) for item in value]
        case _:
            known = ((f.name, getattr(value, f.name)) for f in fields(value))
            return {
                _NAMES.get(name, name): as_json(item)
                for name, item in known
                if item is not None or name not in _OPTIONAL
            }


def fields_in_json(part: type[Any]) -> tuple[str, ...]:
    """The names that a part of a report has in JSON."""
    return tuple(_NAMES.get(f.name, f.name) for f in fields(part))
