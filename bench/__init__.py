"""Benchmarks and the demonstration; each module prints one table: `python -m bench.<name>`."""

import os

# Before numpy is imported: threads of its matrix products wait for each other on a busy machine.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# What is measured is compiling.
os.environ["TILEIR_CACHE"] = "0"
