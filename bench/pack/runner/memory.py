"""The pack on disk, and the arrays of an item: their contents, and where they are on a device."""

from __future__ import annotations

import gzip
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from bench.pack.runner.formats import Array, as_stored, storage_of
from bench.pack.runner.results import PackError, read_json

PACK_FORMAT = 2

PATTERN_ELEMENTS = (1 << 22) - 1
"""Random elements that large arrays repeat: an odd number, so that rows do not repeat."""

CHUNK_BYTES = 64 << 20


@dataclass
class Pack:
    """A pack: its manifest, modules, and stored arrays."""

    folder: Path
    archives: dict[str, dict[str, Array]] = field(
        default_factory=lambda: dict[str, dict[str, Array]]()
    )

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """The manifest; raises PackError where there is none of this format."""
        found = read_json(self.folder / "manifest.json", "manifest of a pack")
        if found.get("format") != PACK_FORMAT:
            raise PackError(f"{self.folder}: no pack of format {PACK_FORMAT}")
        return found

    @cached_property
    def items(self) -> dict[str, dict[str, Any]]:
        """The items by their names, in order."""
        return {item["id"]: item for item in self.manifest["items"]}

    def _module(self, name: str) -> bytes:
        try:
            return gzip.decompress((self.folder / "modules" / name).read_bytes())
        except (OSError, EOFError) as error:
            raise PackError(f"module {name}: {error}") from error

    def cubin(self, name: str) -> bytes:
        """The machine code of a module."""
        return self._module(f"{name}.cubin.gz")

    def ptx(self, name: str) -> str | None:
        """The PTX of a module; None for one of another compiler."""
        if not (self.folder / "modules" / f"{name}.ptx.gz").exists():
            return None
        return self._module(f"{name}.ptx.gz").decode()

    def stored(self, key: str) -> Array:
        """An array of the pack: `archive/name`."""
        archive, _, name = key.rpartition("/")
        if archive not in self.archives:
            # One archive at a time: items come in the order of their archives.
            self.archives.clear()
            with np.load(self.folder / "data" / f"{archive}.npz") as loaded:
                self.archives[archive] = {each: loaded[each] for each in loaded.files}
        return self.archives[archive][name]


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

    `normal` is the deviation of normal numbers, `integers` are bounds, `permutation` is the
    number of rows that indices of a gather select from. Without any of them all bits are zero.
    """
    dtype, count = fill["dtype"], min(fill["elements"], PATTERN_ELEMENTS)
    if "normal" in fill:
        values = random.standard_normal(count, np.float32) * np.float32(fill["normal"])
        return as_stored(values, dtype)
    if "integers" in fill:
        low, high = fill["integers"]
        return random.integers(low, high, count).astype(storage_of(dtype))
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


def chunks_of(pattern: Array, size: int) -> Sequence[tuple[int, Array]]:
    """Byte offsets and what to copy there, to repeat a pattern over `size` bytes."""
    times = max(1, min(CHUNK_BYTES, size) // max(pattern.nbytes, 1))
    chunk = np.tile(pattern, times).view(np.uint8)
    return [
        (start, chunk[: min(chunk.nbytes, size - start)]) for start in range(0, size, chunk.nbytes)
    ]
