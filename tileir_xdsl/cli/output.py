"""The output of commands: complete files or none, or the standard output."""

import argparse
import json
import sys

from tileir_xdsl.runtime.files import write_file

STANDARD_OUTPUT = "-"
"""The file name that means the standard output."""


def output_file(name: str) -> str | None:
    """The file that a command line names, None for the standard output."""
    return None if name == STANDARD_OUTPUT else name


def add_output_argument(parser: argparse.ArgumentParser) -> None:
    """Declares `-o`."""
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=output_file,
        help="default, and if -: the standard output",
    )


def add_json_argument(parser: argparse.ArgumentParser) -> None:
    """Declares `--json` for a command that prints text or writes a file."""
    parser.add_argument(
        "--json",
        action="store_true",
        help="print an object with the text, or with the name of the file that -o names",
    )


def write_text(args: argparse.Namespace, text: str) -> None:
    """Writes the text of a command according to `-o` and `--json`. Raises InputError."""
    if not args.json:
        write_output(args.output, text)
        return
    if args.output is not None:
        write_output(args.output, text)
    said = {"text": text} if args.output is None else {"file": args.output}
    print(json.dumps(said))


def write_output(file: str | None, contents: str | bytes) -> None:
    """Writes text as UTF-8, or bytes, to a file, or to the standard output for None and `-`.

    A file that cannot be written completely is unchanged. Raises InputError.
    """
    if file is not None and file != STANDARD_OUTPUT:
        write_file(file, lambda stream: stream.write(_encoded(contents)))
    elif isinstance(contents, str):
        sys.stdout.write(contents)
    else:
        sys.stdout.buffer.write(contents)


def _encoded(contents: str | bytes) -> bytes:
    return contents.encode() if isinstance(contents, str) else contents
