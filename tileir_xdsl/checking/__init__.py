"""Checks passes by what kernels compute: before and after every pass, on generated inputs."""

from tileir_xdsl.checking.pass_check import PassCheck

__all__ = ["PassCheck"]
