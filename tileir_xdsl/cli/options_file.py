"""The file of `--options`: a JSON object of options, and the place of each value."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tileir_xdsl.options import DECODER
from tileir_xdsl.runtime.errors import CompileError, printable
from tileir_xdsl.runtime.files import read_utf8

_BETWEEN = re.compile(r"[\s,:]*")


@dataclass(frozen=True)
class OptionsFile:
    """The values of a file, and the place `FILE:LINE:COL` of each, by name."""

    values: Mapping[str, Any]
    places: Mapping[str, str]


def read_options(file: str) -> OptionsFile:
    """Reads a file, or the standard input for `-`.

    Raises CompileError if the file does not exist, or, with the place, if it is not a JSON object.
    """
    text, name = read_utf8(file)
    try:
        values = DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise CompileError(f"{name}:{error.lineno}:{error.colno}", error.msg) from error
    except RecursionError as error:
        raise CompileError(name, "the values are nested too deeply") from error
    if not isinstance(values, dict):
        raise CompileError(f"{name}:1:1", "expected a JSON object of options")
    places = {key: f"{name}:{_place(text, at)}" for key, at in _value_offsets(text).items()}
    return OptionsFile(values, places)


def in_file(error: CompileError, args: argparse.Namespace) -> CompileError:
    """An error about an option, with its place if the option comes from a file."""
    given = getattr(args, "options", None)
    if not isinstance(given, OptionsFile):
        return error
    named = (name for name in given.places if error.location.startswith(f"{printable(name)}="))
    name = next(named, None)
    if name is None or getattr(args, name, None) is not None:
        return error
    return CompileError(given.places[name], f"{error.location}: {error.message}", error.notes)


def _value_offsets(text: str) -> dict[str, int]:
    """The offsets of the values of a JSON object, by their keys; the last of equal keys counts."""
    found = dict[str, int]()
    at = _after_separator(text, text.index("{") + 1)
    while text[at] != "}":
        key, at = DECODER.raw_decode(text, at)
        found[key] = at = _after_separator(text, at)
        _, at = DECODER.raw_decode(text, at)
        at = _after_separator(text, at)
    return found


def _after_separator(text: str, at: int) -> int:
    match = _BETWEEN.match(text, at)
    assert match is not None
    return match.end()


def _place(text: str, offset: int) -> str:
    line_start = text.rfind("\n", 0, offset) + 1
    return f"{text.count(chr(10), 0, offset) + 1}:{offset - line_start + 1}"
