"""A unit as a pack has it: its items, what is known of its kernels, and its file."""

from __future__ import annotations

import hashlib
import json
import lzma
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from bench.pack.items import Item, Unit
from bench.pack.runner.memory import packed


@dataclass(frozen=True)
class Packed:
    """What the manifest has of a unit, and its compressed file, empty where none is needed."""

    items: list[Item]
    notes: list[str]
    modules: Mapping[str, Mapping[str, Item]]
    """What is known of the kernels of each module; nothing of those of other compilers."""
    archives: tuple[str, ...]
    digest: str
    """Of the machine code."""
    file: bytes
    seconds: float = 0.0
    """Of a processor, which making it has taken."""

    @cached_property
    def size(self) -> int:
        """The bytes of a pack that it takes: its file, and its part of the manifest at most."""
        described = [self.items, self.notes, self.modules, self.archives]
        return len(self.file) + len(lzma.compress(json.dumps(described).encode()))


def pack_unit(unit: Unit, *, ptx: bool = False) -> Packed:
    """Compresses machine code and arrays of a unit, and PTX where it is asked for."""
    members = {f"{name}.cubin": cubin for name, cubin in unit.cubins.items()}
    digest = hashlib.sha256(b"".join(members.values())).hexdigest()
    if ptx:
        members |= {f"{name}.ptx": text.encode() for name, text in unit.ptx.items()}
    for archive, arrays in unit.archives.items():
        members |= {f"{archive}/{name}": array.tobytes() for name, array in arrays.items()}
    known = {n: kernels_of_ptx(unit.ptx[n]) if n in unit.ptx else {} for n in unit.cubins}
    file = packed(members) if members else b""
    return Packed(unit.items, unit.notes, known, tuple(unit.archives), digest, file)


# Kernels, as PTX describes them (PTX ISA, "Performance-Tuning Directives" and "Cluster Dimension
# Directives").

_ENTRY = re.compile(r"\.entry\s+(\w+)\s*\(([^)]*)\)([^{;]*)\{")
_PARAMETER = re.compile(r"\.param\s+(?:\.align\s+(\d+)\s+)?\.[a-z]+(\d+)[^\[,]*(?:\[(\d+)\])?")
_SHARED = re.compile(r"\.shared\s+(?:\.align\s+(\d+)\s+)?\.[a-z]+(\d+)\s+(\w+)(?:\[(\d+)\])?")


def kernels_of_ptx(text: str) -> dict[str, Item]:
    """The kernels of PTX text by name.

    Of each: offset and size of its parameters, required block and cluster (None where any will
    do), whether a grid counts clusters, and the bytes of its static shared memory.
    """
    entries = list(_ENTRY.finditer(text))
    ends = [*(entry.start() for entry in entries[1:]), len(text)]
    outside = text[: entries[0].start()]
    found: dict[str, Item] = {}
    for entry, end in zip(entries, ends, strict=True):
        name, parameters, directives = entry.groups()
        body = text[entry.end() : end]
        used = [m for m in _SHARED.finditer(outside) if re.search(rf"\b{m[3]}\b", body)]
        shared = sum(map(_bytes_of, [*used, *_SHARED.finditer(body)]))
        found[name] = {
            "parameters": _laid_out(parameters),
            "block": _extents(directives, "reqntid"),
            "cluster": _extents(directives, "reqnctapercluster"),
            "grid_counts_clusters": ".blocksareclusters" in directives,
            "static_shared": shared,
        }
    return found


def _bytes_of(declaration: re.Match[str]) -> int:
    return int(declaration[2]) // 8 * int(declaration[4] or 1)


def _laid_out(parameters: str) -> tuple[tuple[int, int], ...]:
    end, found = 0, list[tuple[int, int]]()
    for match in _PARAMETER.finditer(parameters):
        element = int(match[2]) // 8
        size = element * int(match[3] or 1)
        offset = -(-end // (alignment := int(match[1] or element))) * alignment
        found.append((offset, size))
        end = offset + size
    return tuple(found)


def _extents(directives: str, name: str) -> tuple[int, ...] | None:
    match = re.search(rf"\.{name}\s+([\d,\s]+)", directives)
    if match is None:
        return None
    x, y, z = (*(int(extent) for extent in match[1].replace(" ", "").strip(",").split(",")), 1, 1)[
        :3
    ]
    return x, y, z
