"""A `libcuda.so.1` without a GPU, compiled from C, for the real `cuda-bindings` and for `ctypes`.

`libcuda.c` says what it checks and how it is told what to do.
"""
