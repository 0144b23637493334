"""The copy atoms between global memory and registers, by direction and width."""

LOAD_ATOMS = {2**exponent: f"ldg_{8 * 2**exponent}" for exponent in range(5)}
"""Names of the plain loads, by the bytes that one thread moves at once."""

STORE_ATOMS = {2**exponent: f"stg_{8 * 2**exponent}" for exponent in range(5)}
"""Names of the plain stores, by the bytes that one thread moves at once."""

VECTOR_BYTES = {atom: size for atoms in (LOAD_ATOMS, STORE_ATOMS) for size, atom in atoms.items()}
