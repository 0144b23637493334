"""Shared memory: buffers, staging buffers, mbarriers and pipelines, and their copies."""
