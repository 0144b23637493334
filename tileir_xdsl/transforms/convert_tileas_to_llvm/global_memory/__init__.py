"""Accesses of global memory: addresses, bounds, memory order, and asynchronous copies."""
