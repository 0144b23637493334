"""`tileir asm`: Tile IR text to bytecode, or bytecode to another version of it."""

import argparse
import sys
from pathlib import Path

from tileir_xdsl import bytecode
from tileir_xdsl.runtime.diagnostics import InputError, errors_in, operation_location
from tileir_xdsl.runtime.reader import new_context, read_file

DEFAULT_VERSION = "13.3"
"""The version of the public tools."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `tileir asm`."""
    parser.add_argument(
        "file", metavar="FILE", help="Tile IR text or bytecode, or - for the standard input"
    )
    parser.add_argument(
        "--version",
        default=DEFAULT_VERSION,
        choices=[str(version) for version in bytecode.VERSIONS],
        help="of the bytecode, default %(default)s",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="default: the standard output")


def run(args: argparse.Namespace) -> int:
    """Writes the bytecode of the file."""
    module = read_file(new_context(), args.file)
    try:
        data = bytecode.write(module, args.version)
    except bytecode.BytecodeError as error:
        raise InputError(operation_location(error.operation, args.file), error) from error
    if args.output is None:
        sys.stdout.buffer.write(data)
    else:
        with errors_in(args.output):
            Path(args.output).write_bytes(data)
    return 0
