"""What commands write: whole files or none, or the standard output."""

import argparse
import sys

from tileir_xdsl.runtime.files import write_file


def add_output_argument(parser: argparse.ArgumentParser) -> None:
    """Declares `-o`."""
    parser.add_argument("-o", "--output", metavar="FILE", help="default: the standard output")


def write_output(file: str | None, contents: str | bytes) -> None:
    """Writes text as UTF-8, or bytes, to a file, or to the standard output for None.

    A file that cannot be written whole stays as it was. Raises InputError.
    """
    if file is not None:
        write_file(file, lambda stream: stream.write(_encoded(contents)))
    elif isinstance(contents, str):
        sys.stdout.write(contents)
    else:
        sys.stdout.buffer.write(contents)


def _encoded(contents: str | bytes) -> bytes:
    return contents.encode() if isinstance(contents, str) else contents
