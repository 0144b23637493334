"""Errors of an interpreted kernel, as one-line messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.ir import Operation

from tileir_xdsl.diagnostics import location_text


class InterpreterError(Exception):
    """The kernel or its launch is wrong; the message is one line for the user."""


class MemoryFault(InterpreterError):
    """A memory access that is out of bounds or otherwise invalid."""


class DeadlockFault(InterpreterError):
    """Agents or tile blocks that wait for an event that never happens."""


class UndefinedFault(InterpreterError):
    """A kernel does something that its specification leaves undefined."""


class ArgumentFault(InterpreterError):
    """An argument that does not fit its parameter."""


class ExecutionError(Exception):
    """An op cannot execute with its operands; becomes an `InterpreterError` that names the op."""

    becomes: ClassVar[type[InterpreterError]] = InterpreterError


class DeadlockError(ExecutionError):
    """An op waits for an event that never happens."""

    becomes = DeadlockFault


class UndefinedError(ExecutionError):
    """An op does something that its specification leaves undefined."""

    becomes = UndefinedFault


@dataclass
class MemoryAccessError(ExecutionError):
    """A memory access that is out of bounds or otherwise invalid.

    `index` is the position, in the accessed tile, of the first invalid element; `reason` says what
    is wrong with this element.
    """

    index: tuple[int, ...]
    reason: str

    becomes = MemoryFault

    def __str__(self) -> str:
        return f"element {list(self.index)} {self.reason}"


def where(op: Operation) -> str:
    """Describes the op at which an agent waits, for a report."""
    location = location_text(op.location)
    return f"waits in '{op.name}'" + (f" at {location}" if location else "")


def error_at(op: Operation, block: tuple[int, int, int], message: object) -> InterpreterError:
    """An error of `op` in tile block `block`; its text begins with the op's location."""
    location = location_text(op.location)
    prefix = f"{location}: " if location else ""
    kind = message.becomes if isinstance(message, ExecutionError) else InterpreterError
    return kind(f"{prefix}'{op.name}' in tile block {block}: {message}")
