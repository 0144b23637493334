"""Random functions of `llvm`, by a seed."""
