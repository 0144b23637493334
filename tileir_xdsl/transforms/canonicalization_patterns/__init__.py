"""Canonicalization patterns, one module a dialect; loading the dialect attaches them."""
