"""Tile IR bytecode, the binary form of `cuda_tile`: reader and writer, versions 13.1 to 13.5.

`operations.OPERATIONS`, `types.TYPES` and `attributes.TAGGED` are the format as data; the reader,
the writer and `docs/bytecode.md` share them. The names below are imported on first use.
"""

from typing import TYPE_CHECKING

from tileir_xdsl.on_use import names_of

if TYPE_CHECKING:
    from tileir_xdsl.bytecode.container import is_bytecode
    from tileir_xdsl.bytecode.errors import BytecodeError
    from tileir_xdsl.bytecode.reader import read
    from tileir_xdsl.bytecode.version import VERSIONS, Version
    from tileir_xdsl.bytecode.writer import write

__all__ = ["VERSIONS", "BytecodeError", "Version", "is_bytecode", "read", "write"]

_MODULES = {
    "VERSIONS": "version",
    "BytecodeError": "errors",
    "Version": "version",
    "is_bytecode": "container",
    "read": "reader",
    "write": "writer",
}


__getattr__ = names_of(__name__, _MODULES)
