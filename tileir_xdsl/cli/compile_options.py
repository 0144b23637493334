"""Command-line options of compilation."""

import argparse
import importlib
import re
from collections.abc import Callable
from typing import Any

from tileir_xdsl.cli.options_file import read_options
from tileir_xdsl.options import STRATEGIES, OptionError, Options
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.targets import ABI

WITH = "--with"
_WITH_FACTS: dict[str, Any] = {
    "dest": "extensions",
    "action": "append",
    "metavar": "NAME",
    "help": "an extension whose passes and strategies act: an installed one, or a file of Python",
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declares the options of compilation; `options_of` reads them."""
    group = parser.add_argument_group("how the program is compiled")
    for flags, name, kind in _OPTIONS:
        group.add_argument(
            *flags, dest=name, type=kind, metavar=_METAVARS.get(name), help=_HELP[name]
        )
    group.add_argument(
        "--dynamic-persistent",
        action="store_true",
        default=None,
        help="tile blocks go on with others of the grid that have not started, from sm_100",
    )
    group.add_argument(
        "--device-tensor-maps",
        action=argparse.BooleanOptionalAction,
        help="whether kernels of ABI tile make tensor maps; by default those that go over tiles",
    )
    group.add_argument(WITH, **_WITH_FACTS)
    group.add_argument(
        "--options",
        metavar="FILE",
        help="a JSON object of these options, such as tune -o writes; others on the command line "
        "come on top",
    )


def add_with(parser: argparse.ArgumentParser) -> None:
    """Declares only the option that names extensions."""
    parser.add_argument(WITH, **_WITH_FACTS)


def know_named(args: argparse.Namespace) -> None:
    """Registers the extensions that a command names.

    Raises InputError for an extension that is unknown or has an error.
    """
    if args.extensions:
        # Reading IR takes longer to import than some commands take.
        importlib.import_module("tileir_xdsl.runtime.reader").know_extensions(args.extensions)


def _integer(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", text):
        raise argparse.ArgumentTypeError(
            f"expected a whole number of at most nine digits, got '{text}'"
        )
    return int(text)


_OPTIONS: tuple[tuple[tuple[str, ...], str, Callable[[str], int | str]], ...] = (
    (("-O", "--opt-level"), "opt_level", _integer),
    (("--warps",), "warps", _integer),
    (("--stages",), "stages", _integer),
    (("--ctas",), "ctas", _integer),
    (("--strategy",), "strategy", str),
    (("--occupancy",), "occupancy", _integer),
    (("--abi",), "abi", str),
    (("--from", "--from-pass"), "from_pass", str),
)
_METAVARS = {
    "strategy": "|".join(STRATEGIES),
    "opt_level": "0..3",
    "abi": "|".join(abi.value for abi in ABI),
    "from_pass": "PASS",
} | dict.fromkeys(("warps", "stages", "ctas", "occupancy"), "N")
_HELP = {
    "opt_level": "optimization level, default 3",
    "warps": "warps of a thread block that compute",
    "stages": "the most stages of a pipeline",
    "ctas": "thread blocks of the cluster that executes a tile block",
    "strategy": "whether loads of pipelines have a warp of their own",
    "occupancy": "thread blocks that shall fit on a multiprocessor",
    "abi": "how kernels are launched: by this package, or by the launcher of cuTile",
    "from_pass": "the first pass to run, default: the one after that of nv_tileaa.progress",
}


def options_of(args: argparse.Namespace) -> Options:
    """The options of a file and of the command line. Raises InputError."""
    # Here, as a command may fail earlier: `in_file` looks for the values where the name was.
    if isinstance(args.options, str):
        args.options = read_options(args.options)
    values = {} if args.options is None else args.options.values
    named = [name for _, name, _ in _OPTIONS] + [
        "dynamic_persistent",
        "device_tensor_maps",
        "lineinfo",
        "extensions",
    ]
    given = {name: value for name in named if (value := getattr(args, name, None)) is not None}
    try:
        options = Options.from_mapping({**values, **given})
        if options.extensions:
            # Names of their passes are words of other options.
            importlib.import_module("tileir_xdsl.extensions.registry").load(options.extensions)
    except OptionError as error:
        raise InputError(error.location, error.message) from error
    return options


def add_verify_each(parser: argparse.ArgumentParser) -> None:
    """Declares the option that verifies the module between passes."""
    parser.add_argument(
        "--verify-each",
        action="store_true",
        help="verify the module after every pass, not only after the last",
    )
