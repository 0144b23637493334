"""Shared parts of tests of passes and kernels, ours and those of others: see docs/testing.md."""
