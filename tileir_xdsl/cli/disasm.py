"""`tileir disasm`: Tile IR bytecode to text, as NVIDIA's disassembler prints it."""

import argparse
import sys
from pathlib import Path

from tileir_xdsl.bytecode import is_bytecode
from tileir_xdsl.bytecode.disassembly import disassemble
from tileir_xdsl.runtime.diagnostics import InputError, errors_in
from tileir_xdsl.runtime.reader import read_bytecode, read_bytes


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `tileir disasm`."""
    parser.add_argument(
        "file", metavar="FILE", help="Tile IR bytecode, or - for the standard input"
    )
    parser.add_argument(
        "-g", "--print-debug-info", action="store_true", help="print the locations, too"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="default: the standard output")


def run(args: argparse.Namespace) -> int:
    """Prints the text of the file."""
    contents, name = read_bytes(args.file)
    if not is_bytecode(contents):
        raise InputError(name, "input does not correspond to Tile IR bytecode")
    text = disassemble(read_bytecode(contents, name), debug_info=args.print_debug_info)
    if args.output is None:
        sys.stdout.write(text)
    else:
        with errors_in(args.output):
            Path(args.output).write_text(text, encoding="utf-8")
    return 0
