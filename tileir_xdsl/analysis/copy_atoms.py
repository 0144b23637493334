"""The copy atoms between global memory and registers, by direction and width."""

from tileir_xdsl.targets.atoms import COPY_ATOMS, CopyKind


def _by_width(kind: CopyKind) -> dict[int, str]:
    return {atom.vector_bytes: atom.name for atom in COPY_ATOMS.values() if atom.kind is kind}


LOAD_ATOMS = _by_width(CopyKind.LOAD_GLOBAL)
"""Names of the plain loads, by the bytes that one thread moves at once."""

STORE_ATOMS = _by_width(CopyKind.STORE_GLOBAL)
"""Names of the plain stores, by the bytes that one thread moves at once."""

VECTOR_BYTES = {name: size for atoms in (LOAD_ATOMS, STORE_ATOMS) for size, name in atoms.items()}
"""The bytes that one thread moves at once, by the atom's name."""
