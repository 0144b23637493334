"""Checks passes by what kernels compute: before and after every pass, on generated inputs."""
