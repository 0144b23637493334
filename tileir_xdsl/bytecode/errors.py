"""The one exception of this package."""

from __future__ import annotations

from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import Operation


class BytecodeError(Exception):
    """Bytes that are not Tile IR bytecode, or a module that a version cannot express.

    Of a file: `section` names the part and `offset` counts bytes from the start of the file. Of a
    module: `operation` is the operation that cannot be written, if the message is about one.
    `location` is that of the operation that was being read, if any.
    """

    def __init__(
        self,
        message: str,
        *,
        section: str | None = None,
        offset: int | None = None,
        operation: Operation | None = None,
    ):
        subject = "" if operation is None else f"'{operation.name}' op "
        where = "" if section is None else f" ({section}, offset {offset})"
        super().__init__(f"{subject}{message}{where}")
        self.message = message
        self.section = section
        self.offset = offset
        self.operation = operation
        self.location: LocationAttr | None = None

    def about(self, operation: Operation) -> BytecodeError:
        """The same error about `operation`, unless it has a place already."""
        if self.operation is not None:
            return self
        return BytecodeError(
            self.message, section=self.section, offset=self.offset, operation=operation
        )
