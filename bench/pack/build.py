"""Builds a pack: makes its units in parallel, keeps what is made, writes files and the runner.

A unit that has been made before is read from the cache, so that a build that was ended goes on
where it was. The cache forgets everything when a source file changes.
"""

from __future__ import annotations

import hashlib
import json
import math
import multiprocessing
import pickle
import resource
import shutil
import traceback
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from bench.pack import facts, instructions, kernels, litmus, readings, times, tuner
from bench.pack.choice import PROCESSORS, ROOM, Cost, Room, costs_of, fitting, stored_costs
from bench.pack.devices import DEVICES, PackDevice
from bench.pack.items import UnitSpec
from bench.pack.joining import RUNNER, runner_text
from bench.pack.measured import newest
from bench.pack.packing import Packed, pack_unit
from bench.pack.runner.memory import MANIFEST, PACK_FORMAT, UNITS, write_manifest
from bench.pack.runner.results import PackError

REPOSITORY = Path(__file__).resolve().parents[2]
SOURCES = ("tileir_xdsl", "bench", "tests")
APART = ("build", "choice", "joining", "measured", "priorities", "report", "slice", "__main__")
DEFAULT_TARGET = "sm_90a"
CACHE = REPOSITORY / "build" / "pack-cache"


def units(device: PackDevice) -> list[UnitSpec]:
    """All units of a pack for a device, in the order of the items."""
    groups = (facts, instructions, kernels, readings, litmus, times, tuner)
    return [unit for group in groups for unit in group.units(device)]


# Making units.


@cache
def fingerprint() -> str:
    """Changes with every source file that a unit depends on; a process finds it once."""
    digest = hashlib.sha256()
    for folder in SOURCES:
        for path in sorted((REPOSITORY / folder).rglob("*")):
            if path.suffix in (".py", ".mlir", ".toml", ".litmus") and not _is_apart(path):
                digest.update(str(path.relative_to(REPOSITORY)).encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()


def _is_apart(path: Path) -> bool:
    """Whether no unit depends on a file: the runner, the report, and what writes packs."""
    here = Path(__file__).parent
    return path.is_relative_to(RUNNER) or path in {here / f"{name}.py" for name in APART}


def _processor_seconds() -> float:
    """What this process and those that it has waited for have used."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def _made(device: PackDevice, spec: UnitSpec, ptx: bool, cached: Path) -> None:
    """Makes a unit and keeps it; runs in a process of its own."""
    begun = _processor_seconds()
    unit = pack_unit(spec.make(device, *spec.arguments), ptx=ptx)
    unit = replace(unit, seconds=_processor_seconds() - begun)
    new = cached.with_suffix(".new")
    new.write_bytes(pickle.dumps(unit))
    new.replace(cached)


@dataclass(frozen=True)
class Made:
    """Units by name, in order, and those that cannot be made, with what was raised."""

    units: Mapping[str, Packed]
    failed: Mapping[str, BaseException]

    @property
    def costs(self) -> dict[str, Cost]:
        """What the units have cost."""
        return {n: Cost(u.size, u.seconds, len(u.items)) for n, u in self.units.items()}


def make_units(
    device: PackDevice, specs: Sequence[UnitSpec], jobs: int, cache: Path, *, ptx: bool = False
) -> Made:
    """Makes the units that are not in the cache, in so many processes, or else in this one."""
    folder = cache / fingerprint()[:32]
    for old in cache.glob("*"):
        if old != folder:
            shutil.rmtree(old)
    folder.mkdir(parents=True, exist_ok=True)
    paths = {spec.name: folder / f"{_digest(device, spec, ptx)}.unit" for spec in specs}
    missing = [spec for spec in specs if not paths[spec.name].exists()]
    context = multiprocessing.get_context("spawn")
    pool = ThreadPoolExecutor(1) if jobs == 1 else ProcessPoolExecutor(jobs, context)
    failed: dict[str, BaseException] = {}
    with pool:
        futures = {s.name: pool.submit(_made, device, s, ptx, paths[s.name]) for s in missing}
        try:
            for name, future in futures.items():
                problem = future.exception()
                if problem is not None:
                    traceback.print_exception(problem)
                    failed[name] = problem
        finally:
            pool.shutdown(cancel_futures=True)
    found = {s.name: paths[s.name] for s in specs if s.name not in failed}
    return Made({name: pickle.loads(path.read_bytes()) for name, path in found.items()}, failed)


def _digest(device: PackDevice, spec: UnitSpec, ptx: bool) -> str:
    """What a unit is called in the cache."""
    return hashlib.sha256(f"{device.target} {spec.name} {ptx}".encode()).hexdigest()[:32]


# Files.


def file_of(unit: str) -> str:
    """What the file of a unit is called, without its suffix."""
    return unit.replace("/", "_")


def _once(what: str, names: Sequence[str]) -> None:
    if len(names) != len(set(names)):
        raise ValueError(f"two {what} have one name")


def write_pack(
    folder: Path,
    device: PackDevice,
    made: Mapping[str, Packed],
    notes: Sequence[str] = (),
    failed: Sequence[str] = (),
) -> dict[str, Any]:
    """Writes the files of a pack of units by name; its manifest, which is written last."""
    shutil.rmtree(folder / UNITS, ignore_errors=True)
    (folder / UNITS).mkdir(parents=True)
    (folder / MANIFEST).unlink(missing_ok=True)
    places = [
        (name, file_of(unit))
        for unit, packed in made.items()
        for name in sorted({*packed.modules, *packed.archives})
    ]
    items = [item for unit in made.values() for item in unit.items]
    _once("modules or archives", [name for name, _ in places])
    _once("items", [item["id"] for item in items])
    for name, unit in made.items():
        if unit.file:
            (folder / UNITS / f"{file_of(name)}.xz").write_bytes(unit.file)
    known = [json.dumps(items, sort_keys=True), *(unit.digest for unit in made.values())]
    manifest = {
        "format": PACK_FORMAT,
        "target": device.target,
        "compute_capability": device.compute_capability,
        "limits": device.described,
        "digest": hashlib.sha256("".join(known).encode()).hexdigest(),
        "modules": {name: kernels for u in made.values() for name, kernels in u.modules.items()},
        "units": dict(places),
        "notes": [*notes, *(note for unit in made.values() for note in unit.notes)],
        "failed": list(failed),
        "costs": (newest() or {}).get("costs", {}),
        "items": items,
    }
    (folder / "run_pack.py").write_text(runner_text(), "utf-8")
    write_manifest(folder, manifest)
    return manifest


def chosen_units(device: PackDevice, only: Sequence[str]) -> dict[str, UnitSpec]:
    """The units whose names begin as one of `only`, or all.

    Raises PackError for a beginning that no unit's name has.
    """
    specs = units(device)
    for prefix in only:
        if not any(spec.name.startswith(prefix) for spec in specs):
            raise PackError(f"no unit's name begins with '{prefix}'")
    return {s.name: s for s in specs if not only or s.name.startswith(tuple(only))}


def build(
    folder: Path,
    only: Sequence[str] = (),
    jobs: int = PROCESSORS,
    cache: Path = CACHE,
    target: str = DEFAULT_TARGET,
    *,
    ptx: bool = False,
    room: Room = ROOM,
) -> dict[str, Any]:
    """Builds a pack of the units whose names begin as one of `only`, or of all; its manifest.

    Units go in by worth while there is room; notes name those that are left out, and `failed`
    those that cannot be made. `ptx` goes in too where it is asked for, as the emulator needs it.
    Raises PackError for a beginning that no unit's name has.
    """
    device = DEVICES[target]
    specs = chosen_units(device, only)
    planned = fitting(costs_of(specs, stored_costs(target)), room)
    taken = [spec for name, spec in specs.items() if name in planned]
    made = make_units(device, taken, jobs, cache, ptx=ptx)
    # Units may have grown since their costs were stored; the time has been spent already.
    kept = fitting(made.costs, replace(room, seconds=math.inf))
    left = [name for name in specs if name not in kept and name not in made.failed]
    notes = [f"no room for {', '.join(left)}"] if left else []
    notes += [f"{name} cannot be made: {problem!r}" for name, problem in made.failed.items()]
    parts = {name: unit for name, unit in made.units.items() if name in kept}
    return write_pack(folder, device, parts, notes, tuple(made.failed))


def pack_size(folder: Path) -> int:
    """The bytes of all files of a pack."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
