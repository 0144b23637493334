"""Names and strings of LLVM IR."""

import re

_PLAIN = re.compile(r"[-a-zA-Z$._][-a-zA-Z$._0-9]*")


def quoted(name: str) -> str:
    """A name after `@` or `%`, in quotes if it has characters other than those of a word."""
    return name if _PLAIN.fullmatch(name) else string(name)


def string(text: str) -> str:
    """A string in quotes, its bytes in UTF-8."""
    return f'"{escaped(text.encode())}"'


def escaped(data: bytes) -> str:
    """Bytes between quotes: those that are not printable have two hexadecimal digits."""
    return "".join(
        chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\{byte:02X}" for byte in data
    )
