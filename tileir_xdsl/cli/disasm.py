"""`tileir disasm`: bytecode to text, for `xdsl-opt` or in the form of NVIDIA's disassembler."""

import argparse

from tileir_xdsl.bytecode import is_bytecode
from tileir_xdsl.bytecode.disassembly import disassemble
from tileir_xdsl.cli.fmt import format_module
from tileir_xdsl.cli.output import add_json_argument, add_output_argument, write_text
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.files import read_bytes
from tileir_xdsl.runtime.reader import read_bytecode


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `tileir disasm`."""
    parser.add_argument(
        "file", metavar="FILE", help="Tile IR bytecode, or - for the standard input"
    )
    parser.add_argument(
        "--items",
        action="store_true",
        help="leave out the line of the module, as NVIDIA's disassembler does",
    )
    parser.add_argument(
        "-g",
        "--print-debug-info",
        action="store_true",
        help="print the locations, too, as NVIDIA's disassembler does",
    )
    add_output_argument(parser)
    add_json_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Prints the text of the file."""
    contents, name = read_bytes(args.file)
    if not is_bytecode(contents):
        raise InputError(name, "input does not correspond to Tile IR bytecode")
    module = read_bytecode(contents, name)
    if args.items or args.print_debug_info:
        text = disassemble(module, debug_info=args.print_debug_info)
    else:
        text = format_module(module)
    write_text(args, text)
    return 0
