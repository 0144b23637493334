"""A pack as large as a real one, of modules that only the fake driver takes, made in no time."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from bench.pack.devices import DEVICES
from bench.pack.joining import runner_text
from bench.pack.runner.costs import launches_of
from bench.pack.runner.memory import PACK_FORMAT, UNITS, packed, write_manifest

HOPPER = DEVICES["sm_90a"]
UNIT = "made"
ARRAYS = [
    {"region": 0, "offset": 0, "dtype": "float32", "shape": [64], "strides": [4]},
    {"region": 1, "offset": 0, "dtype": "float32", "shape": [64], "strides": [4]},
]
FILL = {"dtype": "float32", "elements": 64}

COUNTS = {"a": 30, "l": 8, "b": 600, "e": 4}
"""Items with one launch; kernels and problems have more."""
KERNELS, PROBLEMS, TUNED, READINGS = 150, 40, 4, 40
KINDS = {"a": "fact", "e": "profile"}


def launch(module: str, who: str = "ours") -> dict[str, Any]:
    return {
        "who": who,
        "module": module,
        "kernel": "k",
        "grid": [1, 1, 1],
        "block": [32, 1, 1],
        "shared": 0,
        "arguments": [{"array": 0}, {"array": 1}],
    }


def launched(name: str) -> dict[str, Any]:
    """An item with one launch of a module of its own."""
    return {
        "id": name,
        "group": name[0],
        "kind": KINDS.get(name[0], "launch"),
        "seconds": 10,
        "prediction": {"cycles": 1.0},
        "launch": launch(name.replace("/", "_")),
        "regions": [{"bytes": 256, "fill": FILL}] * 2,
        "arrays": ARRAYS,
        "outputs": [],
    }


def timed(name: str, modules: list[str], work: float = 1e11, **more: Any) -> dict[str, Any]:
    """An item with several contenders, the first of which is ours, besides those of torch."""
    contenders = [launch(module, f"who{i}" if i else "ours") for i, module in enumerate(modules)]
    return {
        **{key: value for key, value in launched(name).items() if key != "launch"},
        "kind": "time",
        "seconds": 60,
        "contenders": contenders,
        "torch": name[0] == "d",
        "ours": ["ours"],
        "inputs": 1,
        "output": 1,
        "outputs": [1],
        "work": work,
        "unit": "FLOP",
        "reference": "matmul",
        "settings": {},
        "tolerance": 0.1,
        **more,
    }


def reading(name: str, compilers: tuple[str, ...] = ("ours", "tileiras")) -> dict[str, Any]:
    """An item that runs a kernel of each compiler."""
    item = launched(name)
    module = item.pop("launch")["module"]
    launches = {who: launch(f"{module}_{who}", who) for who in compilers}
    return {**item, "kind": "reading", "launches": launches, "output": 1, "questions": ["x"] * 64}


def items() -> list[dict[str, Any]]:
    """The items of all groups."""
    found = [launched(f"{g}/{number}") for g, count in COUNTS.items() for number in range(count)]
    found += [reading(f"r/{number}") for number in range(READINGS)]
    names = ["vector_add", "softmax_f32", "matmul_bf16", *(f"k{n}" for n in range(KERNELS))]
    found += [launched(f"c/{who}/{n}") for n in names for who in ("ours", "tile", "tileiras")]
    for number in range(PROBLEMS):
        family = ("matmul_bf16", "attention_64", "matmul_f8")[number % 3]
        modules = [f"d_{family}_{who}" for who in range(6)]
        found.append(timed(f"d/{family}_{number}", modules, second_half=number > 6))
    for number in range(TUNED):
        found.append(timed(f"f/{number}", [f"f_{number}_{each}" for each in range(12)]))
    return found


def write(folder: Path, made: list[dict[str, Any]]) -> Path:
    """Writes a pack of items; its folder."""
    modules = {each["module"] for item in made for each in launches_of(item)}
    (folder / UNITS).mkdir(parents=True)
    # The fake driver takes 64 bytes where there is no header of ELF.
    images = {f"{name}.cubin": hashlib.sha512(name.encode()).digest() for name in modules}
    (folder / UNITS / f"{UNIT}.xz").write_bytes(packed(images))
    manifest = {
        "format": PACK_FORMAT,
        "target": HOPPER.target,
        "compute_capability": HOPPER.compute_capability,
        "limits": HOPPER.described,
        "digest": "made",
        "modules": {name: {} for name in modules},
        "units": dict.fromkeys(modules, UNIT),
        "notes": [],
        "items": made,
    }
    write_manifest(folder, manifest)
    (folder / "run_pack.py").write_text(runner_text())
    return folder
