"""Reading litmus tests and their conditions."""

import pytest

from tests.litmus.conditions import LitmusError, parse_condition
from tests.litmus.runs import layout_of
from tests.litmus.syntax import Place, parse_test

_TEST = """PTX example
"Two threads."
Race=yes
{ x=3; shared(1) y=4; mbarrier m; }
 P0@cta 0, cluster 0 | P1@cta 1, cluster 0, gpu 1 ;
 @!p0 st.global.u32 [x], 1 | ld.shared.u32 r0, [y] ; (* a comment *)
 | fence.sc.sys ;
exists (1:r0=4 \\/ ~(x=3 /\\ 1:r0=0))
"""


def test_a_test_is_read() -> None:
    test = parse_test(_TEST)
    assert (test.name, test.comment, test.is_racy) == ("example", "Two threads.", True)
    assert test.places == (Place(0, 0, 0), Place(1, 0, 1))
    assert [place.space for place in test.locations.values()] == ["global", "shared", "mbarrier"]
    assert (test.locations["y"].cta, test.locations["x"].initial) == (1, 3)
    assert [i.text for i in test.threads[0]] == ["@!p0 st.global.u32 [x], 1"]
    assert [i.text for i in test.threads[1]] == ["ld.shared.u32 r0, [y]", "fence.sc.sys"]


@pytest.mark.parametrize(
    ("quantifier", "expected"), [("exists", True), ("~exists", False), ("forall", False)]
)
def test_a_condition_holds(quantifier: str, expected: bool) -> None:
    condition = parse_condition(f"{quantifier} (0:r0=1 /\\ ~(x=2 \\/ x=3))")
    outcomes = [{"0:r0": 1, "x": 1}, {"0:r0": 1, "x": 2}]
    assert [condition.holds_of(outcome) for outcome in outcomes] == [True, False]
    assert condition.verdict(outcomes) is expected
    assert condition.names() == ("0:r0", "x")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Race=yes", "", "expected Race="),
        ("PTX example", "X86 example", "expected PTX NAME"),
        ("x=3;", "x=;", "expected NAME=NUMBER"),
        ("P1@", "P2@", "expected P1"),
        ("cta 1", "block 1", "expected cta, cluster or gpu"),
        (" | fence.sc.sys ;", " fence.sc.sys ;", "differ in length"),
        ("1:r0=4", "1:r0<4", "not well-formed"),
        ("1:r0=4 ", "1:r0 ", "expected NAME=NUMBER"),
        ("fence.sc.sys", "?", "expected an instruction"),
    ],
)
def test_what_is_not_well_formed_is_refused(old: str, new: str, message: str) -> None:
    assert old in _TEST
    with pytest.raises(LitmusError, match=message):
        parse_test(_TEST.replace(old, new))


def test_several_devices_are_refused() -> None:
    with pytest.raises(LitmusError, match="single device"):
        layout_of(parse_test(_TEST))
