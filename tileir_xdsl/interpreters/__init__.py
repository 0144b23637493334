"""Executable semantics: kernels on numpy arrays, at the level of every tile dialect."""

from tileir_xdsl.interpreters.errors import InterpreterError
from tileir_xdsl.interpreters.launch import launch

__all__ = ["InterpreterError", "launch"]
