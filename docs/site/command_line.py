"""The reference of the command line: what `--help` says, of all commands."""

import argparse
import importlib
from functools import partial

from tileir_xdsl.cli.main import COMMANDS

WIDTH = 100

INTRODUCTION = """# Command line

Written from the commands themselves: this is what `tileir COMMAND --help` prints. Exit statuses,
JSON and what is common to all are in [runtime](../docs/runtime.md#exit-statuses-and-messages).
"""


def page() -> str:
    """The page."""
    return "\n".join([INTRODUCTION, *map(_section, COMMANDS)])


def _section(name: str) -> str:
    parser = argparse.ArgumentParser(
        prog=f"tileir {name}",
        description=f"{COMMANDS[name]}.",
        formatter_class=partial(argparse.HelpFormatter, width=WIDTH),
    )
    importlib.import_module(f"tileir_xdsl.cli.{name}").add_arguments(parser)
    return f"## `tileir {name}`\n\n```text\n{parser.format_help().rstrip()}\n```\n"
