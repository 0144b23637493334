"""`tileir lint`: static checks of a PTX file, and the remarks of NVIDIA's assembler on it."""

import argparse
import json
import re
import sys

from tileir_xdsl.cli.compile_options import add_with, know_named
from tileir_xdsl.emulator.errors import EmulatorError
from tileir_xdsl.emulator.parser import parse_module
from tileir_xdsl.lint import Finding, assembler_findings, lint
from tileir_xdsl.lint.source_locations import SourceLocations
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.files import read_utf8
from tileir_xdsl.runtime.ptxas import AssemblyError, ToolNotFoundError


def _box(text: str) -> tuple[str, int]:
    found = re.fullmatch(r"(.+?)=([0-9]{1,18})", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"'{text}' is not of the form PARAMETER=BYTES")
    return found[1], int(found[2])


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `tileir lint`."""
    parser.add_argument("file", metavar="FILE", help="PTX, or - for the standard input")
    add_with(parser)
    parser.add_argument("--json", action="store_true", help="print a JSON list of findings")
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
    position = file if finding.line is None else f"{file}:{finding.line}:1"
    function = f" in '{finding.function}'" if finding.function else ""
    source = sources.find(finding.line)
    origin = f" (from {source})" if source else ""
    return f"{position}: warning: {finding.message}{function}{origin} [{finding.code}]"


def _data(finding: Finding, file: str, sources: SourceLocations) -> dict[str, object]:
    source = sources.find(finding.line)
    return {
        "file": file,
        "line": finding.line,
        "message": finding.message,
        "function": finding.function,
        "source": None if source is None else str(source),
        "code": finding.code,
    }


def run(args: argparse.Namespace) -> int:
    """Prints a line for each finding; 1 if there are any."""
    know_named(args)
    text, file = read_utf8(args.file)
    try:
        target = parse_module(text).target
        findings = lint(text, dict(args.box))
    except EmulatorError as error:
        position = file if error.line is None else f"{file}:{error.line}:1"
        raise InputError(position, error.message) from error
    gpu = target if args.gpu is None else args.gpu
    try:
        findings += assembler_findings(text, gpu)
    except ToolNotFoundError as error:
        print(f"{file}: remark: the assembler's findings are missing: {error}", file=sys.stderr)
    except AssemblyError as error:
        raise InputError(f"--gpu {gpu}", error) from error
    sources = SourceLocations.of(text)
    if args.json:
        print(json.dumps([_data(finding, file, sources) for finding in findings]))
        return 1 if findings else 0
    for finding in findings:
        print(_line(finding, file, sources))
    return 1 if findings else 0
