"""Kernels as code of this machine's processor: jitted by LLVM, launched on arrays of the host.

`host.py` asks LLVM about the machine. `compiling.py` lowers Tile IR to LLVM IR, which `code.py`
turns into machine code and `loading.py` loads. `launching.py` runs it on the threads of
`workers.py`; `faults.py` has the diagnostics.
"""
