"""Random functions in the `llvm` dialect, by seed."""
