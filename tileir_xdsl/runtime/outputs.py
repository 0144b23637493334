"""The names of outputs of lowering and compiling; this module imports nothing."""

LEVEL_NAMES = ("cuda_tile", "nv_tileaa", "nv_tileas", "llvm")
"""The levels of `tileir_xdsl.levels`, in the order of the road."""

PTX, CUBIN = "ptx", "cubin"

OUTPUTS = (*LEVEL_NAMES, PTX)
"""Outputs of lowering, in the order of the road."""

EMITTED = (*OUTPUTS, CUBIN)
"""Outputs of compiling."""
