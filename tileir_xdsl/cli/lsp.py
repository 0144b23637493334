"""`tileir lsp`: a language server for Tile IR and the lower levels, on the standard streams."""

import argparse
import contextlib
import importlib
import os
import sys
from importlib.metadata import version

from tileir_xdsl.cli.compile_options import add_with, know_named
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.suggestions import did_you_mean
from tileir_xdsl.targets import TARGETS, UnknownTargetError, get_target
from tileir_xdsl.targets.target import DEFAULT_TARGET


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `tileir lsp`."""
    parser.add_argument(
        "--gpu",
        default=DEFAULT_TARGET,
        help=f"the target of the pipelines that are offered (default: {DEFAULT_TARGET})",
    )
    add_with(parser)
    parser.add_argument(
        "--stdio", action="store_true", help="serve on the standard streams, as it always does"
    )


def run(args: argparse.Namespace) -> int:
    """Serves until the editor ends it; raises InputError if packages are missing."""
    know_named(args)
    try:
        gpu = get_target(args.gpu).name
    except UnknownTargetError as error:
        raise InputError("--gpu", f"{error}{did_you_mean(args.gpu, TARGETS)}") from error
    try:
        server_module = importlib.import_module("tileir_xdsl.lsp.server")
    except ModuleNotFoundError as error:
        message = f"needs the package {error.name}: pip install 'tileir_xdsl[lsp]'"
        raise InputError("lsp", message) from error
    server = server_module.new_server(version("tileir_xdsl"), gpu)
    if sys.__stdin__ is None or sys.__stdout__ is None:
        raise InputError("lsp", "expected the standard input and output of an editor")
    # pygls closes what it writes to; what anything else prints would be taken for a message.
    with (
        os.fdopen(os.dup(sys.__stdout__.fileno()), "wb") as messages,
        contextlib.redirect_stdout(sys.stderr),
    ):
        server.start_io(sys.__stdin__.buffer, messages)
    server.end()
    return 0
