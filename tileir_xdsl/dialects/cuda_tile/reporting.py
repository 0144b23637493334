"""Diagnostics that locate a verification error at a nested operation."""

from collections.abc import Callable
from typing import NoReturn

from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException


def fail_at(operation: Operation, message: str) -> NoReturn:
    """Raises `VerifyException` with `message`, shown at `operation`."""
    operation.emit_error(f"Operation does not verify: {message}", VerifyException(message))


def verify_at(operation: Operation, rule: Callable[[], None]) -> None:
    """Runs `rule`. An error of `rule` is located at `operation`, unless it already has a
    location.
    """
    try:
        rule()
    except VerifyException as error:
        # xDSL keeps what it shows in the notes of the exception.
        if hasattr(error, "__notes__"):
            raise
        operation.emit_error(f"Operation does not verify: {error}", error)
