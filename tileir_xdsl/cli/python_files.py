"""Python files as inputs of commands: a launch in the file replaces a file of Tile IR.

A command with `FILE.py[:KERNEL[.NUMBER]]` continues as if given a file of Tile IR with the options
`--grid`, `--arg` and `--opt-level`. Commands do not know that the options come from a launch.
"""

import argparse
import contextlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from tileir_xdsl.cli.arguments import DEFAULT_GRID, parse_argument, parse_grid
from tileir_xdsl.cli.constants import executes, read_constants, with_given
from tileir_xdsl.frontends.interface import Launch, Specialization
from tileir_xdsl.frontends.recording import Choice, choice_of, made, record, record_search
from tileir_xdsl.frontends.searching import configurations_of
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.files import hold
from tileir_xdsl.runtime.memory_views import copies
from tileir_xdsl.runtime.outputs import PTX
from tileir_xdsl.runtime.program import program_of
from tileir_xdsl.runtime.reader import know_extensions, read_bytecode

TILE_IR = frozenset({"compile", "explain", "check", "tune", "run", "fmt", "asm"})
"""The commands that accept a launch of a Python file in place of Tile IR."""

OF_PTX = frozenset({"lint"})
"""Commands on PTX, to which a script is compiled first."""

REFUSING = frozenset({"disasm", "emulate", "gui", "opt"})
"""Commands that do not accept a Python file, because they read other inputs."""

_INPUTS = ("file", "folder", "input_file")
"""The attributes of parsed arguments that name the input of a command."""


def with_recorded_launch(args: argparse.Namespace, words: Sequence[str]) -> None:
    """Changes the options of a command on a Python file to those of its recorded launch.

    Raises InputError if the command does not accept Python, and as `record` does.
    """
    named = [getattr(args, name, None) for name in _INPUTS]
    files: list[str] = getattr(args, "files", None) or [name for name in named if name]
    chosen = next(((file, choice) for file in files if (choice := choice_of(file))), None)
    if chosen is None or args.command not in TILE_IR | OF_PTX | REFUSING:
        return
    name, choice = chosen
    if args.command in REFUSING:
        listed = ", ".join(sorted(TILE_IR | OF_PTX))
        raise InputError(name, f"{args.command} takes no Python file; these commands do: {listed}")
    if len(files) > 1:
        raise InputError(name, "expected a Python file to be the only file")
    if (kernel := getattr(args, "kernel", None)) is not None:
        choice = choice_of(f"{choice.file}:{kernel}") or choice
    given = {word.partition("=")[0] for word in words}
    constants = read_constants(args, "--grid" in given)
    # They may serve what the script imports.
    know_extensions(_extensions(args))
    if choice.kernel is not None and "--arg" in given:
        found = _launch_by(args, choice)
    else:
        for option in ("--grid", "--arg"):
            if option in given and not (constants.values and option == "--grid"):
                raise InputError(
                    option,
                    f"expected {choice.file}:KERNEL and --arg, "
                    f"as {choice.file} itself launches the kernel",
                )
        is_search = args.command == "tune" and not constants.values
        found = record_search(choice) if is_search else record(choice)
    if isinstance(found, Launch) and constants.values:
        found = with_given(found, constants, args)
    if isinstance(found, Launch):
        with_launch(args, found, choice.file)
    else:
        # `tune` alone asks for one.
        args.configurations = configurations_of(found, args.gpu)


def add_arguments(parser: argparse.ArgumentParser, command: str) -> None:
    """Adds the options for arguments and constants of a kernel to a command on scripts."""
    if command in TILE_IR | OF_PTX:
        with contextlib.suppress(argparse.ArgumentError):
            parser.add_argument(
                "--arg",
                dest="kernel_arguments",
                action="append",
                metavar="ARG",
                help="of SCRIPT.py:KERNEL, in place of a launch, as for tileir run",
            )
        parser.add_argument(
            "--constant",
            action="append",
            metavar="NAME=VALUE[,VALUE ..]",
            help="another value of a parameter, for tune several; --grid may then be an expression "
            "of parameters and globals, such as cdiv(a.shape[0], tile)",
        )


def _launch_by(args: argparse.Namespace, choice: Choice) -> Launch:
    """A launch of a kernel with the options of the command. Raises InputError."""
    random = np.random.default_rng(getattr(args, "seed", 0))
    texts: list[str] = getattr(args, "arg", None) or args.kernel_arguments
    values = [parse_argument(text, random).value for text in texts]
    source = made(choice)
    grid: str | None = "1" if args.constant else getattr(args, "grid", "1")
    blocks = parse_grid(DEFAULT_GRID if grid is None else grid)
    return Launch(source.frontend, source.kernel, blocks, values)


def _extensions(args: argparse.Namespace) -> tuple[str, ...]:
    """The extensions in the command line, otherwise in its file of options."""
    in_file: Any = getattr(getattr(args, "options", None), "values", {}).get("extensions", ())
    return tuple(getattr(args, "extensions", None) or in_file)


def with_launch(args: argparse.Namespace, launch: Launch, file: str) -> None:
    """Changes the options of a command to those of a launch. Raises InputError."""
    gpu: str | None = getattr(args, "gpu", None)
    found = launch.frontend.specialize(launch.kernel, launch.arguments, gpu)
    name = f"{file}:{launch.frontend.source(launch.kernel).name}"
    contents = found.contents
    if args.command in OF_PTX:
        contents = _ptx(contents, name, gpu, found)
    hold(name, contents)
    _rewrite(args, name, launch.grid, found)


def _rewrite(
    args: argparse.Namespace, name: str, grid: Sequence[int], made: Specialization
) -> None:
    """Sets the options that describe the launch."""
    if hasattr(args, "files"):
        args.files = [name]
    else:
        args.file = name
    if getattr(args, "opt_level", made) is None:
        args.opt_level = made.options.opt_level
    if not hasattr(args, "arg"):
        return
    args.kernel, args.grid, args.arg = None, ",".join(map(str, grid)), []
    if not executes(args):
        return
    if made.arguments is None:
        raise InputError(name, f"{args.command} needs arrays in the memory of the host")
    values = copies([each.value for each in made.arguments])
    args.arg = [
        type(each)(each.name, value) for each, value in zip(made.arguments, values, strict=True)
    ]


def _ptx(contents: bytes, name: str, gpu: str | None, made: Specialization) -> bytes:
    program = program_of(read_bytecode(contents, name), name, gpu, made.options)
    return program.compile(PTX).text.encode()
