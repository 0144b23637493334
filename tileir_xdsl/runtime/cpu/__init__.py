"""Kernels for this machine's processor, compiled by LLVM at run time and launched on host arrays.

`host.py` queries LLVM for properties of the machine. `compiling.py` lowers Tile IR to LLVM IR,
which `code.py` turns into machine code and `loading.py` loads. `launching.py` runs a kernel on the
threads of `workers.py`; `faults.py` has the diagnostics.
"""
