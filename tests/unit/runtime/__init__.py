"""Tests of assembling, loading and launching."""
