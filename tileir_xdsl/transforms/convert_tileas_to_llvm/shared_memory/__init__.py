"""Buffers, staging, barriers and pipelines in shared memory, and moves to and from it."""
