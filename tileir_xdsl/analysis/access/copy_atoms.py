"""The plain copy atoms between a memory and registers, by memory and width."""

from collections.abc import Mapping

from tileir_xdsl.targets.atoms import COPY_ATOMS, CopyKind, Memory


def _by_width(kind: CopyKind) -> dict[int, str]:
    return {atom.vector_bytes: atom.name for atom in COPY_ATOMS.values() if atom.kind is kind}


LOAD_ATOMS: Mapping[Memory, Mapping[int, str]] = {
    Memory.GLOBAL: _by_width(CopyKind.LOAD_GLOBAL),
    Memory.SHARED: _by_width(CopyKind.LOAD_SHARED),
}
"""Names of the loads from each memory, by the bytes that one thread moves at once."""

STORE_ATOMS: Mapping[Memory, Mapping[int, str]] = {
    Memory.GLOBAL: _by_width(CopyKind.STORE_GLOBAL),
    Memory.SHARED: _by_width(CopyKind.STORE_SHARED),
}
"""Names of the stores to each memory, by the bytes that one thread moves at once."""

VECTOR_BYTES = {
    name: size
    for memories in (LOAD_ATOMS, STORE_ATOMS)
    for atoms in memories.values()
    for size, name in atoms.items()
}
"""The bytes that one thread moves at once, by the atom's name."""
