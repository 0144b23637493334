"""Digests of the code of extensions that no file holds."""

import sys
from collections.abc import Mapping
from types import FrameType
from typing import Any

import pytest

from tileir_xdsl.extensions.extension import Extension
from tileir_xdsl.extensions.sources import digest_of_code

CELL = """
import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from tileir_xdsl.extensions import Extension, PlacedPass

LIMIT = {limit}
TABLE = {{"a": [1, {entry}]}}

def helper(value):
    return value {operation} LIMIT

class Pattern:
    def rewrite(self, op):
        return [helper(each) for each in TABLE["a"]]

class Mine(ModulePass):
    name = "mine"
    def apply(self, ctx: Context, op: ModuleOp) -> None:
        {body}
        Pattern().rewrite(op)

EXTENSION = Extension("mine", passes=(PlacedPass(Mine, "nv_tileas", after="{anchor}"),))
"""

WRITTEN = {"limit": 3, "entry": 2, "operation": "+", "body": "pass", "anchor": "x"}


def digest(written: Mapping[str, object], lines: int = 0) -> str:
    """The digest of the extension that a cell defines, as in a notebook."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    exec(compile("\n" * lines + CELL.format(**written), "<cell>", "exec"), namespace)
    extension = namespace["EXTENSION"]
    assert isinstance(extension, Extension)
    return digest_of_code(extension)


def test_installed_packages_are_not_followed():
    """What a pass names of numpy leads to all of it otherwise."""
    seen: list[str] = []

    def profile(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call":
            seen.append(frame.f_code.co_name)

    sys.setprofile(profile)
    try:
        digest(WRITTEN | {"body": "np.where(np.median([1, 2]), np.linalg.norm, np.testing)"})
    finally:
        sys.setprofile(None)
    assert seen.count("_function") < 50


def test_the_same_code_has_the_same_digest_wherever_it_stands():
    assert digest(WRITTEN) == digest(WRITTEN, lines=7)


@pytest.mark.parametrize(
    ("part", "value"),
    [("limit", 4), ("entry", 5), ("operation", "-"), ("body", "print(1)"), ("anchor", "y")],
)
def test_a_change_of_any_part_changes_it(part: str, value: object):
    assert digest(WRITTEN | {part: value}) != digest(WRITTEN)
