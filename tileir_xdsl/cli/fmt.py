"""`tileir fmt`: Tile IR in the short form that NVIDIA's tools print."""

import argparse
import sys
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.dialects.cuda_tile.printing import print_short
from tileir_xdsl.runtime.diagnostics import errors_in
from tileir_xdsl.runtime.reader import new_context, read_file


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `tileir fmt`."""
    parser.add_argument("file", metavar="FILE", help="Tile IR text, or - for the standard input")
    parser.add_argument("-o", "--output", metavar="FILE", help="default: the standard output")


def format_module(module: ModuleOp) -> str:
    """The short form of what a file holds, without the module that parsing adds around it."""
    return "".join(print_short(op) for op in module.body.block.ops)


def run(args: argparse.Namespace) -> int:
    """Formats one file; returns 0."""
    with errors_in(args.file):
        text = format_module(read_file(new_context(), args.file))
        if args.output is None:
            sys.stdout.write(text)
        else:
            Path(args.output).write_text(text)
    return 0
