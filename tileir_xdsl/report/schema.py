"""The data of a report, and their JSON form; `docs/report_schema.md` describes both.

Ids: `oN` is an origin, an op of the module as it was read, numbered in the order of the program.
`vN` is an SSA value. An id stays with a value, and passes to the only value that replaces it.
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
    """The state of a compilation."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class Span(NamedTuple):
    """An occurrence of a value in a line: from character `start` to before `end`."""

    start: int
    end: int
    id: str


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a text."""

    text: str
    ids: tuple[str, ...] = ()
    """The origins of the line."""
    spans: tuple[Span, ...] = ()
    """Values: `[start, end, id]`, in characters from 0, `end` not included."""
    number: int | None = None
    """The number of the op in its function: `#4` in the next pass's decisions and in `force`."""


@dataclass(frozen=True)
class Text:
    """A whole text: a source or generated code."""

    title: str
    language: str
    """`mlir`, `python`, `ptx`, `sass`, `llvm` or `asm`."""
    lines: Sequence[Line]


@dataclass(frozen=True)
class Candidate:
    """One of the choices that a pass had for an op."""

    name: str
    score: float | None = None
    """The score that the pass compares, lower is better; None without a score."""
    pruned: str | None = None
    """The reason for which the candidate is not possible; None if it is possible."""
    force: str | None = None
    """Text for `tileir explain --force` that chooses the candidate; None if there is none."""

    def as_text(self) -> str:
        """The candidate's name, its score or the reason against it, and the text that forces it."""
        score = "" if self.score is None else f" {self.score:g}"
        pruned = "" if self.pruned is None else f", not possible: {self.pruned}"
        forced = "" if self.force is None else f", by --force {self.force}"
        return f"{self.name}{score}{pruned}{forced}"


@dataclass(frozen=True)
class Decision:
    """The decision of a pass about an op."""

    function: str
    op: str
    """An op such as `#4 nv_tileas.tiled_load %tile`, with its number before the pass."""
    ids: tuple[str, ...]
    chosen: str | None
    why: str | None
    candidates: tuple[Candidate, ...]
    facts: Mapping[str, ReportValue]
    """All facts that the pass has reported."""
    about: str = ""
    """The property of the op that is decided; an op may have several decisions."""

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
    """The name of the pass; `read` for the module as it was read."""
    spec: str
    """The pass with its options, as `xdsl-opt -p` takes it."""
    level: str
    """`cuda_tile`, `nv_tileaa`, `nv_tileas`, `tilecpu` or `llvm`."""
    seconds: float
    changed: bool
    """Whether the text differs from that of the phase before."""
    ops: Mapping[str, int]
    """The number of ops of each name."""
    lines: Sequence[Line] | None
    """The text of the module; None if equal to that of the last phase with lines."""
    dead: tuple[str, ...] = ()
    """The ids of values that no op with an effect depends on."""
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
    """The number predicted from the tiles in use."""
    actual: int | None
    """The number that `ptxas -v` reports; None without the assembler."""
    limited_by: str | None = None
    """The hint that limits the registers; None if the code does not need more."""


@dataclass(frozen=True)
class Roofline:
    """The arithmetic of one iteration of the innermost loops with dots, or else of all ops."""

    flops: float
    bytes: float
    """Bytes of global memory that are loaded and stored."""
    intensity: float
    peak_flops: float
    peak_bandwidth: float
    source: str
    """The source of the peak rates."""


@dataclass(frozen=True)
class Resources:
    """Resources of a thread block on a multiprocessor; unknown resources are None."""

    kernel: str
    registers: Registers
    spills: int | None
    """Bytes that the assembler spills for each thread."""
    shared_bytes: int
    tensor_columns: int
    threads: int | None
    blocks_per_sm: int | None
    occupancy: float | None
    """The ratio of resident warps to the most warps of a multiprocessor."""
    limit: str | None
    """The resource that limits the thread blocks: registers, shared memory, threads or blocks."""
    roofline: Roofline | None


@dataclass(frozen=True)
class Site:
    """The location of an access."""

    title: str
    line: int | None
    text: str
    ids: tuple[str, ...]


@dataclass(frozen=True)
class Race:
    """Two accesses that conflict and are not ordered."""

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
    """`line` and `instruction` of a wait, and how often warps `executed` it, with failed tries."""
    races: Sequence[Race]
    values: Sequence[TileValues]
    """The elements of the requested values."""


@dataclass(frozen=True)
class CompilationReport:
    """The report of a compilation, which may be incomplete."""

    file: str
    kernels: tuple[str, ...]
    gpu: str
    options: Mapping[str, Any]
    """Options that are not at their defaults."""
    command: str
    """The command line that reproduces the compilation."""
    tools: Mapping[str, str | None]
    """Versions of `tileir`, `ptxas`, `nvdisasm` and `llvm`; None for a missing one."""
    status: Status
    """`running` (also of an interrupted compilation), `done` or `failed`."""
    failure: Failure | None = None
    sources: tuple[Text, ...] = ()
    """The Python files that debug locations name, if readable, then IR text."""
    phases: Sequence[Phase] = ()
    """The module as read, then after each pass."""
    ptx: Text | None = None
    sass: Text | None = None
    """Machine code; None without `ptxas` and `nvdisasm`."""
    llvm_ir: Text | None = None
    """The LLVM IR for a processor, before LLVM optimises it."""
    assembly: Text | None = None
    """The assembly for a processor."""
    resources: Resources | None = None
    """The resources of the first kernel."""
    run: Run | None = None
    """The result of `--run`."""
    schema: str = field(default=SCHEMA, init=False)
    version: int = field(default=SCHEMA_VERSION, init=False)


CODE_TITLES = {"ptx": "PTX", "sass": "SASS", "llvm_ir": "LLVM IR", "assembly": "Assembly"}
"""The texts of generated code in a report, with their titles on its page."""

_NAMES = {"pass_name": "pass"}
"""Fields with another name in JSON, where it is a keyword of Python."""

_OPTIONAL = frozenset({"number", "trace"})
"""Fields that JSON omits when they are None."""


def as_json(value: Any) -> Any:
    """A report or a part of one, as data for `json.dumps`."""
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
    """The names in JSON of the fields of a part of a report."""
    return tuple(_NAMES.get(f.name, f.name) for f in fields(part))
