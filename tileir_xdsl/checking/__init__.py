"""Checks passes by the results of kernels before and after every pass, on generated inputs."""
