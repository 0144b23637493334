"""`tileir fmt`: Tile IR in the short form that NVIDIA's tools print."""

import argparse

from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.cli.compile_options import add_with
from tileir_xdsl.cli.output import add_json_argument, add_output_argument, write_text
from tileir_xdsl.dialects.cuda_tile.printing import print_short
from tileir_xdsl.runtime.reader import new_context, read_file


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `tileir fmt`."""
    parser.add_argument("file", metavar="FILE", help="Tile IR text, or - for the standard input")
    add_with(parser)
    add_output_argument(parser)
    add_json_argument(parser)


def format_module(module: ModuleOp) -> str:
    """The short form of the contents of a file, without the module that parsing adds around it."""
    return "".join(print_short(op) for op in module.body.block.ops)


def run(args: argparse.Namespace) -> int:
    """Formats one file; returns 0."""
    write_text(args, format_module(read_file(new_context(args.extensions or ()), args.file)))
    return 0
