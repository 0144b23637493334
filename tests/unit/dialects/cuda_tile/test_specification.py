"""The examples of the Tile IR specification."""

import re

import pytest
from xdsl.utils.exceptions import ParseError, VerifyException

from tests.unit.tools import REPOSITORY, parse, roundtrip
from tileir_xdsl.dialects.cuda_tile.printing import print_short

FILE = REPOSITORY / "tests/unit/dialects/cuda_tile/specification_examples.mlir"
EXAMPLES = FILE.read_text(encoding="utf-8").split("// -----\n")
INVALID = re.compile(r"// INVALID: (.*)")


def title(text: str) -> str:
    """Section and name of an example."""
    found = re.search(r"// (8\.\d+\.\d+ \w+)", text)
    assert found
    return found[1]


@pytest.mark.parametrize(
    "text", [pytest.param(t, id=title(t)) for t in EXAMPLES if not INVALID.search(t)]
)
def test_valid(text: str):
    roundtrip(text)
    short = print_short(parse(text))
    assert print_short(parse(short)) == short


@pytest.mark.parametrize(
    "text", [pytest.param(t, id=title(t)) for t in EXAMPLES if INVALID.search(t)]
)
def test_invalid(text: str):
    with pytest.raises((ParseError, VerifyException)) as error:
        parse(text)
    message = error.value.msg if isinstance(error.value, ParseError) else str(error.value)
    assert message == "\n".join(INVALID.findall(text))


def test_number_of_examples():
    assert len(EXAMPLES) == 70
    assert sum(bool(INVALID.search(text)) for text in EXAMPLES) <= 15
