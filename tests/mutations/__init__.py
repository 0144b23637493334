"""Planted faults, and how many of them the tests find.

`faults.jsonl` is the table: a file, a text that occurs in it once, what replaces it, and the kind of mistake.
`python -m tests.mutations --log FILE` plants one after the other in a copy of the sources and runs
the tests that reach the file, those of `make quick FILE=..` first, until one fails. `--rows` breaks
rows of `docs/seeds.md` instead: each carries a break, and names the test that sees it. `--draw` writes
another table, whose faults `edits.py` makes of any source and `drawn.py` draws by a seed.
"""

from .fault import FAULTS, Fault, MutationError, read

__all__ = ["FAULTS", "Fault", "MutationError", "read"]
