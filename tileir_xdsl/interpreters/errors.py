"""Errors of an interpreted kernel, as one-line messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.ir import Operation

from tileir_xdsl.diagnostics import location_text


class InterpreterError(Exception):
    """The kernel or its launch is wrong; the message is one line for the user."""


class MemoryFault(InterpreterError):
    """An access that memory refuses."""


class DeadlockFault(InterpreterError):
    """Agents or tile blocks that wait for what never comes."""


class UndefinedFault(InterpreterError):
    """A kernel does something that its specification leaves undefined."""


class ArgumentFault(InterpreterError):
    """An argument that its parameter cannot take."""


class ExecutionError(Exception):
    """An op has no meaning for its operands; becomes an `InterpreterError` that names it."""

    becomes: ClassVar[type[InterpreterError]] = InterpreterError


class DeadlockError(ExecutionError):
    """An op waits for what never comes."""

    becomes = DeadlockFault


class UndefinedError(ExecutionError):
    """An op does something that its specification leaves undefined."""

    becomes = UndefinedFault


@dataclass
class MemoryAccessError(ExecutionError):
    """An access that memory refuses.

    `index` is the position, within the accessed tile, of the first element that is refused;
    `reason` says what is wrong with it.
    """

    index: tuple[int, ...]
    reason: str

    becomes = MemoryFault

    def __str__(self) -> str:
        return f"element {list(self.index)} {self.reason}"


def where(op: Operation) -> str:
    """Describes the op that an agent waits in, for a report."""
    location = location_text(op.location)
    return f"waits in '{op.name}'" + (f" at {location}" if location else "")


def error_at(op: Operation, block: tuple[int, int, int], message: object) -> InterpreterError:
    """The error `message` of `op` in tile block `block` of the grid, led by its location."""
    location = location_text(op.location)
    prefix = f"{location}: " if location else ""
    kind = message.becomes if isinstance(message, ExecutionError) else InterpreterError
    return kind(f"{prefix}'{op.name}' in tile block {block}: {message}")
