"""How passes report what they cannot do: one message, and a note that names the op."""

from typing import NoReturn

from xdsl.ir import Operation
from xdsl.utils.exceptions import PassFailedException


def describe(op: Operation) -> str:
    """An op's name and source location."""
    return f"'{op.name}' op at {op.location}"


def fail(op: Operation, message: str) -> NoReturn:
    """Raises `PassFailedException` with the message verbatim; notes name the op and show the IR."""
    failure = PassFailedException(message)
    failure.add_note(f"see {describe(op)}")
    op.emit_error(message, failure)
