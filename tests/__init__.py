"""Tests: `unit` (pytest), `filecheck` (lit), `kernels` (cuTile kernels and their meaning)."""
