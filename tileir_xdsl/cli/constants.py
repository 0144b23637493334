"""Other values of the constants of a Python kernel, on the command line or in a file of options.

    --constant tile=64,128 --grid 'cdiv(a.shape[0], tile)'

The grid of a launch may not suit other constants, so the user gives both.
"""

import argparse
from ast import literal_eval
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tileir_xdsl.cli.options_file import OptionsFile, read_options
from tileir_xdsl.frontends.interface import Launch, Search
from tileir_xdsl.frontends.searching import (
    combinations,
    grid_extents,
    parameters_of,
    told,
    with_constants,
)
from tileir_xdsl.runtime.errors import InputError

EXECUTING = frozenset({"check", "tune", "run"})
"""The commands that need the arguments of a launch, and its grid."""

LAUNCH_KEYS = ("constants", "grid")
"""The entries of a file of options that describe the launch."""


@dataclass(frozen=True)
class Constants:
    """Values by the names of parameters, and the grid as an expression of parameters."""

    values: Mapping[str, Sequence[object]] = field(default_factory=dict[str, Sequence[object]])
    grid: str | None = None


def executes(args: argparse.Namespace) -> bool:
    """Whether a command executes the launch."""
    return args.command in EXECUTING or bool(getattr(args, "run", False))


def read_constants(args: argparse.Namespace, has_grid: bool) -> Constants:
    """The constants that a command line and its file of options name.

    Raises InputError.
    """
    values, grid = dict[str, Sequence[object]](), args.grid if has_grid else None
    if isinstance(file := getattr(args, "options", None), str):
        read = read_options(file)
        rest = {name: value for name, value in read.values.items() if name not in LAUNCH_KEYS}
        args.options = OptionsFile(rest, read.places)
        found: Any = read.values.get("constants", {})
        if not isinstance(found, dict):
            raise InputError(
                read.places["constants"], "expected the value of 'constants' to be a JSON object"
            )
        values |= {str(name): [value] for name, value in found.items()}
        if grid is None and "grid" in read.values:
            grid = str(read.values["grid"])
    for text in args.constant or ():
        name, _, listed = text.partition("=")
        if not name.isidentifier() or not listed:
            raise InputError(f"--constant {text}", "expected NAME=VALUE, such as tile=128")
        values[name] = [_value(each) for each in listed.split(",")]
        if len(values[name]) > 1 and args.command != "tune":
            raise InputError(
                f"--constant {text}", "expected one value: only `tileir tune` takes several"
            )
    if values and executes(args) and grid is None:
        message = "say how the grid follows, such as --grid 'cdiv(a.shape[0], tile)' or --grid 8"
        raise InputError(f"--constant {next(iter(values))}", message)
    return Constants(values, grid)


def _value(text: str) -> object:
    """A number or a truth value, otherwise the text."""
    try:
        return literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def with_given(launch: Launch, given: Constants, args: argparse.Namespace) -> Launch | Search:
    """A launch with other constants; for `tune` a search of all combinations. Raises InputError."""
    if args.command == "tune":
        return Search(
            launch.frontend,
            combinations(launch, given.values),
            lambda _: launch.kernel,
            lambda values: _grid(launch, given, values),
            lambda values: with_constants(launch, values).arguments,
        )
    values = {name: value for name, (value,) in given.values.items()}
    changed = with_constants(launch, values)
    try:
        return replace(changed, grid=_grid(launch, given, values))
    except Exception as error:
        raise InputError(f"--grid {given.grid}", told(error)) from None


def _grid(launch: Launch, given: Constants, values: Mapping[str, object]) -> tuple[int, int, int]:
    """The grid for some constants; raises the errors of its expression."""
    if given.grid is None:
        return grid_extents(launch.grid)
    arguments = with_constants(launch, values).arguments
    names = dict(zip(parameters_of(launch), arguments, strict=False))
    function: Any = launch.frontend.source(launch.kernel).function
    return grid_extents(eval(given.grid, {"cdiv": _cdiv, **function.__globals__}, names))


def _cdiv(dividend: int, divisor: int) -> int:
    return -(-dividend // divisor)
