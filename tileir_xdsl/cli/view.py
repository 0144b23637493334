"""`tileir view`: serves the reports of a folder or a script, and updates them on changes."""

import argparse
import signal
from importlib.util import find_spec
from pathlib import Path

from tileir_xdsl.cli.compile_options import add_options, options_of
from tileir_xdsl.frontends.recording import choice_of
from tileir_xdsl.report.commands import option_words
from tileir_xdsl.report.page.render import MissingJinja2Error
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.view.guarding import LOOPBACK
from tileir_xdsl.view.server import viewing

_MOST_PORT = 65535


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `tileir view`."""
    parser.add_argument(
        "folder",
        metavar="FOLDER",
        help="with kernels, with reports, or both; or SCRIPT.py[:KERNEL]",
    )
    parser.add_argument(
        "--port", type=_port, default=0, metavar="N", help="default: one that is free"
    )
    parser.add_argument(
        "--gpu", help="the target that kernels are compiled for, as `tileir explain` takes it"
    )
    add_options(parser)


def _port(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and int(text) <= _MOST_PORT):
        raise argparse.ArgumentTypeError(
            f"expected a whole number from 0 to {_MOST_PORT}, got '{text}'"
        )
    return int(text)


def run(args: argparse.Namespace) -> int:
    """Serves until Ctrl-C. Raises InputError for a folder or a port that is not available."""
    if find_spec("jinja2") is None:
        raise InputError("view", MissingJinja2Error())
    folder, script = Path(args.folder), None
    if (choice := choice_of(args.folder)) is not None and Path(choice.file).is_file():
        folder, script = folder.parent, folder.name
    if not folder.is_dir():
        raise InputError(args.folder, "expected a folder or a Python file")
    words = option_words(args.gpu, options_of(args))
    # A signal that ends the process also ends its children.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with viewing(folder, args.port, words, script) as server:
            print(f"{server.address} shows {args.folder}; Ctrl-C ends it", flush=True)
            server.serve_forever()
    except OSError as error:
        place = args.folder if error.filename else f"{LOOPBACK}:{args.port}"
        raise InputError(place, error.strerror or error) from error
    except KeyboardInterrupt:
        return 0
    return 0
