"""`tileir completion`: the lines that enable a shell to complete the words of `tileir`.

The shell runs `tileir` itself, by the protocol of the package argcomplete, so the completions are
exactly the options of the command line.
"""

import argparse
import sys
from collections.abc import Iterable
from typing import Any

from tileir_xdsl.options import STRATEGIES
from tileir_xdsl.passes import PASSES
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.outputs import EMITTED
from tileir_xdsl.targets import ABI, TARGETS

SHELLS = ("bash", "zsh", "fish")

_WORDS: dict[str, Iterable[str]] = {
    "gpu": TARGETS,
    "strategy": STRATEGIES,
    "abi": [abi.value for abi in ABI],
    "passes": PASSES,
    "emit": (*EMITTED, *PASSES),
    "from_pass": PASSES,
}
"""Completions of options that take neither a file nor one of fixed choices, by name."""

_MISSING = "needs the package argcomplete: pip install 'tileir_xdsl[terminal]'"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `tileir completion`."""
    parser.add_argument("shell", choices=SHELLS, help="the shell that shall complete")
    parser.epilog = 'For bash: eval "$(tileir completion bash)", in ~/.bashrc.'


def run(args: argparse.Namespace) -> int:
    """Prints the lines for the shell."""
    try:
        from argcomplete.shell_integration import shellcode  # noqa: PLC0415
    except ImportError as error:
        raise InputError("completion", _MISSING) from error
    sys.stdout.write(shellcode(["tileir"], shell=args.shell))
    return 0


def complete(parser: argparse.ArgumentParser) -> None:
    """Answers a shell that requests completions, and ends the process."""
    try:
        import argcomplete  # noqa: PLC0415
        from argcomplete.completers import FilesCompleter  # noqa: PLC0415
    except ImportError as error:
        raise InputError("completion", _MISSING) from error
    files = FilesCompleter()

    def words(prefix: str, action: argparse.Action, **_others: object) -> Iterable[str]:
        return _WORDS[action.dest] if action.dest in _WORDS else files(prefix)

    # Any function will do, though its types ask for a class.
    autocomplete: Any = argcomplete.autocomplete
    autocomplete(parser, default_completer=words)
