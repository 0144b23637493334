"""No text is read or written in the encoding of the system, which is not UTF-8 on Windows."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.tools import REPOSITORY

FOLDERS = ("tileir_xdsl", "bench", "docs")

ENCODING_AT = {"read_text": 0, "write_text": 1}
"""Methods of paths, and which positional argument is the encoding."""

MODES = frozenset("rwxab+t")
TEMPORARY = ("TemporaryFile", "NamedTemporaryFile")


def name_of(call: ast.Call) -> str:
    match call.func:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
        case _:
            return ""


def modes(call: ast.Call) -> list[str]:
    """Strings among the arguments that can only be the mode of a file."""
    given = [*call.args, *(word.value for word in call.keywords if word.arg == "mode")]
    values = [value.value for value in given if isinstance(value, ast.Constant)]
    return [value for value in values if isinstance(value, str) and set(value) <= MODES]


def is_text_without_encoding(call: ast.Call) -> bool:
    # Words that are given on, as `**words`, have no name.
    words = {word.arg for word in call.keywords}
    if words & {"encoding", None}:
        return False
    match name_of(call):
        case "read_text" | "write_text" as name:
            return len(call.args) <= ENCODING_AT[name]
        case "open" if isinstance(call.func, ast.Name):
            return all("b" not in mode for mode in modes(call))
        case "fdopen" | "TextIOWrapper":
            return all("b" not in mode for mode in modes(call))
        case name if name in TEMPORARY:
            return any("b" not in mode for mode in modes(call))
        case _:
            return bool(words & {"text", "universal_newlines"})


def found(text: str) -> Iterator[int]:
    """The lines of a source that open text without an encoding."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and is_text_without_encoding(node):
            yield node.lineno


@pytest.mark.parametrize(
    "text",
    [
        "path.read_text()",
        "path.write_text(text)",
        "open(path)",
        "open(path, 'w')",
        "os.fdopen(handle, 'w')",
        "tempfile.TemporaryFile('w+')",
        "io.TextIOWrapper(stream)",
        "subprocess.run(command, text=True)",
    ],
)
def test_what_is_found(text: str):
    assert list(found(text)) == [1]


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_text_has_an_encoding(folder: str):
    files: Iterator[Path] = (REPOSITORY / folder).rglob("*.py")
    assert [
        f"{file.relative_to(REPOSITORY)}:{line}"
        for file in sorted(files)
        for line in found(file.read_text("utf-8"))
    ] == []
