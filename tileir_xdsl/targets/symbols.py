"""Names of kernels and variables as PTX can spell them (PTX ISA, "Identifiers")."""

import re

_NAME = re.compile(r"[a-zA-Z][\w$]*|[_$][\w$]+", re.ASCII)
"""Identifiers, except names of registers, which begin with `%`."""
_RESERVED = frozenset({"WARP_SZ"})
_ESCAPE = re.compile(r"\$x[0-9a-f]*\$")
_NOTHING = "$x$"
_PLAIN = re.compile(r"\w", re.ASCII)


def ptx_name(name: str) -> str:
    """The name of a symbol in PTX text: unchanged, or converted to a unique identifier.

    Each character that an identifier cannot have is replaced by its code, `ö` by `$xf6$`. The first
    character is also replaced if the name is reserved or begins with a digit. In a name that
    contains a code like `$xf6$`, every `$` is replaced.
    """
    if _NAME.fullmatch(name) and name not in _RESERVED and not _ESCAPE.search(name):
        return name
    escaped = "".join(c if _PLAIN.match(c) else _number(c) for c in name)
    begins = escaped[:1]
    if begins.isdigit() or escaped in _RESERVED or escaped == "_":
        return _number(begins) + escaped[1:]
    return escaped or _NOTHING


def _number(character: str) -> str:
    return f"$x{ord(character):x}$"
