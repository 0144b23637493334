"""Interpreters: executable semantics of every tile dialect on numpy arrays."""

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
