"""Every diagnostic of the dialect, word for word."""

import ast
import re
from collections.abc import Iterator, Sequence

import pytest
from xdsl.utils.exceptions import ParseError, VerifyException

from tests.unit.dialects.nv_tileaa import samples
from tests.unit.tools import REPOSITORY
from tileir_xdsl.testing.tools import parse

CHUNKS = [
    pytest.param(message, text, id=f"{name}-{index}")
    for name, path in samples.INVALID.items()
    for index, (message, text) in enumerate(samples.broken_rules(path))
]

FOLDERS = ("nv_tileaa", "cute_nvgpu")

RAISING = ("VerifyException", "raise_error")

NOT_FROM_TEXT = {
    "'§' 'every'/'along' must be used in combination": "test_types.py",
    "expects a queue to carry at least one value": "test_types.py",
    "expected § strides, got §": "a parse error of the same text comes first",
    "expects elements that are numbers of up to 64 bits, but got §": "a parse error comes first",
    "expects a type of a level below cuda_tile, but got §": "invalid_async_pipeline.mlir",
}
"""Diagnostics that no text can cause, with the reason or the test that causes them otherwise."""


def diagnostic(text: str) -> str:
    """What reading and verifying `text` raises."""
    try:
        parse(text)
    except ParseError as error:
        return error.msg
    except VerifyException as error:
        return str(error)
    return "no error"


@pytest.mark.parametrize(("message", "text"), CHUNKS)
def test_message(message: str, text: str):
    assert diagnostic(text) == message


def template(node: ast.expr) -> str | None:
    """The text of a string expression, with § for what is filled in; None if it is no string."""
    match node:
        case ast.Constant(value=str(value)):
            return value
        case ast.JoinedStr(values=values):
            return "".join(template(value) or "§" for value in values)
        case _:
            return None


def diagnostics_in_source(folders: Sequence[str]) -> Iterator[str]:
    """Templates of all diagnostics in these folders of dialects."""
    for folder in folders:
        for path in sorted((REPOSITORY / "tileir_xdsl" / "dialects" / folder).glob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if not isinstance(node, ast.Call):
                    continue
                function = node.func
                name = function.attr if isinstance(function, ast.Attribute) else ""
                name = function.id if isinstance(function, ast.Name) else name
                if name in RAISING and (text := template(node.args[0])) is not None:
                    yield text


@pytest.mark.parametrize("text", sorted(set(diagnostics_in_source(FOLDERS)) - set(NOT_FROM_TEXT)))
def test_every_rule_is_broken_by_a_test(text: str):
    pattern = re.compile(".*".join(map(re.escape, text.split("§"))))
    messages = [str(chunk.values[0]) for chunk in CHUNKS]
    assert any(pattern.fullmatch(message) for message in messages), text
