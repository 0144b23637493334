"""`tileir disasm`: Tile IR bytecode to text, as NVIDIA's disassembler prints it."""

import argparse

from tileir_xdsl.bytecode import is_bytecode
from tileir_xdsl.bytecode.disassembly import disassemble
from tileir_xdsl.cli.output import add_output_argument, write_output
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.files import read_bytes
from tileir_xdsl.runtime.reader import read_bytecode


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `tileir disasm`."""
    parser.add_argument(
        "file", metavar="FILE", help="Tile IR bytecode, or - for the standard input"
    )
    parser.add_argument(
        "-g", "--print-debug-info", action="store_true", help="print the locations, too"
    )
    add_output_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Prints the text of the file."""
    contents, name = read_bytes(args.file)
    if not is_bytecode(contents):
        raise InputError(name, "input does not correspond to Tile IR bytecode")
    text = disassemble(read_bytecode(contents, name), debug_info=args.print_debug_info)
    write_output(args.output, text)
    return 0
