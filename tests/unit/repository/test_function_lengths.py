"""No function of the package is longer than a screen: 60 lines, its docstring included."""

import ast
from collections.abc import Iterator

import pytest

from tests.unit.tools import REPOSITORY

LONGEST = 60

ROOT = REPOSITORY / "tileir_xdsl"


def long_functions(source: str) -> Iterator[str]:
    """The functions, and functions in them, that have more than `LONGEST` lines."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            if (lines := node.end_lineno - node.lineno + 1) > LONGEST:
                yield f"{node.name} has {lines} lines"


def test_functions_are_short():
    found = {path: list(long_functions(path.read_text("utf-8"))) for path in ROOT.rglob("*.py")}
    assert {path: lengthy for path, lengthy in found.items() if lengthy} == {}


@pytest.mark.parametrize(("lines", "found"), [(LONGEST, []), (LONGEST + 1, ["f has 61 lines"])])
def test_a_long_function_is_found(lines: int, found: list[str]):
    source = "\n".join(["def f():", *["    pass"] * (lines - 1)])
    assert list(long_functions(source)) == found
