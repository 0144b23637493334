"""Tests of canonicalization patterns."""
