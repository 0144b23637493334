"""Builds a pack: makes its units in parallel, keeps what is made, writes files and the runner.

A unit that has been made before is read from the cache, so that a build that was ended goes on
where it was. The cache forgets everything when a source file changes.
"""

from __future__ import annotations

import ast
import hashlib
import json
import multiprocessing
import pickle
import shutil
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from bench.pack import facts, instructions, kernels, times, tuner
from bench.pack.devices import DEVICES, PackDevice
from bench.pack.items import UnitSpec
from bench.pack.packing import Packed, pack_unit
from bench.pack.runner import PARTS
from bench.pack.runner.memory import PACK_FORMAT, UNITS
from bench.pack.runner.results import PackError

REPOSITORY = Path(__file__).resolve().parents[2]
RUNNER = Path(__file__).parent / "runner"
SOURCES = ("tileir_xdsl", "bench", "tests")
APART = ("build", "report", "__main__")
DEFAULT_TARGET = "sm_90a"
CACHE = REPOSITORY / "build" / "pack-cache"

SIZE_LIMIT = 40 << 20
"""Bytes that a pack may have."""


def units(device: PackDevice) -> list[UnitSpec]:
    """All units of a pack for a device, in the order of the items."""
    groups = (facts, instructions, kernels, times, tuner)
    return [unit for group in groups for unit in group.units(device)]


# Making units.


def fingerprint() -> str:
    """Changes with every source file that a unit depends on."""
    digest = hashlib.sha256()
    for folder in SOURCES:
        for path in sorted((REPOSITORY / folder).rglob("*")):
            if path.suffix in (".py", ".mlir") and not _is_apart(path):
                digest.update(str(path.relative_to(REPOSITORY)).encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()


def _is_apart(path: Path) -> bool:
    """Whether no unit depends on a file: the runner, the report, and what writes packs."""
    here = Path(__file__).parent
    return path.is_relative_to(RUNNER) or path in {here / f"{name}.py" for name in APART}


def _made(device: PackDevice, spec: UnitSpec, ptx: bool, cached: Path) -> Path:
    """Makes a unit and keeps it; runs in a process of its own."""
    unit = pack_unit(spec.make(device, *spec.arguments), ptx=ptx)
    new = cached.with_suffix(".new")
    new.write_bytes(pickle.dumps(unit))
    new.replace(cached)
    return cached


def make_units(
    device: PackDevice, specs: Sequence[UnitSpec], jobs: int, cache: Path, *, ptx: bool = False
) -> dict[str, Packed]:
    """Units by name, in order; so many processes make those that are not in the cache."""
    folder = cache / fingerprint()[:32]
    for old in cache.glob("*"):
        if old != folder:
            shutil.rmtree(old)
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{_digest(device, spec, ptx)}.unit" for spec in specs]
    missing = [(s, ptx, p) for s, p in zip(specs, paths, strict=True) if not p.exists()]
    if jobs == 1:
        for each in missing:
            _made(device, *each)
    elif missing:
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(jobs, context) as pool:
            futures = {pool.submit(_made, device, *each): each[0].name for each in missing}
            try:
                for done in as_completed(futures):
                    problem = done.exception()
                    if problem is not None:
                        problem.add_note(f"unit {futures[done]} cannot be made")
                        raise problem
            finally:
                pool.shutdown(cancel_futures=True)
    return {s.name: pickle.loads(p.read_bytes()) for s, p in zip(specs, paths, strict=True)}


def _digest(device: PackDevice, spec: UnitSpec, ptx: bool) -> str:
    """What a unit is called in the cache."""
    return hashlib.sha256(f"{device.target} {spec.name} {ptx}".encode()).hexdigest()[:32]


# The runner, in one file.


def _is_ours(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and (node.module or "").startswith("bench.pack.runner")


def _names(tree: ast.Module) -> Iterator[str]:
    """What a module defines at its top."""
    for node in tree.body:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Assign(targets=targets):
                for target in targets:
                    yield from (n.id for n in ast.walk(target) if isinstance(n, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name
            case _:
                pass


def runner_text() -> str:
    """`run_pack.py`: the parts of the runner one after the other, without imports of each other.

    Raises ValueError for a name that two parts define.
    """
    modules: set[str] = set()
    imported: dict[str, set[str]] = {}
    bodies: list[str] = []
    owners: dict[str, str] = {}
    for part in PARTS:
        text = (RUNNER / f"{part}.py").read_text()
        tree, lines = ast.parse(text), text.splitlines()
        for name in _names(tree):
            if owners.setdefault(name, part) != part:
                raise ValueError(f"'{name}' is defined in {owners[name]} and in {part}")
        head = [n for n in tree.body if isinstance(n, ast.Import | ast.ImportFrom)]
        for node in head:
            if isinstance(node, ast.Import):
                modules.add(ast.unparse(node))
            elif not _is_ours(node):
                imported.setdefault(node.module or "", set()).update(a.name for a in node.names)
        last = max(node.end_lineno or 0 for node in head)
        title = ast.get_docstring(tree) or ""
        comment = "\n".join(f"# {line}".rstrip() for line in title.splitlines())
        bodies.append("\n".join([comment, *lines[last:]]).rstrip())
    future = f"from __future__ import {imported.pop('__future__').pop()}"
    imports = [f"from {name} import {', '.join(sorted(imported[name]))}" for name in imported]
    top = (
        '"""Runs a pack: see --help. Made by `python -m bench.pack build` from the parts of it."""'
    )
    return "\n\n".join([top, future, "\n".join(sorted([*modules, *imports])), *bodies]) + "\n"


# Files.


def file_of(unit: str) -> str:
    """What the file of a unit is called, without its suffix."""
    return unit.replace("/", "_")


def _once(what: str, names: Sequence[str]) -> None:
    if len(names) != len(set(names)):
        raise ValueError(f"two {what} have one name")


def write_pack(folder: Path, device: PackDevice, made: Mapping[str, Packed]) -> dict[str, Any]:
    """Writes the files of a pack of units by name; its manifest, which is written last."""
    shutil.rmtree(folder / UNITS, ignore_errors=True)
    (folder / UNITS).mkdir(parents=True)
    (folder / "manifest.json").unlink(missing_ok=True)
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
        "notes": [note for unit in made.values() for note in unit.notes],
        "items": items,
    }
    (folder / "run_pack.py").write_text(runner_text())
    (folder / "manifest.json").write_text(json.dumps(manifest, separators=(",", ":")))
    return manifest


def build(
    folder: Path,
    only: Sequence[str] = (),
    jobs: int = 2,
    cache: Path = CACHE,
    target: str = DEFAULT_TARGET,
    *,
    ptx: bool = False,
) -> dict[str, Any]:
    """Builds a pack of the units whose names begin as one of `only`, or of all; its manifest.

    `ptx` goes in too where it is asked for, as the emulator needs it.
    Raises PackError for a name that no unit has, and for a pack that is too large.
    """
    device = DEVICES[target]
    specs = units(device)
    for prefix in only:
        if not any(spec.name.startswith(prefix) for spec in specs):
            raise PackError(f"no unit's name begins with '{prefix}'")
    chosen = [s for s in specs if not only or s.name.startswith(tuple(only))]
    manifest = write_pack(folder, device, make_units(device, chosen, jobs, cache, ptx=ptx))
    size = pack_size(folder)
    if size > SIZE_LIMIT:
        raise PackError(f"the pack has {size} bytes, more than {SIZE_LIMIT}")
    return manifest


def pack_size(folder: Path) -> int:
    """The bytes of all files of a pack."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
