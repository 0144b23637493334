"""A pass is found by its name, with the steps of the road before it and after it."""

from pathlib import Path

import pytest

from tests.unit.testing.pass_checks import planted
from tileir_xdsl.levels import LLVM, NV_TILEAA, NV_TILEAS
from tileir_xdsl.options import OptionError
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.testing.pass_checks import find_candidates

FILE = str(Path(planted.__file__))


def test_a_pass_of_the_road_stands_at_each_of_its_steps():
    (candidate,) = find_candidates("tileas-canonicalize")
    roads = candidate.roads("sm_90a")
    assert len(roads) == 3
    for before, after in roads:
        assert "convert-tileaa-to-tileas" in [step.name for step in before]
        assert after[-1].name == "convert-tileas-to-llvm"


def test_a_conversion_leaves_another_level():
    (candidate,) = find_candidates("convert-tileas-to-llvm")
    assert (candidate.level, candidate.output) == (NV_TILEAS, LLVM)


def test_a_pass_that_is_not_on_the_road_runs_first_at_its_level():
    (candidate,) = find_candidates("fuse-fma")
    ((before, _),) = candidate.roads("sm_90a")
    assert before == ()


def test_a_pass_of_an_extension_stands_at_its_place():
    (candidate,) = find_candidates("aa-slice", [FILE])
    ((before, after),) = candidate.roads("sm_90a")
    assert candidate.level is NV_TILEAA
    assert before[-1].name == "tileas-plan-cta"
    # No other pass of the extension runs.
    assert {step.name for step in (*before, *after)}.isdisjoint(
        placed.name for placed in planted.EXTENSION.passes
    )


def test_a_file_stands_for_its_passes():
    names = [candidate.name for candidate in find_candidates(FILE)]
    assert names == [placed.name for placed in planted.EXTENSION.passes]


def test_an_unknown_pass_is_an_error():
    with pytest.raises(InputError, match="there is no pass of this name, did you mean 'aa-slice'"):
        find_candidates("aa-slic", [FILE])
    with pytest.raises(OptionError, match="there is no extension of this name"):
        find_candidates("aa-slice", ["planted_elsewhere"])


def test_a_file_without_passes_is_an_error(tmp_path: Path):
    file = tmp_path / "empty.py"
    file.write_text(
        "from tileir_xdsl.extensions import Extension\nEXTENSION = Extension('empty')\n", "utf-8"
    )
    with pytest.raises(InputError, match="its extension has no passes"):
        find_candidates(str(file))
