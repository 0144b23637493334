"""Passes of extensions at their places on the road."""

from pathlib import Path

import pytest

from tests.unit.extensions.written import marking
from tileir_xdsl.options import OptionError, Options
from tileir_xdsl.transforms.pipeline_road import steps

pytestmark = pytest.mark.usefixtures("forgotten_extensions")


def labels(*files: str, opt_level: int = 3) -> list[str]:
    options = Options(extensions=files, opt_level=opt_level)
    return [step.label for step in steps("sm_80", options)]


@pytest.mark.parametrize(
    ("place", "level", "before", "after"),
    [
        ('after="tileas-canonicalize"', "nv_tileas", "tileas-canonicalize", None),
        ('after="tileas-canonicalize:3"', "nv_tileas", "tileas-canonicalize:3", None),
        ('before="tileas-canonicalize:2"', "nv_tileas", None, "tileas-canonicalize:2"),
        ('before="convert-cuda-tile-to-tileaa"', "cuda_tile", None, "convert-cuda-tile-to-tileaa"),
        ('after="convert-tileas-to-llvm"', "llvm", "convert-tileas-to-llvm", None),
        (
            'instead_of="canonicalize"',
            "nv_tileaa",
            "convert-cuda-tile-to-tileaa",
            "tileas-plan-cta",
        ),
    ],
)
def test_a_pass_stands_at_its_place(
    place: str, level: str, before: str | None, after: str | None, tmp_path: Path
):
    found = labels(marking(tmp_path, place=place, level=level))
    number = found.index("mark")
    assert before is None or found[number - 1] == before
    assert after is None or found[number + 1] == after
    others = [label for label in found if label != "mark"]
    gone = "canonicalize" if "instead_of" in place else None
    assert others == [label for label in labels() if label != gone]


def test_passes_at_one_place_run_as_their_extensions_are_named(tmp_path: Path):
    one = marking(tmp_path, name="one", pass_name="mark-one")
    two = marking(tmp_path, name="two", pass_name="mark-two")
    for files, expected in (((one, two), "mark-one mark-two"), ((two, one), "mark-two mark-one")):
        found = labels(*files)
        number = found.index("tileas-canonicalize")
        assert found[number + 1 : number + 3] == expected.split()


def test_a_pass_keeps_the_promises_of_the_one_that_it_replaces(tmp_path: Path):
    file = marking(tmp_path, place='instead_of="tileas-slice-and-fuse"', level="nv_tileaa")
    road = {step.label: step for step in steps("sm_80")}
    placed = {step.label: step for step in steps("sm_80", Options(extensions=(file,)))}
    assert placed["mark"].promises == road["tileas-slice-and-fuse"].promises != frozenset()


@pytest.mark.parametrize(
    ("place", "level", "message"),
    [
        (
            'after="tileas-canonicalise"',
            "nv_tileas",
            "pass 'mark' after tileas-canonicalise: there is no step 'tileas-canonicalise' on this "
            "road, did you mean 'tileas-canonicalize'",
        ),
        (
            'after="canonicalize"',
            "nv_tileas",
            "expected a pass at level nv_tileaa, it is at nv_tileas",
        ),
        (
            'before="convert-tileaa-to-tileas"',
            "nv_tileas",
            "expected a pass at level nv_tileaa, it is at nv_tileas",
        ),
    ],
)
def test_a_wrong_place_is_told(place: str, level: str, message: str, tmp_path: Path):
    with pytest.raises(OptionError, match=message) as raised:
        labels(marking(tmp_path, place=place, level=level))
    assert raised.value.location == "extensions=marking"


def test_a_place_that_optimization_level_0_leaves_out_is_told(tmp_path: Path):
    with pytest.raises(OptionError, match="there is no step 'tileas-canonicalize:3' on this road"):
        labels(marking(tmp_path, place='after="tileas-canonicalize:3"'), opt_level=0)


def test_two_passes_in_place_of_one_are_told(tmp_path: Path):
    place = 'instead_of="tileas-canonicalize"'
    files = [marking(tmp_path, name=n, pass_name=f"mark-{n}", place=place) for n in ("one", "two")]
    with pytest.raises(OptionError, match="pass 'mark-one' is in place of it"):
        labels(*files)
