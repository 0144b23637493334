"""The parts of an extension are checked where they are written."""

from collections.abc import Callable
from typing import Any, cast

import pytest

from tests.unit.extensions.test_registry import Nothing
from tileir_xdsl.extensions import Extension, ExtensionDialect, PlacedPass
from tileir_xdsl.universe import DIALECTS


def placed(level: str = "nv_tileas", **given: Any) -> PlacedPass:
    return PlacedPass(Nothing, level, **given)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (placed, "pass 'do-nothing': expected exactly one of before, after and instead_of"),
        (
            lambda: placed(before="a", after="b"),
            "expected exactly one of before, after and instead_of",
        ),
        (
            lambda: placed(level="nv_tileaaa", after="a"),
            "pass 'do-nothing': there is no level 'nv_tileaaa', expected cuda_tile, nv_tileaa, "
            "nv_tileas, llvm, did you mean 'nv_tileaa'",
        ),
        (lambda: placed(after="a", options={"x": 1}), "pass 'do-nothing' has no option 'x'"),
        (
            lambda: PlacedPass(cast(Any, Nothing()), "nv_tileas", after="a"),
            "expected the class of a pass, such as Nothing, got an object of this class",
        ),
        (
            lambda: PlacedPass(cast(Any, int), "nv_tileas", after="a"),
            r'pass int has no name: expected name = "\.\." in its class',
        ),
        (
            lambda: placed(after="a", ops=frozenset({Nothing})),
            r"pass 'do-nothing': expected ops to hold names, such as Nothing\.name, got Nothing",
        ),
        (
            lambda: placed(after="a", ops="arith.addi"),
            "pass 'do-nothing': expected ops to be a set of names, got 'arith.addi'",
        ),
        (
            lambda: Extension("a", passes=cast(Any, placed(after="a"))),
            r"extension 'a': expected passes to be a tuple, such as \(x,\), got PlacedPass",
        ),
        (
            lambda: Extension(
                "a", dialects=(ExtensionDialect(DIALECTS["tile"](), cast(Any, "nv_tileaa")),)
            ),
            r"dialect 'tile': expected a tuple of levels, such as \('nv_tileaa',\)",
        ),
        (lambda: Extension("a b"), "extension 'a b': expected a name of letters, digits, _ and -"),
        (
            lambda: Extension("a", dialects=(ExtensionDialect(DIALECTS["tile"](), ("ptx",)),)),
            "dialect 'tile': there is no level 'ptx'",
        ),
    ],
)
def test_what_is_wrong_is_told(make: Callable[[], object], message: str):
    with pytest.raises(ValueError, match=message):
        make()


def test_the_place_is_told_in_words():
    places = [placed(**{where: "x:2"}).place for where in ("before", "after", "instead_of")]
    assert places == ["before x:2", "after x:2", "instead of x:2"]
