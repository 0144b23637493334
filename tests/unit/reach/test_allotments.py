"""What the folders of the tests may take, and that the map of the tests is complete."""

from pathlib import Path

from tests.reach import allotments
from tests.reach import map as stored
from tests.reach.map import ReachMap, TestFile


def test_no_folder_takes_more_than_its_allotment():
    assert allotments.exceeded(stored.read()) == [], "see `python -m bench.rooms`"


def test_allotments_are_of_folders_and_fit_together():
    assert set(allotments.ALLOTMENTS) == set(allotments.spent(stored.read()))
    assert sum(allotments.ALLOTMENTS.values()) <= allotments.UNIT_TESTS


def test_every_test_file_is_measured():
    """But this one, which has to pass before it is."""
    this = Path(__file__).relative_to(stored.REPOSITORY).as_posix()
    missing = set(stored.all_tests()) - stored.read().tests.keys() - {this}
    assert sorted(missing) == [], "`python -m tests.reach update` measures what is new"


def _map(**seconds: float) -> ReachMap:
    return ReachMap(
        {f"tests/unit/{name}/test_a.py": TestFile(s, frozenset()) for name, s in seconds.items()}
    )


def test_a_folder_above_its_allotment_is_named():
    reach = _map(layout=3.0, cli=5.0, new=1.0)
    assert allotments.exceeded(reach, {"layout": 3.0, "cli": 4.0}) == [
        "cli: 5 s of 4 s",
        "new: 1 s of 0 s",
    ]


def test_estimate():
    others = sum(allotments.OTHERS.values())
    reach = _map(layout=(1200.0 - others) / allotments.IN_ONE_RUN)
    assert "some 10 minutes on 2 processors" in allotments.estimate(reach, 2, is_installed=True)
    assert "set-up" in allotments.estimate(reach, 2, is_installed=False)
