"""Entry point of `tileir-as`."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tileir_xdsl.cli.main import INTERRUPTED
from tileir_xdsl.cli.streams import ReaderGoneError, StreamError, standard_streams
from tileir_xdsl.cli.tileir_as.refusal import (
    BAD_COMMAND_LINE,
    BAD_VALUE,
    CANNOT_COMPILE,
    SUCCESS,
    Refusal,
)
from tileir_xdsl.nesting import room_for
from tileir_xdsl.runtime.cache.commands import Command, command, written_again
from tileir_xdsl.runtime.collecting import collecting_seldom

if TYPE_CHECKING:
    from tileir_xdsl.cli.tileir_as.command_line import CommandLine

PROGRAM = "tileir-as"


def main(words: Sequence[str] | None = None) -> int:
    """Runs `tileir-as` with the given or the process's arguments; returns the exit status."""
    with standard_streams() as (output, errors), collecting_seldom(), room_for():
        lines: tuple[str, ...] = ()
        try:
            try:
                return _run(sys.argv[1:] if words is None else words)
            finally:
                output.flush()
        except Refusal as refusal:
            status, lines = refusal.status, refusal.lines
        except StreamError as error:
            status, lines = BAD_COMMAND_LINE, (str(error),)
        except MemoryError:
            status, lines = CANNOT_COMPILE, ("error: out of memory",)
        except KeyboardInterrupt:
            status, lines = INTERRUPTED, ("error: interrupted",)
        except ReaderGoneError:
            return BAD_COMMAND_LINE
        with contextlib.suppress(StreamError, ReaderGoneError):
            errors.write("".join(f"{line}\n" for line in lines))
            errors.flush()
        return status


def _run(words: Sequence[str]) -> int:
    given = command(PROGRAM, words)
    if written_again(given):
        return SUCCESS
    # Written output needs none of this.
    from tileir_xdsl.cli.tileir_as.command_line import CommandLineError, help_text, parse

    try:
        flags = parse(words)
    except CommandLineError as error:
        # A line that `tileiras` wraps has no name of the program before it.
        lines = (
            line if line.startswith("Can specify") else f"{PROGRAM}: {line}"
            for line in str(error).split("\n")
        )
        raise Refusal(BAD_COMMAND_LINE, *lines) from error
    if flags.has("help"):
        sys.stdout.write(help_text())
    elif flags.has("version"):
        sys.stdout.write(_version())
    elif flags.has("list-versions"):
        from tileir_xdsl.bytecode.version import VERSIONS

        sys.stdout.write("".join(f"{version}\n" for version in VERSIONS))
    elif flags.has("install"):
        from tileir_xdsl.cli.tileir_as.installation import install

        try:
            print(install(Path(flags.last("install", ""))))
        except OSError as error:
            message = f"error: {error.filename}: {error.strerror}"
            raise Refusal(BAD_VALUE, message) from error
    else:
        _assemble(flags, given)
    return SUCCESS


def _version() -> str:
    from importlib.metadata import version

    from tileir_xdsl.bytecode.version import VERSIONS

    return (
        f"{PROGRAM}: the open CUDA Tile IR assembler\n"
        f"tileir_xdsl {version('tileir_xdsl')}, Tile IR {VERSIONS[-1]}\n"
        f"Build {_build()}\n"
    )


def _build() -> str:
    """A digest that changes with every change of the compiler, for cuTile's cache of cubins."""
    import hashlib

    package = Path(__file__).parents[2]
    files = sorted(package.rglob("*.py"))
    stamps = ((str(f.relative_to(package)), f.stat().st_size, f.stat().st_mtime_ns) for f in files)
    return hashlib.sha256(repr(list(stamps)).encode()).hexdigest()[:16]


def _assemble(flags: CommandLine, given: Command) -> None:
    from tileir_xdsl.cli.importing import importing_for_one_command
    from tileir_xdsl.cli.tileir_as.command_line import help_text

    if flags.file is None:
        sys.stdout.write(help_text())
        raise Refusal(BAD_COMMAND_LINE, "error: no input file provided")
    with importing_for_one_command():
        from tileir_xdsl.cli.tileir_as import assembly

        assembly.run(flags, flags.file, given)
