"""The package as it is installed."""

from importlib.metadata import entry_points, metadata

import pytest
from xdsl.universe import Universe

import tileir_xdsl
from tests.unit.tools import REPOSITORY
from tileir_xdsl.universe import UNIVERSE

ROOT = REPOSITORY / "tileir_xdsl"

FOLDERS = sorted({file.parent.relative_to(REPOSITORY) for file in ROOT.rglob("*.py")})


@pytest.mark.parametrize("folder", FOLDERS, ids=str)
def test_every_folder_is_a_package(folder: str):
    # A folder without it works in a checkout, but is missing from an installation.
    assert (REPOSITORY / folder / "__init__.py").is_file()


def test_metadata():
    data = metadata("tileir_xdsl")
    assert data["License-Expression"] == "Apache-2.0"
    assert data["Requires-Python"] == ">=3.11"
    assert data["Summary"] and tileir_xdsl.__doc__


def test_xdsl_finds_our_universe():
    (found,) = (
        entry for entry in entry_points(group="xdsl.universe") if entry.name == "tileir_xdsl"
    )
    assert found.load() is UNIVERSE


@pytest.mark.parametrize("name", UNIVERSE.all_dialects)
def test_dialects_carry_their_names(name: str):
    assert Universe.get_multiverse().all_dialects[name]().name == name


@pytest.mark.parametrize("name", UNIVERSE.all_passes)
def test_passes_carry_their_names(name: str):
    assert Universe.get_multiverse().all_passes[name]().name == name


@pytest.mark.parametrize("name", UNIVERSE.all_targets)
def test_targets_carry_their_names(name: str):
    assert Universe.get_multiverse().all_targets[name]().name == name
