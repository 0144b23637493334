"""Entry point of `tileir`; imports only the module of the subcommand that runs.

The exit status is 0 for success, and 1 after a diagnostic, findings or results that disagree. The
exit status is `USAGE` where no command is named, `INTERRUPTED` after Ctrl-C, and `NOTHING_COMPARED`
where a check of a pass compares nothing.
"""

import argparse
import contextlib
import functools
import importlib
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn, Protocol, cast

from tileir_xdsl.blas_threads import BLAS_THREADS
from tileir_xdsl.cli import may_be_python
from tileir_xdsl.cli.streams import ReaderGoneError, StreamError, standard_streams
from tileir_xdsl.nesting import room_for
from tileir_xdsl.runtime.collecting import collecting_seldom

COMMANDS: Mapping[str, str] = {
    "compile": "Compile Tile IR to PTX",
    "explain": "Show a kernel at every step of its compilation, as one page",
    "view": "Show the reports of a folder in a browser, up to date",
    "run": "Run a kernel on numpy arrays, at any stage of its compilation",
    "opt": "Run passes on IR and print it, as xdsl-opt does",
    "passes": "List the passes, where each runs and which package it is from, and extensions",
    "lsp": "Serve an editor: diagnostics, documentation, definitions, passes",
    "gui": "Try passes in the terminal: xDSL's xdsl-gui with all that tileir knows",
    "emulate": "Run a kernel in PTX on numpy arrays",
    "fmt": "Print Tile IR in its short form",
    "asm": "Write Tile IR as bytecode",
    "disasm": "Print Tile IR bytecode as text",
    "new": "Write a small cuTile kernel to begin with, or a package with a pass of your own",
    "python": "Run a Python script whose kernels are launched on numpy arrays, without a GPU",
    "sample": "Print a kernel that comes with the package, to begin with",
    "tune": "Compile a kernel in several ways and find the best",
    "lint": "Check PTX without running it",
    "completion": "Print what a shell needs to complete the words of tileir",
    "cache": "Look at what is kept of earlier compilations, or remove it",
    "server": "Keep a process with the compiler loaded, for commands to come",
    "reproduce": "Make the input of a failing command small, and write it with all that it takes",
    "check": "Run a kernel at every stage of its compilation and compare the results",
}
"""Each subcommand and its summary; the module `tileir_xdsl.cli.<name>` implements it."""


REPRODUCED = frozenset({"check", "compile", "run"})
"""The subcommands for whose failures `tileir reproduce` finds a small input."""

KEPT = ["compile"]
"""The subcommand that stores its output in the cache."""

LOADING_ALL = frozenset({"check", "reproduce", "run"})
"""The subcommands that import passes, interpreters and the emulator before they begin."""


class Command(Protocol):
    """The members that the module of a subcommand provides."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declares the command's arguments."""
        ...

    def run(self, args: argparse.Namespace) -> int:
        """Does the work and returns the exit status; raises InputError for bad input."""
        ...


class OneLineParser(argparse.ArgumentParser):
    """Reports a wrong command line as every other error: in one line, with exit status 1."""

    command: argparse.ArgumentParser | None = None
    """The parser of the subcommand, whose options are suggested for an unknown one."""

    def error(self, message: str) -> NoReturn:
        from tileir_xdsl.cli.usage import with_suggestion

        said = with_suggestion(message, self.command or self)
        self.exit(1, f"{self.prog}: error: {said} (see {self.prog} --help)\n")


class Version(argparse.Action):
    """Prints the version of the installed package, and the bytecode versions that it reads."""

    def __call__(self, parser: argparse.ArgumentParser, *_arguments: object) -> NoReturn:
        # Metadata take longer to import than all the rest.
        from importlib.metadata import version

        from tileir_xdsl.bytecode.version import VERSIONS

        first, *_, last = map(str, VERSIONS)
        print(f"{parser.prog} {version('tileir_xdsl')}, Tile IR bytecode {first} to {last}")
        parser.exit()


COMPLETING = "_ARGCOMPLETE"
"""The environment variable by which a shell requests completions."""

USAGE = 2
"""The exit status where no command is named, and the help is printed."""

INTERRUPTED = 130
"""The exit status after Ctrl-C, as of shells: 128 plus the number of the signal."""


def _without_blas_threads() -> None:
    """Makes numpy compute dots in one thread, unless the user has stated the number of threads.

    With one thread for each core, threads wait for each other at each dot, on a busy machine longer
    than the dot takes.
    """
    if "numpy" not in sys.modules and os.environ.keys().isdisjoint(BLAS_THREADS):
        os.environ.update(dict.fromkeys(BLAS_THREADS, "1"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs `tileir` with the given or the process's arguments; returns the exit status."""
    words = sys.argv[1:] if arguments is None else arguments
    if list(words[:1]) == ["python"]:
        # A script has the streams, the collector and the threads that it has without us.
        return _run(words)
    _without_blas_threads()
    with standard_streams() as (output, errors), collecting_seldom(), room_for():
        try:
            try:
                # A process that calls this has hooks of its own.
                return _run_importing(words, may_hint=arguments is None)
            finally:
                output.flush()
        except StreamError as error:
            status, problem = 1, str(error)
        except MemoryError:
            status, problem = 1, "tileir: error: out of memory"
        except KeyboardInterrupt:
            status, problem = INTERRUPTED, "tileir: error: interrupted"
        except ReaderGoneError:
            return 1
        with contextlib.suppress(StreamError, ReaderGoneError):
            errors.write(f"{problem}\n")
            errors.flush()
        return status


def _hint_at_reproducing(words: Sequence[str], *error: Any) -> None:
    """Prints the traceback of an internal error, and the command that makes its input small."""
    import shlex

    sys.__excepthook__(*error)
    command = shlex.join(["tileir", "reproduce", "-o", "small.mlir", *words])
    sys.stderr.write(f"tileir: this is a fault of tileir; make its input small: {command}\n")


def _run_importing(arguments: Sequence[str], *, may_hint: bool) -> int:
    if LOADING_ALL.isdisjoint(arguments[:1]):
        return _run(arguments, may_hint=may_hint)
    from tileir_xdsl.cli.importing import importing_for_one_command

    with importing_for_one_command():
        return _run(arguments, may_hint=may_hint)


def _run(arguments: Sequence[str], *, may_hint: bool = False) -> int:
    is_completing = COMPLETING in os.environ
    given = None
    # A script may depend on anything.
    names_python = any(map(may_be_python, arguments[1:]))
    if list(arguments[:1]) == KEPT and not is_completing and not names_python:
        from tileir_xdsl.runtime.cache.commands import command, written_again

        given = command("tileir", arguments)
        if written_again(given):
            return 0
    if is_completing:
        arguments = os.environ.get("COMP_LINE", "").split()[1:]
    parser = OneLineParser(prog="tileir", description="The open CUDA Tile IR compiler.")
    parser.add_argument("--version", action=Version, nargs=0, help="print the version and exit")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    chosen: Command | None = None
    for name, summary in COMMANDS.items():
        subparser = subparsers.add_parser(name, help=summary, description=f"{summary}.")
        if name in arguments[:1]:
            chosen = cast(Command, importlib.import_module(f"tileir_xdsl.cli.{name}"))
            chosen.add_arguments(subparser)
            if names_python:
                from tileir_xdsl.cli import python_files

                python_files.add_arguments(subparser, name)
            parser.command = subparser
    if is_completing:
        from tileir_xdsl.cli.completion import complete

        complete(parser)
    if not arguments:
        parser.print_help(sys.stderr)
        return USAGE
    if may_hint and arguments[0] in REPRODUCED:
        sys.excepthook = functools.partial(_hint_at_reproducing, list(arguments))
    args = parser.parse_args(arguments, argparse.Namespace(given=given))
    # argparse has left the process unless the first argument names a subcommand.
    assert chosen is not None

    from tileir_xdsl.cli.options_file import in_file
    from tileir_xdsl.runtime.errors import InputError
    from tileir_xdsl.xdsl_versions import untested

    if (warning := untested()) is not None:
        sys.stderr.write(f"warning: {warning}\n")
    try:
        if names_python:
            from tileir_xdsl.cli.python_files import with_recorded_launch

            with_recorded_launch(args, arguments)
        return chosen.run(args)
    except InputError as error:
        from tileir_xdsl.cli.terminal import print_diagnostic

        print_diagnostic(in_file(error, args), sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
