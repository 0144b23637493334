"""Results files as a report reads them, and those that are stored."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.pack.runner.results import RESULTS_FORMAT, PackError, read_json, write_json

RESULTS = Path(__file__).resolve().parents[1] / "results"

FAILED = ("fault", "hung", "crash")
WRONG = ("wrong", *FAILED)

Result = Mapping[str, Any]


def load(path: Path) -> dict[str, Any]:
    """A results file. Raises PackError for anything else."""
    data = read_json(path, "results file")
    if not isinstance(data, dict) or data.get("format") != RESULTS_FORMAT:
        raise PackError(f"{path}: no results file of format {RESULTS_FORMAT}")
    return data


@dataclass(frozen=True)
class Results:
    """The items of a results file by group."""

    data: Mapping[str, Any]

    def items(self, prefix: str) -> dict[str, Result]:
        """Items whose names begin so, by the rest of their names."""
        every: Mapping[str, Result] = self.data["items"]
        return {name[len(prefix) :]: r for name, r in every.items() if name.startswith(prefix)}

    def seconds(self, problem: str, who: str) -> float | None:
        """The median of the fastest of those whose names begin so."""
        found = self.items("d/").get(problem, {}).get("contenders", {})
        times = [each["seconds"] for name, each in found.items() if _is(name, who, each)]
        return min(times, default=None)

    def ratio(self, problem: str, other: str) -> float | None:
        """How many times faster ours is than another one."""
        ours, theirs = self.seconds(problem, "ours"), self.seconds(problem, other)
        return None if ours is None or theirs is None else theirs / ours


def _is(name: str, who: str, result: Result) -> bool:
    return "seconds" in result and name.split(",")[0] == who


def detail_of(result: Result) -> str:
    """What is wrong with an item, in one line."""
    if result.get("detail"):
        return result["detail"]
    if result.get("hazards"):
        return ", ".join(f"{name}: {count}" for name, count in result["hazards"].items())
    if result.get("forbidden"):
        return f"{result['forbidden']} of {result['repetitions']} outcomes are forbidden"
    outputs = result.get("outputs", ())
    parts = [f"{o['wrong']} of {o['of']} elements, up to {o['worst']:.3g} off" for o in outputs]
    parts += [
        f"{who}: {each[how]}"
        for who, each in result.get("contenders", {}).items()
        for how in WRONG
        if how in each
    ]
    return "; ".join(parts)


# Stored results.


def store(data: Mapping[str, Any], folder: Path = RESULTS) -> Path:
    """Keeps results without the bits of wrong ones; the file is named after date and device.

    Raises PackError for results that are not of a GPU.
    """
    if data["on"] != "gpu" or not data["device"]:
        raise PackError("only what a GPU has measured is stored")
    small = json.loads(json.dumps(data))
    for result in small["items"].values():
        for output in result.get("outputs", ()):
            output.pop("bits", None)
        result.pop("tail", None)
    date = small["sessions"][-1]["date"][:10]
    device = "-".join(str(small["device"]["name"]).lower().split())
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{date}-{device}.json"
    write_json(path, small)
    return path


def newest(folder: Path = RESULTS) -> dict[str, Any] | None:
    """The stored results of the latest date; None where there are none."""
    found = sorted(folder.glob("*.json"))
    return load(found[-1]) if found else None
