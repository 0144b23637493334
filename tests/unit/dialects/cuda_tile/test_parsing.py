"""The largest number that each place of the text takes, and the next one."""

import pytest
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError, VerifyException

from tileir_xdsl.testing.tools import context

FILE = '<"f.py" in "/home">'


def scope(line: str, scope_line: str) -> str:
    return (
        f'#cuda_tile.di_subprogram<file = {FILE}, line = {line}, name = "f", linkageName = "f", '
        f"compileUnit = <file = {FILE}>, scopeLine = {scope_line}>"
    )


def block(line: str, column: str) -> str:
    parent = scope("1", "1")
    return (
        f"#cuda_tile.di_lexical_block<scope = {parent}, file = {FILE}, line = {line}, "
        f"column = {column}>"
    )


def entry(body: str, arguments: str = "") -> str:
    return f"cuda_tile.module @m {{ entry @k({arguments}) {{ {body} return }} }}"


def constant(bits: int, sign: str = "") -> str:
    return entry(f"%a = constant <i{bits}: {sign}NUMBER> : tile<i{bits}>")


UNSIGNED, OUT_OF_RANGE = "integer value too large", "integer constant out of range for type"
LARGEST = {
    "line of a function": (scope("NUMBER", "1"), 2**32 - 1, 2**32, UNSIGNED),
    "line of a body": (scope("1", "NUMBER"), 2**32 - 1, 2**32, UNSIGNED),
    "line of a block": (block("NUMBER", "1"), 2**32 - 1, 2**32, UNSIGNED),
    "column": (block("1", "NUMBER"), 2**32 - 1, 2**32, UNSIGNED),
    "divisor": (
        entry("%b = assume div_by<NUMBER>, %a : tile<i64>", "%a: tile<i64>"),
        2**62,
        2**63,
        "divisor is too large",
    ),
    "alignment": (
        "cuda_tile.module @m { global @g alignment = NUMBER <f32: 1.0> : tile<1xf32> }",
        2**30,
        2**31,
        "must be at most 1073741824 bytes",
    ),
    "i8": (constant(8), 2**8 - 1, 2**8, OUT_OF_RANGE),
    "i16": (constant(16), 2**16 - 1, 2**16, OUT_OF_RANGE),
    "i32": (constant(32), 2**32 - 1, 2**32, OUT_OF_RANGE),
    "i64": (constant(64), 2**63 - 1, 2**63, OUT_OF_RANGE),
    "negative i8": (constant(8, "-"), 2**7, 2**7 + 1, OUT_OF_RANGE),
    "negative i32": (constant(32, "-"), 2**31, 2**31 + 1, OUT_OF_RANGE),
    "negative i64": (constant(64, "-"), 2**63, 2**63 + 1, OUT_OF_RANGE),
}
"""A text, the largest number that may stand in it, the next, and what is wrong with that."""


def message(text: str) -> str | None:
    """What is wrong with an attribute or a module."""
    parser = Parser(context(), text)
    try:
        if text.startswith("#"):
            parser.parse_attribute()
        else:
            parser.parse_module().verify()
    except (ParseError, VerifyException) as error:
        return str(error)
    return None


@pytest.mark.parametrize("name", LARGEST)
def test_largest_number(name: str):
    text, largest, following, expected = LARGEST[name]
    assert message(text.replace("NUMBER", str(largest))) is None
    assert expected in (message(text.replace("NUMBER", str(following))) or "")
