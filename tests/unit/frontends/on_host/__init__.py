"""Libraries of arrays whose CUDA device is the memory of the host."""
