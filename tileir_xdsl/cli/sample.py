"""`tileir sample`: kernels that come with the package."""

import argparse
import json

from tileir_xdsl import samples
from tileir_xdsl.cli.output import add_json_argument, add_output_argument, write_output, write_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `tileir sample`."""
    parser.add_argument(
        "name", metavar="NAME", nargs="?", choices=samples.names(), help="without one, list them"
    )
    add_output_argument(parser)
    add_json_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Prints a sample, or the name and purpose of each; returns 0."""
    if args.name is not None:
        write_text(args, samples.path(args.name).read_text("utf-8"))
        return 0
    if args.json:
        listed = [{"name": name, "summary": _summary(name)} for name in samples.names()]
        write_output(args.output, f"{json.dumps(listed)}\n")
        return 0
    lines = [f"{name:<14}{_summary(name)}\n" for name in samples.names()]
    write_output(args.output, "".join(lines))
    return 0


def _summary(name: str) -> str:
    """The comment in the first line."""
    first, *_ = samples.path(name).read_text("utf-8").splitlines()
    return first.removeprefix("// ")
