"""The arrays of a launch on the command line: how they are called, shown and saved."""

import argparse
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
    """An array argument, how it is called in `--arg` if at all, and its position there."""

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
    """The file and the array that `--save` asks for. Raises InputError if there is none."""
    name, _, file = request.rpartition("=")
    named = {array.name: array.values for array in arrays if array.name is not None}
    if name and name not in named:
        raise InputError(f"--save {request}", f"there is no array argument called '{name}'")
    if not arrays:
        raise InputError(f"--save {request}", "there is no array argument")
    return Path(file), named.get(name or Path(file).stem, arrays[-1].values)


def report(arrays: Sequence[NamedArray], saved: Sequence[tuple[Path, Array]]) -> None:
    """Prints every array, and writes those that are to be saved."""
    for array in arrays:
        print(f"{array.label}: {short_array(array.values)}")
    for file, value in saved:
        write_file(str(file), lambda stream, value=value: np.save(stream, value))
