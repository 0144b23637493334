"""Every diagnostic of the dialect, word for word."""

import ast
import re
from collections.abc import Iterator

import pytest
from xdsl.utils.exceptions import ParseError, VerifyException

from tests.unit.dialects.cuda_tile import samples
from tests.unit.tools import REPOSITORY
from tileir_xdsl.testing.tools import parse

CHUNKS = [
    pytest.param(message, text, id=f"{path.stem}: {message.partition(chr(10))[0]}")
    for path in sorted(samples.FILECHECK.glob("invalid_*.mlir"))
    for message, text in samples.chunks(path)
]

# Functions that raise a diagnostic, and which of their arguments is its text.
RAISING = {
    "fail": 0,
    "fail_at": 1,
    "fail_bare": 0,
    "raise_error": 0,
    "VerifyException": 0,
    "custom_error": 2,
    "report": 2,
}

# Diagnostics that no text can cause, each with the test that causes it otherwise.
NOT_FROM_TEXT = {
    "'cuda_tile.div_by' 'every'/'along' must be used in combination": "test_attributes.py",
    **dict.fromkeys(
        (
            "'§' op invalid function debug info location: §. Function location must not be a "
            "CallSiteLoc.",
            "§ Function location must have cuda_tile.di_subprogram debug info scope.",
            '§ Function name "§" does not match subprogram scope linkage name "§".',
            "invalid operation debug info scope: §. Operation has debug info scope, but function "
            "debug info scope is undefined.",
            "invalid operation debug info scope: §. Operation debug info scope does not match "
            "function debug info scope: §.",
            "invalid operation debug info scope: §. Global variables must not have scope.",
        ),
        "test_debug_info.py",
    ),
    "tile shape dimensions must have positive length but got §": "test_types.py",
    "the text is nested too deeply": "test_mutation.py, with a text too long for a file",
    "§ #§ must be §, but got '§'": "the constraint alone; operations add operand and number",
    "must be §, but got '§'": "the constraint alone; operations add operand and number",
    "failed to satisfy constraint: §": "the constraint alone; operations add the property",
    "'§' op §": "the prefix of every verifier diagnostic",
}


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
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            parts = template(left), template(right)
            return None if parts == (None, None) else "".join(part or "§" for part in parts)
        case _:
            return None


def diagnostics_in_source() -> Iterator[str]:
    """Templates of all diagnostics in the dialect."""
    folder = REPOSITORY / "tileir_xdsl" / "dialects" / "cuda_tile"
    for path in sorted(folder.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                function = node.func
                name = function.attr if isinstance(function, ast.Attribute) else ""
                name = function.id if isinstance(function, ast.Name) else name
                index = RAISING.get(name)
                if index is not None and (text := template(node.args[index])) is not None:
                    yield text


@pytest.mark.parametrize("text", sorted(set(diagnostics_in_source())))
def test_every_rule_is_broken_by_a_test(text: str):
    if text in NOT_FROM_TEXT:
        return
    pattern = re.compile(".*".join(map(re.escape, text.split("§"))), flags=re.S)
    messages = [str(chunk.values[0]) for chunk in CHUNKS]
    assert any(pattern.search(message) for message in messages), text
