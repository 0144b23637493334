"""The examples of the Tile IR specification."""

import re

import pytest
from xdsl.utils.exceptions import ParseError, VerifyException

from tests.unit.dialects.cuda_tile.samples import EXAMPLES
from tileir_xdsl.dialects.cuda_tile.printing import print_short
from tileir_xdsl.testing.tools import parse, roundtrip

INVALID = re.compile(r"// INVALID: (.*)")


@pytest.mark.parametrize(
    "text", [pytest.param(t, id=n) for n, t in EXAMPLES.items() if not INVALID.search(t)]
)
def test_valid(text: str):
    roundtrip(text)
    short = print_short(parse(text))
    assert print_short(parse(short)) == short


@pytest.mark.parametrize(
    "text", [pytest.param(t, id=n) for n, t in EXAMPLES.items() if INVALID.search(t)]
)
def test_invalid(text: str):
    with pytest.raises((ParseError, VerifyException)) as error:
        parse(text)
    message = error.value.msg if isinstance(error.value, ParseError) else str(error.value)
    assert message == "\n".join(INVALID.findall(text))


def test_number_of_examples():
    assert len(EXAMPLES) == 70
    assert sum(bool(INVALID.search(text)) for text in EXAMPLES.values()) <= 15
