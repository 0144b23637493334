"""The arrays of a launch on the command line: their names, display and storage."""

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tileir_xdsl.runtime.arrays import Array
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.files import write_file
from tileir_xdsl.runtime.values import short_array


@dataclass(frozen=True)
class NamedArray:
    """An array argument, its name in `--arg`, if any, and its position among the arguments."""

    name: str | None
    position: int
    values: Array

    @property
    def label(self) -> str:
        return self.name or f"argument {self.position}"


def add_save_argument(parser: argparse.ArgumentParser) -> None:
    """Declares `--save`."""
    parser.add_argument(
        "--save",
        metavar="[NAME=]FILE.npy",
        action="append",
        default=[],
        help="save the argument NAME afterwards; without NAME the one called as FILE, or else the "
        "last array",
    )


def saved_array(request: str, arrays: Sequence[NamedArray]) -> tuple[Path, Array]:
    """The file and the array named by `--save`. Raises InputError for an unknown array."""
    name, _, file = request.rpartition("=")
    named = {array.name: array.values for array in arrays if array.name is not None}
    if name and name not in named:
        raise InputError(f"--save {request}", f"there is no array argument called '{name}'")
    if not arrays:
        raise InputError(f"--save {request}", "there is no array argument")
    return Path(file), named.get(name or Path(file).stem, arrays[-1].values)


@dataclass(frozen=True)
class Launched:
    """A completed launch: its kernel, its number of blocks, its time, and its results."""

    kernel: str
    grid: tuple[int, int, int]
    seconds: float
    level: str
    arrays: Sequence[NamedArray]
    races: Sequence[str] = ()
    resident_blocks: int | None = None
    """The number of blocks that the emulator ran at once, if the user gave it or if blocks may wait
    for each other.
    """
    dependent: "Launched | None" = None
    """The second launch of a pair; arrays of both are those of the first one."""


def report(launched: Launched, saved: Sequence[tuple[Path, Array]], as_json: bool) -> None:
    """Prints a launch and every array, and saves the arrays in `saved`."""
    if as_json:
        print(json.dumps(_data(launched)))
    else:
        x, y, z = launched.grid
        head = f"{launched.kernel}: {x}x{y}x{z} blocks"
        resident = launched.resident_blocks
        at_once = "" if resident is None else f", up to {resident} resident blocks"
        print(f"{head} in {launched.seconds:.3f} s ({launched.level}{at_once})")
        for array in launched.arrays:
            print(f"{array.label}: {short_array(array.values)}")
        for race in launched.races:
            print(race)
        if launched.dependent is not None:
            _print_dependent(launched.dependent, launched.arrays)
    for file, value in saved:
        write_file(str(file), lambda stream, value=value: np.save(stream, value))


def _print_dependent(launched: Launched, earlier: Sequence[NamedArray]) -> None:
    """Prints the second launch of a pair, and its arrays that are not those of the first launch."""
    x, y, z = launched.grid
    print(f"{launched.kernel}: {x}x{y}x{z} blocks, dependent")
    for array in launched.arrays:
        if all(array.values is not other.values for other in earlier):
            print(f"{array.label}: {short_array(array.values)}")


def _data(launched: Launched) -> dict[str, object]:
    return {
        "kernel": launched.kernel,
        "grid": launched.grid,
        "seconds": launched.seconds,
        "level": launched.level,
        "resident_blocks": launched.resident_blocks,
        "arrays": [
            {
                "name": array.name,
                "argument": array.position,
                "type": array.values.dtype.name,
                "shape": array.values.shape,
                "values": short_array(array.values),
            }
            for array in launched.arrays
        ],
        "races": list(launched.races),
        "dependent": None if launched.dependent is None else _data(launched.dependent),
    }


def add_json_argument(parser: argparse.ArgumentParser) -> None:
    """Declares `--json`."""
    parser.add_argument("--json", action="store_true", help="print a JSON object")
