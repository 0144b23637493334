"""`tileir gui`: xDSL's terminal application for pipelines of passes, with ours in it.

xDSL's own `xdsl-gui` knows only what comes with xDSL; this starts it with all that
`xdsl-opt` knows.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from xdsl.passes import ModulePass, PassPipeline
from xdsl.universe import Universe
from xdsl.utils.arg_spec import parse_pipeline
from xdsl.utils.exceptions import ArgSpecParseError

from tileir_xdsl.bytecode import is_bytecode
from tileir_xdsl.cli.fmt import format_module
from tileir_xdsl.runtime.diagnostics import errors_in
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.files import read_bytes, text_of
from tileir_xdsl.runtime.reader import read_bytecode
from tileir_xdsl.suggestions import did_you_mean

if TYPE_CHECKING:
    from tileir_xdsl.cli.gui_app import TileIRApp


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `xdsl-gui`."""
    parser.add_argument("file", metavar="FILE", nargs="?", help="IR text or Tile IR bytecode")
    parser.add_argument(
        "-p", "--passes", default="", help="passes to begin with, as `xdsl-opt -p` takes them"
    )


def run(args: argparse.Namespace) -> int:
    """Runs the application until it is left."""
    app = application(args.file, args.passes)
    if not all(stream and stream.isatty() for stream in (sys.__stdin__, sys.__stdout__)):
        raise InputError("gui", "expected a terminal")
    app.run()
    return 0


def application(file: str | None = None, passes: str = "") -> TileIRApp:
    """The application with a file and passes, all dialects and all passes of xDSL's multiverse.

    Raises InputError for what cannot be read, and without the packages that it needs.
    """
    try:
        app = importlib.import_module("tileir_xdsl.cli.gui_app").TileIRApp
    except ModuleNotFoundError as error:
        message = f"needs the package {error.name}: pip install 'tileir_xdsl[gui]'"
        raise InputError("gui", message) from error
    universe = Universe.get_multiverse()
    known = {name: universe.all_passes[name] for name in sorted(universe.all_passes)}
    steps = _pipeline(known, passes)
    text = None if file is None else _text(file)
    classes = tuple((name, load()) for name, load in known.items())
    return cast("TileIRApp", app(tuple(universe.all_dialects.items()), classes, file, text, steps))


def _pipeline(known: Mapping[str, object], passes: str) -> tuple[ModulePass, ...]:
    try:
        for spec in parse_pipeline(passes):
            if spec.name not in known:
                hint = did_you_mean(spec.name, known)
                raise InputError("-p", f"there is no pass '{spec.name}'{hint}")
        with errors_in("-p", ValueError):
            return PassPipeline.parse_spec(Universe.get_multiverse().all_passes, passes).passes
    except ArgSpecParseError as error:
        # The last line; those before it show the text.
        raise InputError("-p", str(error).strip().splitlines()[-1]) from error


def _text(file: str) -> str:
    contents, name = read_bytes(file)
    if is_bytecode(contents):
        return format_module(read_bytecode(contents, name))
    with errors_in(name):
        return text_of(contents)
