"""Layouts of tiles: candidates, uses, and how layouts pass through ops."""
