"""What continuous integration checks of a pack: a drawn part of it, and the whole by stored costs.

The part is built, its costs are compared with the stored ones, and it is rehearsed on the fake
device.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.pack.build import CACHE, REPOSITORY, Made, make_units, units, write_pack
from bench.pack.choice import (
    BUILD_MINUTES,
    PROCESSORS,
    ROOM,
    SIZE_LIMIT,
    WITH_TREE_LIMIT,
    Cost,
    costs_of,
    fitting,
    stored_costs,
)
from bench.pack.devices import DEVICES, PackDevice
from bench.pack.measured import WRONG
from bench.pack.runner.results import MOST_BYTES, read_json

SLICE = REPOSITORY / "build" / "pack-slice"

SECONDS = 40.0
"""Of a processor, for the units of a part."""

EACH_OFF, TOGETHER_OFF, SLACK_BYTES = 0.5, 0.25, 4096
"""How far sizes may be from the stored ones: of a unit, and of a part; and in any case."""

SLOWER = 3.0
"""How many times the stored seconds a part may take: machines differ."""


def tracked_bytes() -> int:
    """The bytes of all files that git tracks."""
    command = ["git", "ls-files", "-z"]
    listed = subprocess.run(
        command, cwd=REPOSITORY, capture_output=True, encoding="utf-8", check=True
    )
    paths = [REPOSITORY / name for name in listed.stdout.split("\0") if name]
    return sum(path.stat().st_size for path in paths if path.is_file())


@dataclass(frozen=True)
class Whole:
    """A pack of a target by stored costs: what goes in, and what there is no room for."""

    target: str
    taken: Mapping[str, Cost]
    left_out: Sequence[str]

    @staticmethod
    def of(device: PackDevice) -> Whole:
        """All units of a device that there is room for."""
        names = [unit.name for unit in units(device)]
        costs = costs_of(names, stored_costs(device.target))
        taken = fitting(costs, ROOM)
        left = [name for name in names if name not in taken]
        return Whole(device.target, {n: c for n, c in costs.items() if n in taken}, left)

    @property
    def size(self) -> int:
        """The bytes of the pack."""
        return sum(cost.size for cost in self.taken.values())

    @property
    def minutes(self) -> float:
        """How long a build takes."""
        return sum(cost.seconds for cost in self.taken.values()) / PROCESSORS / 60

    def line(self) -> str:
        """What it adds up to."""
        items = sum(cost.items for cost in self.taken.values())
        left = f"; no room for {', '.join(self.left_out)}" if self.left_out else ""
        return (
            f"{self.target}: {len(self.taken)} units, {items} items, {self.size / 2**20:.1f} MiB, "
            f"{self.minutes:.1f} minutes of {PROCESSORS} processors{left}"
        )

    def problems(self, tree: int) -> list[str]:
        """Limits that it does not keep beside so many bytes of the repository."""
        sizes = ((self.size, SIZE_LIMIT), (self.size + tree, WITH_TREE_LIMIT))
        found = [f"{self.target}: {size} bytes, not {most}" for size, most in sizes if size > most]
        if self.minutes > BUILD_MINUTES:
            found.append(f"{self.target}: {self.minutes:.1f} minutes, not {BUILD_MINUTES}")
        return found


def drawn(costs: Mapping[str, Cost], seconds: float, seed: int) -> list[str]:
    """Units by chance, of each group one if it fits, that together take so many seconds at most."""
    shuffled = random.Random(seed).sample(sorted(costs), len(costs))
    firsts = {name[0]: name for name in reversed(shuffled)}
    taken: list[str] = []
    for name in dict.fromkeys([*firsts.values(), *shuffled]):
        if costs[name].seconds <= seconds:
            taken.append(name)
            seconds -= costs[name].seconds
    return taken


def off(costs: Mapping[str, Cost], known: Mapping[str, Cost]) -> list[str]:
    """Where costs are far from the stored ones."""
    found: list[str] = []
    both = [name for name in costs if name in known]
    for name in both:
        size, stored = costs[name].size, known[name].size
        if abs(size - stored) > max(EACH_OFF * stored, SLACK_BYTES):
            found.append(f"{name} has {size} bytes, stored are {stored}")
    size, stored = (sum(each[name].size for name in both) for each in (costs, known))
    if abs(size - stored) > max(TOGETHER_OFF * stored, SLACK_BYTES * len(both)):
        found.append(f"the part has {size} bytes, stored are {stored}")
    spent, expected = (sum(each[name].seconds for name in both) for each in (costs, known))
    if spent > SLOWER * expected:
        found.append(f"the part took {spent:.0f} s of a processor, stored are {expected:.0f}")
    return [f"{each}: run python -m bench.pack sizes" for each in found]


def rehearsed(folder: Path) -> tuple[dict[str, Any], list[str]]:
    """The results of a dry run of a pack, and what is wrong with them."""
    results = folder / "results.json"
    results.unlink(missing_ok=True)
    command = [sys.executable, str(folder / "run_pack.py"), "--results", str(results)]
    command += ["--device", "fake", "--minutes", "9"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        return {}, [done.stderr.strip() or f"run_pack.py ended with {done.returncode}"]
    items: dict[str, Any] = read_json(results, "results file")["items"]
    bad = [f"{name}: {r['status']}" for name, r in items.items() if r["status"] in WRONG]
    return items, bad


def results_bytes(made: Made, items: Mapping[str, Any], whole: Whole) -> float:
    """How large the results of a whole pack are, if items are like those of a part of it."""
    means: dict[str, list[float]] = {}
    for name, unit in made.units.items():
        sizes = [len(json.dumps(items[item["id"]])) + len(item["id"]) for item in unit.items]
        means.setdefault(name[0], []).extend(sizes)
    every = [size for sizes in means.values() for size in sizes]
    return sum(
        cost.items * sum(sizes) / len(sizes)
        for name, cost in whole.taken.items()
        if (sizes := means.get(name[0], every))
    )


def check(
    folder: Path, target: str, seed: int, jobs: int, seconds: float = SECONDS, cache: Path = CACHE
) -> list[str]:
    """What is wrong with a drawn part of a pack, or with the whole of any target."""
    device, known = DEVICES[target], stored_costs(target)
    whole = Whole.of(device)
    names = drawn(whole.taken, seconds, seed)
    print(f"seed {seed}, {target}: {', '.join(names)}", flush=True)
    made = make_units(device, [u for u in units(device) if u.name in names], jobs, cache)
    found = [f"{name} cannot be made" for name in made.failed]
    write_pack(folder, device, made.units)
    items, bad = rehearsed(folder)
    found += [*bad, *off(made.costs, known)]
    if items:
        size = results_bytes(made, items, whole)
        print(f"results of the whole have {size / 2**20:.1f} MiB")
        if size > MOST_BYTES:
            found.append(f"results of the whole have {size:.0f} bytes, not {MOST_BYTES}")
    tree = tracked_bytes()
    print(f"tracked files: {tree / 2**20:.1f} MiB")
    for each in map(Whole.of, DEVICES.values()):
        print(each.line())
        found += each.problems(tree)
    return found
