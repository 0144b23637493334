"""`tileir new`: a small cuTile kernel to begin with, which runs on numpy."""

import argparse
import json
from pathlib import Path

from tileir_xdsl import samples
from tileir_xdsl.cli.output import write_output
from tileir_xdsl.runtime.errors import InputError

SUFFIX = ".py"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `tileir new`."""
    parser.add_argument("file", metavar="FILE.py", help="the file to write, which must not exist")
    parser.add_argument("--json", action="store_true", help="print the name of the file as JSON")


def run(args: argparse.Namespace) -> int:
    """Writes the file and says how to run it. Raises InputError if it exists or is not a `.py`."""
    path = Path(args.file)
    if path.suffix != SUFFIX:
        raise InputError(args.file, f"expected a name that ends in {SUFFIX}")
    if path.exists():
        raise InputError(args.file, "the file exists")
    text = samples.CUTILE_KERNEL.read_text("utf-8").replace("NAME", path.name)
    write_output(args.file, text)
    said = f"{args.file}: run it with python {args.file}"
    print(json.dumps({"file": args.file}) if args.json else said)
    return 0
