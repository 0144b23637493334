"""Shared memory: buffers, staging buffers, mbarriers and pipelines, and copies to and from them."""
