"""The pack on disk, and the arrays of an item: their contents, and where they are on a device."""

from __future__ import annotations

import json
import lzma
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from bench.pack.runner.formats import Array, as_stored, storage_of
from bench.pack.runner.results import PackError

PACK_FORMAT = 3

MANIFEST, UNITS = "manifest.json.xz", "units"
"""A file, and the folder of those of the units."""

FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 2, "lp": 2}]
"""How the files of a pack are compressed: machine code and arrays are made of words."""


def packed(members: Mapping[str, bytes]) -> bytes:
    """A file of members that are compressed together."""
    sizes = json.dumps({name: len(data) for name, data in members.items()})
    data = b"\n".join([sizes.encode(), b"".join(members.values())])
    return lzma.compress(data, filters=FILTERS)


def read_packed(path: Path) -> dict[str, bytes]:
    """The members of a file; raises PackError, which names the file."""
    try:
        sizes, _, data = lzma.decompress(path.read_bytes()).partition(b"\n")
    except (OSError, lzma.LZMAError) as error:
        raise PackError(f"{path.name}: {error}") from error
    found: dict[str, bytes] = {}
    end = 0
    for name, size in json.loads(sizes).items():
        found[name], end = data[end : end + size], end + size
    return found


PATTERN_ELEMENTS = (1 << 20) - 1
"""Random elements that large arrays repeat: an odd number, so that rows do not repeat."""


def write_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Writes the manifest of a pack."""
    text = json.dumps(manifest, separators=(",", ":"))
    (folder / MANIFEST).write_bytes(lzma.compress(text.encode()))


def read_manifest(folder: Path) -> Any:
    """The manifest in a folder; raises PackError, which names the file, where there is none."""
    path = folder / MANIFEST
    try:
        return json.loads(lzma.decompress(path.read_bytes()))
    except (OSError, ValueError, lzma.LZMAError) as error:
        raise PackError(f"{path}: no manifest of a pack: {error}") from error


@dataclass
class Pack:
    """A pack: its manifest, modules, and stored arrays, in a file for each unit."""

    folder: Path
    units: dict[str, dict[str, bytes]] = field(
        default_factory=lambda: dict[str, dict[str, bytes]]()
    )
    """Members by unit, of the files that were read: items of different units follow each other."""
    given: dict[bytes, str] = field(default_factory=lambda: dict[bytes, str]())
    """Modules by their machine code."""

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """The manifest; raises PackError where there is none of this format."""
        found = read_manifest(self.folder)
        if found.get("format") != PACK_FORMAT:
            raise PackError(f"{self.folder}: no pack of format {PACK_FORMAT}")
        return found

    @cached_property
    def items(self) -> dict[str, dict[str, Any]]:
        """The items by their names, in order."""
        return {item["id"]: item for item in self.manifest["items"]}

    def _member(self, unit: str, name: str) -> bytes | None:
        """A member of the file of a unit; None where it has none."""
        if unit not in self.units:
            self.units[unit] = read_packed(self.folder / UNITS / f"{unit}.xz")
        return self.units[unit].get(name)

    def cubin(self, module: str) -> bytes:
        """The machine code of a module."""
        found = self._member(self.manifest["units"][module], f"{module}.cubin")
        if found is None:
            raise PackError(f"no module {module}")
        self.given[found] = module
        return found

    def ptx(self, module: str) -> str | None:
        """The PTX of a module; None for one of another compiler, and in a pack without PTX."""
        found = self._member(self.manifest["units"][module], f"{module}.ptx")
        return None if found is None else found.decode()

    def kernels(self, module: str) -> dict[str, Any]:
        """What is known of the kernels of a module; nothing of those of another compiler."""
        return self.manifest["modules"][module]

    def known(self, image: bytes) -> tuple[str, dict[str, Any]] | None:
        """Name and kernels of machine code; None for what this pack has not given."""
        module = self.given.get(image)
        return None if module is None else (module, self.kernels(module))

    def stored(self, key: str) -> Array:
        """The bytes of an array of the pack."""
        found = self._member(self.manifest["units"][key.rpartition("/")[0]], key)
        if found is None:
            raise PackError(f"no array {key}")
        return np.frombuffer(found, np.uint8)


@dataclass(frozen=True)
class Placed:
    """An array on a device."""

    address: int
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    @property
    def bytes(self) -> int:
        """The bytes of the elements."""
        return math.prod(self.shape) * storage_of(self.dtype).itemsize


def pattern_of(fill: dict[str, Any], random: np.random.Generator) -> Array:
    """The elements that an array repeats, stored in its format.

    `normal` is the deviation of normal numbers, `integers` are bounds, `sorted` is a number of
    groups that elements belong to in order, `permutation` is the number of rows that indices of a
    gather select from. Without any of them all bits are zero. `period` elements are repeated.
    """
    dtype = fill["dtype"]
    count = min(fill["elements"], fill.get("period", PATTERN_ELEMENTS))
    if "normal" in fill:
        values = random.standard_normal(count, np.float32) * np.float32(fill["normal"])
        return as_stored(values, dtype)
    if "integers" in fill:
        low, high = fill["integers"]
        return random.integers(low, high, count).astype(storage_of(dtype))
    if "sorted" in fill:
        groups = random.integers(0, fill["sorted"], fill["elements"])
        return np.sort(groups).astype(storage_of(dtype))
    if "permutation" in fill:
        order = random.permutation(fill["permutation"])
        return np.resize(order, fill["elements"]).astype(storage_of(dtype))
    return np.zeros(1, storage_of(dtype))


@dataclass(frozen=True)
class Filled:
    """An array that repeats a pattern."""

    pattern: Array
    dtype: str
    shape: tuple[int, ...]

    def take(self, indices: Array) -> Array:
        """Elements by their numbers in row-major order, as stored."""
        return self.pattern[indices % len(self.pattern)]

    def run(self, start: int, count: int) -> Array:
        """Neighbouring elements from number `start` on, as stored."""
        first = start % len(self.pattern)
        whole = self.pattern[first : first + count]
        if len(whole) == count:
            return whole
        return np.concatenate([whole, np.resize(self.pattern, count - len(whole))])
