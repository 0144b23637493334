"""The worked examples in docstrings of modules are true."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

from tests.unit.tools import REPOSITORY

PACKAGE = REPOSITORY / "tileir_xdsl"

CENTRE = {
    "tileir_xdsl.dialects.nv_tileas.types",
    "tileir_xdsl.layout.linear",
    "tileir_xdsl.transforms.convert_tileas_to_llvm.thread.pipeline_values",
    "tileir_xdsl.transforms.convert_tileas_to_llvm.thread.program",
    "tileir_xdsl.transforms.tileas_insert_barriers.hazards",
}
"""Modules that open with a worked example: most others build on them."""


def name_of(source: Path) -> str:
    """The name of the module in a source file."""
    return ".".join(source.relative_to(REPOSITORY).with_suffix("").parts)


WITH_EXAMPLES = sorted(
    name_of(source)
    for source in PACKAGE.rglob("*.py")
    if "\n    >>> " in source.read_text(encoding="utf-8")
)


def test_the_centre_opens_with_worked_examples():
    assert set(WITH_EXAMPLES) >= CENTRE


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_hold(name: str):
    failures, examples = doctest.testmod(import_module(name))
    assert examples > 0
    assert failures == 0
