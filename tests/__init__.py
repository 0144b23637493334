"""Tests: `unit` (pytest), `filecheck` (lit), `kernels` (cuTile kernels and their meaning)."""

import os

# A test is about the compiler, not about what it did before.
os.environ["TILEIR_CACHE"] = "0"
