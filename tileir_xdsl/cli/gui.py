"""`tileir gui`: xDSL's terminal application for passes, with the passes of this package.

xDSL's own `xdsl-gui` has only passes of xDSL; this command starts it with all that `xdsl-opt` has
here.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from xdsl.universe import Universe

from tileir_xdsl.bytecode import is_bytecode
from tileir_xdsl.cli.compile_options import add_with
from tileir_xdsl.cli.fmt import format_module
from tileir_xdsl.cli.opt import read_pipeline
from tileir_xdsl.levels import EXTENSION_DIALECTS
from tileir_xdsl.runtime.diagnostics import errors_in
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.files import read_bytes, text_of
from tileir_xdsl.runtime.reader import know_extensions, read_bytecode
from tileir_xdsl.universe import extension_passes

if TYPE_CHECKING:
    from tileir_xdsl.cli.gui_app import TileIRApp


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `xdsl-gui`."""
    parser.add_argument("file", metavar="FILE", nargs="?", help="IR text or Tile IR bytecode")
    parser.add_argument(
        "-p", "--passes", default="", help="passes to begin with, as `xdsl-opt -p` takes them"
    )
    add_with(parser)


def run(args: argparse.Namespace) -> int:
    """Runs the application until the user quits."""
    app = application(args.file, args.passes, args.extensions or ())
    if not all(stream and stream.isatty() for stream in (sys.__stdin__, sys.__stdout__)):
        raise InputError("gui", "expected a terminal as standard input and output")
    app.run()
    return 0


def application(
    file: str | None = None, passes: str = "", extensions: Sequence[str] = ()
) -> TileIRApp:
    """The application with a file and passes, all dialects and all passes of xDSL's multiverse.

    Named extensions are included. Raises InputError for unreadable input, an unknown extension, or
    missing packages.
    """
    try:
        app = importlib.import_module("tileir_xdsl.cli.gui_app").TileIRApp
    except ModuleNotFoundError as error:
        message = f"needs the package {error.name}: pip install 'tileir_xdsl[gui]'"
        raise InputError("gui", message) from error
    know_extensions(extensions)
    universe = Universe.get_multiverse()
    known = {**universe.all_passes, **extension_passes(extensions)}
    dialects = {**universe.all_dialects}
    dialects |= {
        name: lambda made=each: made.dialect for (_, name), each in EXTENSION_DIALECTS.items()
    }
    steps = read_pipeline(passes, {}, extensions).passes
    text = None if file is None else _text(file)
    classes = tuple((name, known[name]()) for name in sorted(known))
    return cast("TileIRApp", app(tuple(dialects.items()), classes, file, text, steps))


def _text(file: str) -> str:
    contents, name = read_bytes(file)
    if is_bytecode(contents):
        return format_module(read_bytecode(contents, name))
    with errors_in(name):
        return text_of(contents)
