"""`tileir lint`: static checks of a PTX file, and what NVIDIA's assembler remarks on it."""

import argparse
import sys

from tileir_xdsl.emulator.errors import EmulatorError
from tileir_xdsl.emulator.parser import parse_module
from tileir_xdsl.lint import Finding, assembler_findings, lint
from tileir_xdsl.lint.source_locations import SourceLocations
from tileir_xdsl.runtime.diagnostics import InputError
from tileir_xdsl.runtime.ptxas import ToolNotFoundError
from tileir_xdsl.runtime.reader import read_bytes


def _box(text: str) -> tuple[str, int]:
    name, equals, size = text.partition("=")
    if not (name and equals and size.isdecimal()):
        raise argparse.ArgumentTypeError(f"'{text}' is not of the form PARAMETER=BYTES")
    return name, int(size)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `tileir lint`."""
    parser.add_argument("file", metavar="FILE", help="PTX, or - for the standard input")
    parser.add_argument("--gpu", help="target of the assembler, default: that of the file")
    parser.add_argument(
        "--box",
        metavar="PARAMETER=BYTES",
        action="append",
        type=_box,
        default=[],
        help="bytes of a box of the tensor map in a parameter, to add up transactions",
    )


def _line(finding: Finding, file: str, sources: SourceLocations) -> str:
    place = file if finding.line is None else f"{file}:{finding.line}:1"
    function = f" in '{finding.function}'" if finding.function else ""
    source = sources.find(finding.line)
    origin = f" (from {source})" if source else ""
    return f"{place}: warning: {finding.message}{function}{origin} [{finding.code}]"


def run(args: argparse.Namespace) -> int:
    """Prints a line for each finding; 1 if there are any."""
    contents, file = read_bytes(args.file)
    try:
        text = contents.decode()
        target = parse_module(text).target
        findings = lint(text, dict(args.box))
    except UnicodeDecodeError as error:
        raise InputError(file, "the file is not UTF-8 text") from error
    except EmulatorError as error:
        place = file if error.line is None else f"{file}:{error.line}:1"
        raise InputError(place, error.message) from error
    try:
        findings += assembler_findings(text, args.gpu or target)
    except ToolNotFoundError as error:
        print(f"{file}: remark: the assembler's findings are missing: {error}", file=sys.stderr)
    sources = SourceLocations.of(text)
    for finding in findings:
        print(_line(finding, file, sources))
    return 1 if findings else 0
