"""`tileir python`: runs a script like `python`, and executes its launches without a GPU."""

from __future__ import annotations

import argparse
import os
import runpy
import sys

from tileir_xdsl.cli.compile_options import add_with
from tileir_xdsl.frontends.environment import WITH
from tileir_xdsl.frontends.hook import install_hook, remove_hook
from tileir_xdsl.frontends.interpreting import interpret, with_children
from tileir_xdsl.frontends.scripts import (
    is_outside,
    place_in_script,
    run_script,
    without_own_frames,
)
from tileir_xdsl.runtime.errors import CompileError, InputError

_HOOKS = {
    "--install-hook": "have TILEIR_INTERPRET=1 python SCRIPT do the same, by a line that Python "
    "executes whenever it starts",
    "--remove-hook": "remove that line",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `tileir python`."""
    parser.add_argument(
        "-m", dest="module", action="store_true", help="SCRIPT is the name of a module"
    )
    add_with(parser)
    for option, what in _HOOKS.items():
        parser.add_argument(option, dest="hook", action="store_const", const=option, help=what)
    parser.add_argument("script", metavar="SCRIPT", nargs="?", help="a Python file")
    parser.add_argument(
        "words", metavar="ARG", nargs=argparse.REMAINDER, help="arguments of the script"
    )
    parser.epilog = (
        "TILEIR_LEVEL (cuda_tile, nv_tileaa, nv_tileas or ptx), TILEIR_GPU (a target), "
        "TILEIR_RACES=1 and TILEIR_WITH (extensions) choose how kernels run, in processes that "
        "the script starts, too."
    )


def run(args: argparse.Namespace) -> int:
    """Runs the script; returns its exit status, or 1 after an exception."""
    if args.hook is not None:
        files = [install_hook()] if args.hook == "--install-hook" else remove_hook()
        print("".join(f"{file}\n" for file in files), end="")
        return 0
    if args.script is None:
        raise InputError("python", "expected the file of a script")
    if args.extensions:
        os.environ[WITH] = os.pathsep.join(args.extensions)
    with_children(os.environ)
    interpret(os.environ)
    try:
        if args.module:
            sys.argv = [args.script, *args.words]
            sys.path.insert(0, os.getcwd())
            runpy.run_module(args.script, run_name="__main__", alter_sys=True)
        else:
            run_script(args.script, args.words)
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException as error:
        _report(error)
        return 1
    return 0


def _report(error: BaseException) -> None:
    """Prints the error of a script: one line for an error of a launch, otherwise a traceback."""
    if isinstance(error, CompileError):
        launched = place_in_script(error, is_outside)
        lines = [str(error), *getattr(error, "__notes__", ())]
        lines += [f"{launched}: note: launched here"] if launched else []
        sys.stderr.write("".join(f"{line}\n" for line in lines))
    else:
        sys.excepthook(type(error), error, without_own_frames(error.__traceback__))
