"""Random `llvm` and `nvvm` functions, compiled by our PTX printer and by LLVM's."""
