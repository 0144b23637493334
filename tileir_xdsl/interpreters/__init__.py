"""Executable semantics: kernels on numpy arrays, at the level of every tile dialect."""

from tileir_xdsl.interpreters.errors import (
    ArgumentFault,
    DeadlockFault,
    InterpreterError,
    MemoryFault,
    UndefinedFault,
)
from tileir_xdsl.interpreters.launch import launch

__all__ = [
    "ArgumentFault",
    "DeadlockFault",
    "InterpreterError",
    "MemoryFault",
    "UndefinedFault",
    "launch",
]
