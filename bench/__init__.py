"""Benchmarks and the demonstration; each module prints one table: `python -m bench.<name>`."""
