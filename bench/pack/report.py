"""What a results file says: what to fix first, goals, what is wrong, differences, times.

Works on the results alone, as Markdown. Everything that was not measured says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.pack.measured import WRONG, Result, Results, detail_of
from bench.pack.priorities import CLOSE, best_of, family_of, findings
from bench.pack.runner.plan import stage_of

NOT_MEASURED = "not measured"

PREDICTED = 0.2
"""The relative error above which a prediction is worth a look."""

COPY_SHARE = 0.95
"""Of the rate of a copy, what kernels that memory bounds should reach."""

SHOWN_READINGS = 4
"""Operands of a reading that a report shows."""

FIRST = 3
"""How many things to fix the report opens with."""

ROW_PROBLEMS = ("softmax", "layer_norm", "rope", "cross_entropy", "row_sum", "transpose", "gather")

# Tables.


def table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A Markdown table; an empty one is a dash."""
    if not rows:
        return "None."
    lines = ["| " + " | ".join(map(str, row)) + " |" for row in (head, *rows)]
    lines.insert(1, "|" + "---|" * len(head))
    return "\n".join(lines)


def _number(value: float | None, digits: int = 2) -> str:
    return NOT_MEASURED if value is None else f"{value:.{digits}f}"


# Goals.


@dataclass(frozen=True)
class Goal:
    """Something to reach: a figure, and from where on it is reached."""

    title: str
    least: float
    value: Callable[[Results], float | None]

    def row(self, results: Results) -> tuple[str, str, str, str]:
        """The goal, what was measured, and whether that is enough."""
        # The emulator agrees with itself, and its times are not those of a GPU.
        value = self.value(results) if results.data["on"] == "gpu" else None
        verdict = NOT_MEASURED if value is None else "met" if value >= self.least else "missed"
        return self.title, f"{self.least:g}", _number(value, 3), verdict


def _ratio(problem: str, other: str) -> Callable[[Results], float | None]:
    return lambda results: results.ratio(problem, other)


def _row_share(results: Results) -> float | None:
    """The lowest share of the rate of a copy among the kernels that memory bounds."""
    times = results.items("d/")
    copy = results.seconds("copy", "ours")
    shares: list[float] = []
    for name in ROW_PROBLEMS:
        seconds = results.seconds(name, "ours")
        if copy is not None and seconds is not None:
            rate = times[name]["work"] / seconds
            shares.append(rate / (times["copy"]["work"] / copy))
    return min(shares, default=None)


def _equal_share(results: Results) -> float | None:
    """The share of instruction forms whose bits are the emulator's, or near enough for PTX."""
    found = [r["status"] for r in results.items("b/").values()]
    known = [status for status in found if status in ("right", "near", *WRONG)]
    return sum(s in ("right", "near") for s in known) / len(known) if known else None


def _choice(result: Result) -> tuple[float, float] | None:
    """The time of the model's choice, and the best one."""
    times = {w: e["seconds"] for w, e in result.get("contenders", {}).items() if "seconds" in e}
    chosen = times.get(result.get("chosen") or "")
    return None if chosen is None else (chosen, min(times.values()))


def _choice_share(results: Results) -> float | None:
    """The lowest share of the best time that a choice of the tuner reaches."""
    found = [pair for r in results.items("f/").values() if (pair := _choice(r)) is not None]
    return min((best / chosen for chosen, best in found), default=None)


GOALS: Sequence[Goal] = (
    Goal("bf16 matmul 8192, of cuBLAS", 0.9, _ratio("matmul_bf16_8192", "cuBLAS")),
    Goal("bf16 matmul 8192, of tileiras", 1.0, _ratio("matmul_bf16_8192", "tileiras")),
    Goal("bf16 matmul 8192, of Triton", 1.0, _ratio("matmul_bf16_8192", "Triton")),
    *(
        Goal(
            f"attention {suffix}16384 tokens, heads of 128, of {other}",
            1.0,
            _ratio(f"attention_128_{infix}16384", other),
        )
        for suffix, infix in (("", ""), ("causal, ", "causal_"))
        for other in ("tileiras", "Triton")
    ),
    Goal("f8 matmul 8192, of tileiras", 1.0, _ratio("matmul_f8_8192", "tileiras")),
    Goal("tf32 matmul 8192, of tileiras", 1.0, _ratio("matmul_tf32_8192", "tileiras")),
    Goal("row kernels, of the rate of a copy (lowest)", COPY_SHARE, _row_share),
    Goal("tuner's choice, of the best (lowest)", 1 - CLOSE, _choice_share),
    Goal("instruction forms as the emulator has them", 1.0, _equal_share),
)


# Sections.


def _wrong(results: Results) -> str:
    rows = [
        (name, r["status"], detail_of(r))
        for name, r in results.items("").items()
        if name[0] != "b" and r["status"] in WRONG
    ]
    return table(("item", "status", "what"), rows)


def _facts(results: Results) -> str:
    rows = [
        (r.get("title", name), r.get("answer") or r.get("detail", ""))
        for name, r in results.items("a/").items()
        if r["status"] == "answered"
    ]
    return table(("launch", "answer"), rows)


def _readings(results: Results) -> str:
    """What both compilers' kernels make of operands on which others disagree, where they differ."""
    rows: list[tuple[str, ...]] = []
    for name, r in results.items("r/").items():
        if r["status"] != "answered":
            continue
        bits: Mapping[str, Sequence[str]] = r["bits"]
        columns = zip(r["questions"], *bits.values(), strict=True)
        differing = [
            f"{question}: {', '.join(map(' '.join, zip(bits, read, strict=True)))}"
            for question, *read in columns
            if len(set(read)) > 1
        ]
        shown = "; ".join(differing[:SHOWN_READINGS])
        more = len(differing) - SHOWN_READINGS
        rows.append(
            (
                r.get("title", name),
                r.get("note", ""),
                r["answer"],
                f"{shown}; and {more} more" if more > 0 else shown,
            )
        )
    return table(("op", "the text says", "answer", "operands and bits"), rows)


def _litmus(results: Results) -> str:
    rows = [
        (r.get("title", name), r["status"], r["forbidden"], r["repetitions"], r["not_seen"])
        for name, r in results.items("l/").items()
        if "repetitions" in r
    ]
    head = ("test", "status", "forbidden", "repetitions", "allowed outcomes not seen")
    return table(head, rows)


def _differences(results: Results) -> str:
    counts: dict[str, dict[str, int]] = {}
    rows: list[tuple[Any, ...]] = []
    for name, r in results.items("b/").items():
        family, status = name.split("/")[0], r["status"]
        if family == "approximation" or status in ("skipped", "cut", "dry"):
            continue
        counted = counts.setdefault(family, {})
        counted[status] = counted.get(status, 0) + 1
        for output in r.get("outputs", ()):
            share = output.get("worst_of_magnitude")
            rows.append(
                (
                    f"`{r.get('title', name)}`",
                    family,
                    status,
                    f"{output['wrong']} of {output['of']}",
                    f"{output['worst_ulps']:g}",
                    "" if share is None else f"{share:.2g}",
                )
            )
    summary = [
        (family, *(counted.get(s, 0) for s in ("right", "near", "wrong", "fault", "refused")))
        for family, counted in counts.items()
    ]
    head = ("family", "equal", "near", "different", "fault", "refused")
    columns = ("form", "family", "status", "elements", "ulps", "of the magnitude")
    return f"{table(head, summary)}\n\n{table(columns, rows)}"


def _approximations(results: Results) -> str:
    rows = [
        (
            name,
            f"{each['low']:g} to {each['high']:g}",
            each["measure"],
            f"{each['error']:.3g}",
            f"{each['bound']:.3g}",
            f"{each['correctly_rounded'] / max(1, each['tested']):.1%}",
        )
        for name, r in results.items("b/approximation/").items()
        for each in r.get("ranges", ())
    ]
    head = ("function", "range", "measure", "largest error", "allowed", "correctly rounded")
    return table(head, rows)


CONTENDERS = ("ours", "tileiras", "Triton")


def _times(results: Results) -> str:
    rows: list[tuple[str, ...]] = []
    for name, r in results.items("d/").items():
        if "contenders" not in r or r["status"] == "dry":
            continue
        scale, unit = (1e12, "TFLOP/s") if r["unit"] == "FLOP" else (1e9, "GB/s")
        others = [w for w in r["contenders"] if w.split(",")[0] not in CONTENDERS]
        library = min(
            (s for w in others if (s := results.seconds(name, w)) is not None), default=None
        )
        seconds = [results.seconds(name, who) for who in CONTENDERS] + [library]
        rates = ["" if s is None else f"{r['work'] / s / scale:.0f}" for s in seconds]
        ratios = [
            "" if seconds[0] is None or s is None else f"{s / seconds[0]:.2f}" for s in seconds[1:]
        ]
        clock = r.get("clocks", [{}, {}])[1].get("sm")
        rows.append((name, unit, *rates, *ratios, "" if clock is None else f"{clock:.0f}"))
    head = ("problem", "unit", "ours", "tileiras", "Triton", "library")
    return table((*head, "to tileiras", "to Triton", "to library", "SM MHz"), rows)


def _predictions(results: Results) -> Iterator[tuple[str, float, float, Result]]:
    """Problem, predicted and measured cycles, and all counters."""
    for name, r in results.items("e/").items():
        measured = r.get("metrics", {}).get("cycles")
        if measured:
            yield name, r["prediction"]["cycles"], measured, r["metrics"]


def _model(results: Results) -> str:
    rows = [
        (
            name,
            f"{predicted:.0f}",
            f"{measured:.0f}",
            f"{predicted / measured - 1:+.0%}",
            *(
                f"{m[key]:g}" if key in m else ""
                for key in ("tensor_pipe_percent", "bank_conflicts")
            ),
            ", ".join(f"{k[6:]} {v:.2f}" for k, v in m.items() if k.startswith("stall_")),
        )
        for name, predicted, measured, m in _predictions(results)
    ]
    head = ("problem", "predicted cycles", "measured", "error", "tensor pipe %", "bank conflicts")
    return table((*head, "stalls"), rows)


def _tuner(results: Results) -> str:
    rows: list[tuple[str, ...]] = []
    for name, r in results.items("f/").items():
        pair = _choice(r)
        times = {w: e["seconds"] for w, e in r.get("contenders", {}).items() if "seconds" in e}
        if pair is None or r["status"] == "dry":
            continue
        best = min(times, key=lambda who: times[who])
        default = times.get("default")
        slower = "" if default is None else f"{default / pair[1] - 1:.1%}"
        rows.append(
            (name, str(len(times)), best, r["chosen"], f"{pair[0] / pair[1] - 1:.1%}", slower)
        )
    head = ("problem", "candidates", "best", "chosen", "slower by", "default slower by")
    return table(head, rows)


def what_to_change(results: Results) -> list[str]:
    """What the results ask for besides what comes first, the most important first."""
    found = [finding.line for finding in findings(results)[FIRST:]]
    for goal in GOALS:
        title, least, value, verdict = goal.row(results)
        if verdict == "missed":
            found.append(f"Goal missed: {title}: {value}, wanted {least}.")
    for name, predicted, measured, _ in _predictions(results):
        error = predicted / measured - 1
        if abs(error) > PREDICTED:
            found.append(f"Fit the rates in `targets/throughput.py`: {name} is {error:+.0%} off.")
    for name, r in results.items("f/").items():
        pair = _choice(r)
        if pair is not None and r["status"] != "dry" and pair[0] > (1 + CLOSE) * pair[1]:
            found.append(f"Tuner: {name}: `{r['chosen']}` is {pair[0] / pair[1] - 1:.1%} slower.")
    return found


def _not_run(results: Results) -> str:
    reasons: dict[tuple[str, str], int] = {}
    for name, r in results.items("").items():
        if r["status"] in ("skipped", "cut", "refused", "dry"):
            key = name[0], r["status"] + (f": {r['detail']}" if r.get("detail") else "")
            reasons[key] = reasons.get(key, 0) + 1
    return table(("group", "items", "why"), [(g, n, why) for (g, why), n in reasons.items()])


SECTIONS: Sequence[tuple[str, Callable[[Results], str]]] = (
    ("Wrong", _wrong),
    ("Driver facts", _facts),
    ("Disputed readings", _readings),
    ("Litmus", _litmus),
    ("Emulator and hardware", _differences),
    ("Approximations", _approximations),
    ("Times", _times),
    ("Predictions", _model),
    ("Tuner", _tuner),
    ("Not run", _not_run),
)


def summary(data: Mapping[str, Any] | None) -> str:
    """Times next to the best rival's, of each family the last problem; or that there are none."""
    if data is None:
        return "No GPU has run our code yet, so there is no claim here about its speed on a GPU."
    results = Results(data)
    rows: dict[str, tuple[str, ...]] = {}
    for problem, r in sorted(results.items("d/").items(), key=_by_worth):
        ours, rival = (best_of(results, problem, ours=is_ours) for is_ours in (True, False))
        if ours is None or rival is None:
            continue
        scale, unit = (1e12, "TFLOP/s") if r["unit"] == "FLOP" else (1e9, "GB/s")
        rates = [f"{r['work'] / seconds / scale:.0f} {unit}" for _, seconds in (ours, rival)]
        share = f"{rival[1] / ours[1]:.2f}"
        rows[family_of(problem)] = (problem, rates[0], rival[0], rates[1], share)
    device, date = data["device"].get("name", ""), data["sessions"][-1]["date"][:10]
    head = ("problem", "ours", "best rival", "its rate", "ours to it")
    return f"Measured on {device}, {date}:\n\n{table(head, [*rows.values()])}"


def _by_worth(named: tuple[str, Result]) -> tuple[int, int]:
    """Stage and work: the largest problem of a family comes last."""
    problem, result = named
    return stage_of({"id": f"d/{problem}"}), result.get("work", 0)


def report(data: Mapping[str, Any]) -> str:
    """The report of a results file, as Markdown without a title."""
    results = Results(data)
    device, sessions = data["device"], data["sessions"]
    name = device.get("name", "no device")
    driver = device.get("driver_cuda")
    known = f", driver for CUDA {driver // 1000}.{driver % 1000 // 10}" if driver else ""
    date = sessions[-1]["date"][:10] if sessions else ""
    what = {"gpu": "Measured on", "emulator": "Run in the", "fake": "Dry run with"}[data["on"]]
    first = [f"{n}. {finding.line}" for n, finding in enumerate(findings(results)[:FIRST], 1)]
    changes = what_to_change(results)
    lines = [
        f"{what} {name}{known}, {date}.",
        "## Fix first",
        "\n".join(first) or "Nothing is known to be wrong, or slower than a rival.",
        "## Goals",
        table(("goal", "at least", "found", ""), [goal.row(results) for goal in GOALS]),
        "## What to change",
        "\n".join(f"- {change}" for change in changes) or "Nothing.",
    ]
    for title, section in SECTIONS:
        lines += [f"## {title}", section(results)]
    return "\n\n".join(lines) + "\n"
