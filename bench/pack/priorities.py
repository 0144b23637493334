"""What to fix first: wrong values, then kernels that fail or hang, then what is slowest.

Each finding says what it is and where to look.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bench.pack.measured import FAILED, Result, Results, detail_of
from bench.pack.runner.plan import stage_of

CLOSE = 0.03
"""The part of the best time by which others may be slower and still count as equal."""

WRONG, BROKEN, SLOW, OF_OTHERS = range(4)
"""Kinds of findings in order of worth; the last is what is wrong of other compilers' kernels."""

SHOWN = 3
"""Items that a finding names."""


@dataclass(frozen=True)
class Finding:
    """Something to fix. Of one kind and stage, those with the highest weight come first."""

    kind: int
    stage: int
    weight: float
    what: str
    where: str

    @property
    def line(self) -> str:
        """A sentence, and where to look."""
        return f"{self.what}. Look at {self.where}."


def findings(results: Results) -> list[Finding]:
    """All that there is to fix, the most important first."""
    found = [*_failing(results), *_slow(results)]
    return sorted(found, key=lambda each: (each.kind, each.stage, -each.weight))


# What is wrong, fails or hangs.


@dataclass(frozen=True)
class _Trouble:
    """An item that went wrong, or a contender of one."""

    name: str
    subject: str
    kind: int
    detail: str


def _failing(results: Results) -> Iterator[Finding]:
    subjects: dict[tuple[int, str], list[_Trouble]] = {}
    for name, result in results.items("").items():
        for trouble in _troubles(name, result):
            subjects.setdefault((trouble.kind, trouble.subject), []).append(trouble)
    for (kind, _), troubles in subjects.items():
        names = list(dict.fromkeys(trouble.name for trouble in troubles))
        shown = ", ".join(f"`{name}`" for name in names[:SHOWN])
        more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
        what = f"{shown}{more}: {troubles[0].detail.rstrip('.')}"
        stage = min(stage_of({"id": name}) for name in names)
        yield Finding(kind, stage, len(names), what, where_to_look(names[0], kind))


def _troubles(name: str, result: Result) -> Iterator[_Trouble]:
    subject = subject_of(name, result)
    ours = result.get("who", "ours") == "ours"
    status, contenders = result["status"], result.get("contenders", {})
    for who, each in contenders.items():
        for how in ("wrong", *FAILED):
            if how in each:
                is_ours = who.split(",")[0] == "ours"
                yield _Trouble(name, subject, _kind(how, is_ours), f"{who} {how}: {each[how]}")
    if not contenders and status in ("wrong", *FAILED):
        said = ": ".join(filter(None, [status, detail_of(result)]))
        yield _Trouble(name, subject, _kind(status, ours), said)


def _kind(how: str, ours: bool) -> int:
    return OF_OTHERS if not ours else WRONG if how == "wrong" else BROKEN


def subject_of(name: str, result: Result) -> str:
    """What items have in common that are one thing to fix: a kernel, an opcode, a family."""
    group, _, rest = name.partition("/")
    match group:
        case "b":
            return f"b {result.get('title', rest).split('.')[0]}"
        case "c":
            return f"c {rest.partition('/')[2]}"
        case "d" | "e" | "f":
            return f"d {family_of(rest)}"
        case _:
            return name


def family_of(problem: str) -> str:
    """A problem without its size."""
    return re.sub(r"_\d+$", "", problem)


WHERE = {
    "a": "`tileir_xdsl/runtime/gpu_launching.py`",
    "b": "the emulator's meaning of it, `tileir_xdsl/emulator/instructions`",
    "d": "the kernel and the sampled reference, `bench/pack/problems.py`, at a smaller size",
    "r": "the readings in `docs/open_readings.md`",
    "l": "the fences in `docs/memory_model.md`",
}
"""By the group of an item."""

KERNELS = (
    ("matrix_", "`bench/matrix_kernels.py`"),
    ("variant_", "`bench/variants.py`"),
)


def where_to_look(name: str, kind: int) -> str:
    """Where what is wrong of an item comes from, and a command that narrows it down."""
    if kind == OF_OTHERS:
        return "what ours does on the same inputs, then the expected values"
    group, _, rest = name.partition("/")
    if group != "c":
        return WHERE.get(group, "`docs/debugging.md`")
    kernel = rest.rpartition("/")[2]
    file = next((file for prefix, file in KERNELS if kernel.startswith(prefix)), None)
    abi = " --abi tile" if rest.startswith("tile/") else ""
    if file is None:
        file = f"`tileir check tileir_xdsl/testing/kernels/{kernel}.mlir{abi}`"
    races = "barriers, waits and shared memory: " if kind == BROKEN else ""
    return f"{races}{file}, as `docs/debugging.md` says"


# What is slow.


def best_of(results: Results, problem: str, *, ours: bool) -> tuple[str, float] | None:
    """The fastest of ours, or of the others, and its seconds."""
    contenders = results.items("d/").get(problem, {}).get("contenders", {})
    times = [
        (each["seconds"], who)
        for who, each in contenders.items()
        if "seconds" in each and (who.split(",")[0] == "ours") == ours
    ]
    return None if not times else (min(times)[1], min(times)[0])


def _slow(results: Results) -> Iterator[Finding]:
    """Of each family the problem that is furthest behind its best rival."""
    # The emulator has no clock, and a dry run makes its times up.
    problems = results.items("d/") if results.data["on"] == "gpu" else {}
    worst: dict[str, tuple[float, str, str]] = {}
    for problem in problems:
        ours, rival = (best_of(results, problem, ours=is_ours) for is_ours in (True, False))
        if ours is None or rival is None:
            continue
        share = rival[1] / ours[1]
        said = f"{share:.0%} of the speed of {rival[0]}: {ours[1]:.3g} s, not {rival[1]:.3g} s"
        worst[family_of(problem)] = min(
            worst.get(family_of(problem), (1 - CLOSE, "", "")), (share, problem, said)
        )
    for share, problem, said in worst.values():
        if problem:
            yield Finding(SLOW, 0, 1 - share, f"`d/{problem}`: {said}", _why(results, problem))


def _why(results: Results, problem: str) -> str:
    """What the counters say of a problem, where they were read."""
    counted = results.items("e/").get(problem, {})
    metrics = counted.get("metrics", {})
    if "cycles" not in metrics:
        return "`docs/debugging.md#my-kernel-is-slow`"
    stalls = {name[6:]: value for name, value in metrics.items() if name.startswith("stall_")}
    cycles = f"{metrics['cycles']:.0f} cycles, {counted['prediction']['cycles']:.0f} predicted"
    if not stalls:
        return cycles
    return f"{cycles}; most warps wait for {max(stalls, key=lambda name: stalls[name])}"
