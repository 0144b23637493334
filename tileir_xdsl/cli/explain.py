"""`tileir explain`: reports all stages of a kernel from source to machine code, as HTML or JSON."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import numpy as np

from tileir_xdsl.cli.arguments import add_launch, parse_argument, parse_grid
from tileir_xdsl.cli.compile_options import add_options, options_of
from tileir_xdsl.cli.output import STANDARD_OUTPUT, write_output
from tileir_xdsl.report.commands import explain_command
from tileir_xdsl.report.explaining import LaunchOf, explain
from tileir_xdsl.report.files import PAGE_SUFFIXES, ReportFiles, json_text
from tileir_xdsl.report.forcing import read_forced
from tileir_xdsl.report.running import Launch
from tileir_xdsl.report.schema import CompilationReport
from tileir_xdsl.runtime.binding import bind_arguments
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.files import read_bytes
from tileir_xdsl.runtime.program import Program
from tileir_xdsl.targets import DEFAULT_TARGET


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `tileir explain`."""
    parser.add_argument(
        "file", metavar="FILE", help="IR text or Tile IR bytecode, or - for the standard input"
    )
    parser.add_argument(
        "--gpu", help=f"target, default: the one that the program names, else {DEFAULT_TARGET}"
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="the report: a page if the name ends in .html, else JSON; - is the standard output",
    )
    parser.add_argument(
        "--json",
        action="store_true",
        help="JSON with the page, under its name with .json; without -o on the standard output",
    )
    parser.add_argument(
        "--perfetto",
        metavar="FILE",
        help="the last schedule of the kernel as a trace for https://ui.perfetto.dev",
    )
    parser.add_argument(
        "--force",
        action="append",
        default=[],
        metavar="PASS{force=..}",
        help="force a choice, as the report offers it; may be given several times",
    )
    _add_launch(parser)
    add_options(parser)


def _add_launch(parser: argparse.ArgumentParser) -> None:
    """Declares the launch of a kernel."""
    group = parser.add_argument_group("what a launch does")
    group.add_argument(
        "--run",
        action="store_true",
        help="launch the kernel in the emulator: instructions, waits, a race, values",
    )
    add_launch(group.add_argument)
    group.add_argument(
        "--show",
        action="append",
        default=[],
        metavar="VALUE",
        help="a value of the source to show the elements of, such as %%sum or v12",
    )


def _launch_of(args: argparse.Namespace) -> LaunchOf | None:
    """The launch that the command line describes. Raises InputError."""
    if not args.run:
        if args.arg or args.show:
            raise InputError("explain", "--arg and --show are for --run")
        return None
    random = np.random.default_rng(args.seed)
    grid = parse_grid(args.grid)
    arguments = [parse_argument(text, random) for text in args.arg]

    def launch(program: Program) -> Launch:
        kernel = program.kernel(args.kernel)
        return Launch(kernel.name, grid, bind_arguments(kernel, arguments), tuple(args.show))

    return launch


def run(args: argparse.Namespace) -> int:
    """Compiles the file and writes the report, also where the compilation fails."""
    options = options_of(args)
    forced = read_forced(args.force, options.extensions)
    files = _files(args)
    launch = _launch_of(args)
    contents, file = read_bytes(args.file)
    made = explain(
        contents,
        file,
        args.gpu,
        options,
        files,
        command=explain_command(args.file, args.gpu, options, forced),
        forced=forced,
        launch=launch,
    )
    for remark in made.compiled.remarks:
        print(remark, file=sys.stderr)
    if args.perfetto is not None:
        _write_trace(made.report, args.perfetto)
    if args.output == STANDARD_OUTPUT or (args.output is None and args.json):
        sys.stdout.write(json_text(made.report))
    return 0


def _write_trace(report: CompilationReport, file: str) -> None:
    """Writes the trace of the last pass that recorded a schedule. Raises InputError if none did."""
    traces = (drawing.trace for phase in report.phases for drawing in phase.drawings)
    # Earlier phases have the schedule as it was before agents, or before later passes.
    last = next((trace for trace in reversed([*traces]) if trace is not None), None)
    if last is None:
        raise InputError(file, "no pass recorded a schedule")
    write_output(file, json.dumps(last))


def _files(args: argparse.Namespace) -> ReportFiles:
    output: str | None = args.output
    if output == STANDARD_OUTPUT:
        return ReportFiles(())
    if output is None:
        if not args.json and args.perfetto is None:
            raise InputError(
                "explain", "expected -o FILE, or --perfetto FILE, or --json for the standard output"
            )
        return ReportFiles(())
    if args.json and output.endswith(PAGE_SUFFIXES):
        return ReportFiles((output, str(Path(output).with_suffix(".json"))))
    return ReportFiles((output,))
