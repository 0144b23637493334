"""Diagnostics of a verifier that are about an operation inside of the one it verifies."""

from collections.abc import Callable
from typing import NoReturn

from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException


def fail_at(operation: Operation, message: str) -> NoReturn:
    """Raises `VerifyException` with `message`, shown at `operation`."""
    operation.emit_error(f"Operation does not verify: {message}", VerifyException(message))


def verify_at(operation: Operation, rule: Callable[[], None]) -> None:
    """Runs `rule`. Its error is located at `operation`, unless it has a location already."""
    try:
        rule()
    except VerifyException as error:
        # xDSL keeps what it shows in the notes of the exception.
        if hasattr(error, "__notes__"):
            raise
        operation.emit_error(f"Operation does not verify: {error}", error)
