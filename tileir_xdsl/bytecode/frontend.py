"""Tile IR bytecode as input of `xdsl-opt`, from xDSL 0.75 on: `xdsl-opt kernel.tileirbc`."""

from dataclasses import dataclass
from importlib import import_module
from typing import IO, Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import DiagnosticException

from tileir_xdsl.bytecode.errors import BytecodeError
from tileir_xdsl.bytecode.reader import read


def _parse(_frontend: object, _ctx: Context, input: IO[bytes], input_name: str) -> ModuleOp:
    try:
        return read(input.read())
    except BytecodeError as error:
        raise DiagnosticException(f"{input_name}: error: {error}") from error


def bytecode_frontend(extension: str) -> type:
    """The front end for files with an extension, a subclass of `xdsl.utils.frontend.Frontend`.

    Its `parse` raises `DiagnosticException` for bytes that are not bytecode.
    """
    # Made here, as versions before 0.75 do not have the base class.
    base: Any = import_module("xdsl.utils.frontend").Frontend
    members = {"name": extension, "parse": _parse, "__doc__": "Reads Tile IR bytecode."}
    return dataclass(frozen=True)(type("TileIRBytecode", (base,), members))
