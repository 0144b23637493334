"""Tests of `tests.installed`."""
