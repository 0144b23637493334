"""Tests: `unit` (pytest), `filecheck` (lit), and programs that run longer."""

import os

# A test is about the compiler, not about what it did before.
os.environ["TILEIR_CACHE"] = "0"
