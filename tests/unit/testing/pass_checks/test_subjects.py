"""Programs for a pass are as the road has them where it runs, and the same for the same seed."""

from itertools import islice
from pathlib import Path

import pytest

from tests.unit.testing.pass_checks import planted
from tileir_xdsl.levels import LLVM, NV_TILEAS, is_legal
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.generating import DENSE, random_program
from tileir_xdsl.testing.pass_checks import find_candidates, subjects
from tileir_xdsl.testing.pass_checks.subjects import run_road

FILE = str(Path(planted.__file__))


@pytest.mark.parametrize(("name", "level"), [("as-barrier", NV_TILEAS), ("llvm-barrier", LLVM)])
def test_programs_have_what_the_steps_before_have_made(name: str, level: object):
    (candidate,) = find_candidates(name, [FILE])
    found = list(islice(subjects(candidate), 6))
    assert candidate.level is level
    assert all(is_legal(subject.module, candidate.level) for subject in found)
    assert any("barrier" in tools.to_text(subject.module) for subject in found)
    titles = [subject.title.partition(",")[0] for subject in found]
    assert {title.partition(" ")[0] for title in titles} == {"kernel", "random"}
    assert len(set(titles)) >= 5


def test_a_seed_gives_the_same_programs():
    (candidate,) = find_candidates("ct-swap-sub", [FILE])
    first, again, other = (
        [tools.to_text(each.module) for each in islice(subjects(candidate, seed), 4)]
        for seed in (0, 0, 1)
    )
    assert first == again
    # Kernels of the zoo come for every seed.
    assert first[2] == other[2]
    assert first[0] != other[0]


def test_each_place_is_reached_from_the_program_itself():
    (candidate,) = find_candidates("tileas-canonicalize")
    before = candidate.roads("sm_90a")[1][0]
    program = random_program(DENSE, 0, target="sm_90a").module
    run_road(program, before)
    found = islice(subjects(candidate, targets=("sm_90a",)), 12)
    _, second, *_ = [each.module for each in found if "dense ops, seed 0," in each.title]
    assert tools.to_text(second) == tools.to_text(program)


def test_targets_may_be_chosen():
    (candidate,) = find_candidates("as-barrier", [FILE])
    found = islice(subjects(candidate, targets=("sm_80",)), 4)
    assert {subject.target for subject in found} == {"sm_80"}
