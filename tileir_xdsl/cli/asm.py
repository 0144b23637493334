"""`tileir asm`: Tile IR text to bytecode, or bytecode to another version of it."""

import argparse
import json

from tileir_xdsl import bytecode
from tileir_xdsl.cli.compile_options import add_with
from tileir_xdsl.cli.output import add_output_argument, write_output
from tileir_xdsl.runtime.diagnostics import operation_location
from tileir_xdsl.runtime.errors import InputError
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
    add_output_argument(parser)
    add_with(parser)
    parser.add_argument(
        "--json", action="store_true", help="print the name and size of the file that -o names"
    )


def run(args: argparse.Namespace) -> int:
    """Writes the bytecode of the file. Raises InputError."""
    if args.json and args.output is None:
        raise InputError(
            "--json", "needs -o FILE: without it, the bytecode goes to the standard output"
        )
    module = read_file(new_context(args.extensions or ()), args.file)
    try:
        data = bytecode.write(module, args.version)
    except bytecode.BytecodeError as error:
        raise InputError(operation_location(error.operation, args.file), error) from error
    write_output(args.output, data)
    if args.json:
        print(json.dumps({"file": args.output, "version": args.version, "bytes": len(data)}))
    return 0
