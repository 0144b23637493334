"""Layouts of tiles: candidates, uses, and how ops carry them over."""
