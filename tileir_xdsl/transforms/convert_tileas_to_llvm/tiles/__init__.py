"""Lowerings of ops on whole tiles: shapes, reductions, scans, packing and output."""
