"""Compiled kernels on one core of a CPU, against numpy, jax and numba."""
