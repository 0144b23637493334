"""Which cases `make test` keeps of many, and which are drawn."""

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from tests import shares
from tests.reach import map as reach_map
from tests.unit import conftest

pytest_plugins = ["pytester"]

GRID = [f"f[{a}-{b}]" for a, b in product("wxyz", "1234")]

CASES = """
import pytest

@pytest.mark.one_in({number}, "8-2", "9-2")
@pytest.mark.parametrize("a", range(4))
@pytest.mark.parametrize("b", range(10))
def test_grid(a, b):
    pass

def test_alone():
    pass
"""


@pytest.mark.parametrize("number", [2, 3, 4, 5, 16, 100])
def test_one_in_so_many_is_kept(number: int):
    assert len(shares.chosen(GRID, number)) == -(-len(GRID) // number)


def test_every_value_of_each_parameter_is_kept():
    kept = shares.chosen(GRID, 4)
    assert {name[2] for name in kept} == set("wxyz")
    assert {name[4] for name in kept} == set("1234")


def test_the_choice_depends_on_nothing_but_the_names():
    assert shares.chosen(GRID, 4) == shares.chosen(GRID[::-1], 4)


def _passed(pytester: pytest.Pytester, *options: str, number: str = "5") -> list[str]:
    pytester.makeconftest(Path(conftest.__file__).read_text("utf-8"))
    pytester.makepyprojecttoml(
        "[tool.pytest.ini_options]\naddopts = \"-m 'not soak'\"\n"
        'markers = ["soak: long", "one_in(n): a share"]\n'
    )
    pytester.makepyfile(test_cases=CASES.format(number=number))
    result = pytester.inline_run(*options)
    return [report.nodeid for report in result.listoutcomes()[0]]


def test_the_others_are_run_by_soak(pytester: pytest.Pytester):
    everything = _passed(pytester, "-m", "")
    kept, others = _passed(pytester), _passed(pytester, "-m", "soak")
    assert len(everything) == 41 and len(kept) == 11 and len(others) == 30
    assert sorted((*kept, *others)) == sorted(everything)


def test_named_cases_always_run(pytester: pytest.Pytester):
    kept = {name.partition("[")[2] for name in _passed(pytester)}
    assert kept >= {"8-2]", "9-2]"}


def test_named_cases_exist(request: pytest.FixtureRequest):
    items = request.session.items
    assert frozenset[str]().union(*map(shares.always, items)) <= {item.nodeid for item in items}


def test_a_seed_draws_from_the_others(pytester: pytest.Pytester):
    others = set(_passed(pytester, "-m", "soak"))
    first, second = (_passed(pytester, "-m", "", "--drawn", seed) for seed in ("1", "2"))
    assert first and second and first != second
    assert others >= {*first, *second}


def test_a_share_of_nothing_is_refused(pytester: pytest.Pytester):
    pytester.makeconftest(Path(conftest.__file__).read_text("utf-8"))
    pytester.makepyfile(test_cases=CASES.format(number="1"))
    result = pytester.runpytest("-p", "no:cacheprovider")
    result.stderr.fnmatch_lines(["*`one_in` takes a whole number from 2"])


def _nothing(name: str) -> None:
    """The value of an option, or a mark."""


def _order(config: SimpleNamespace, files: Sequence[str]) -> list[str]:
    """The files of collected tests, as they are run."""
    config.getoption = _nothing
    items = [SimpleNamespace(nodeid=f"{name}::test", get_closest_marker=_nothing) for name in files]
    conftest.pytest_collection_modifyitems(
        cast(pytest.Config, config), cast(list[pytest.Item], items)
    )
    return [item.nodeid.removesuffix("::test") for item in items]


def test_workers_begin_with_the_dearest_files():
    tests = reach_map.read().tests
    cheap, *_, dear = sorted(tests, key=lambda name: tests[name].seconds)
    assert _order(SimpleNamespace(workerinput={}), [cheap, dear, cheap]) == [dear, cheap, cheap]
    assert _order(SimpleNamespace(), [cheap, dear]) == [cheap, dear]
