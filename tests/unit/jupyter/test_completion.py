"""Completion in cells of magics, by the matcher that IPython calls."""

from types import SimpleNamespace

import pytest

from tests.unit.jupyter.cells import KERNEL, PATTERN, Notebook

IR = f"%%tileir\n{KERNEL}"
PROGRAM = "import tileir_xdsl as tileir\nprogram = tileir.load(scale, 'sm_90a')"


@pytest.fixture(scope="module")
def notebook() -> Notebook:
    notebook = Notebook()
    for cell in (f"%%tileir scale\n{KERNEL}", PROGRAM, f"%%pass --name divisions\n{PATTERN}"):
        notebook.run(cell)
    return notebook


@pytest.mark.parametrize(
    ("text", "fragment", "expected"),
    [
        ("%%tileir x -p tileas-gen|", "tileas-gen", ["tileas-generate-schedule"]),
        ("%%tileir -p fuse-fma,loop-s|", "loop-s", ["loop-split"]),
        ("%%tileir -p divi|\ntext", "divi", ["divisions"]),
        ("%explain scale --pass tileas-gen|", "tileas-gen", ["tileas-generate-schedule"]),
        ("x = 1\n%explain sc|", "sc", ["scale"]),
        ("%%pass --on |", "", ["program", "scale"]),
        ("%%filecheck s|\nCHECK: x", "s", ["scale"]),
        (IR.replace("%b = divf", "%b = divf|"), "divf", ["divf"]),
        (IR.replace("%b = divf", "%b = nv_tileaa.divf|"), "nv_tileaa.divf", ["nv_tileaa.divf"]),
        (IR.replace("divf %a", "divf %a|"), "%a", ["%a"]),
        (IR.replace("divf %a", "divf %|"), "%", ["%read", "%a", "%eight", "%x"]),
        ("sca|", "", []),
        ("%%pass\nsca|", "", []),
        ("x = 1\nsca|", "", []),
        ("|", "", []),
    ],
)
def test_completions(notebook: Notebook, text: str, fragment: str, expected: list[str]):
    (matcher,) = notebook.shell.Completer.custom_matchers
    before = text[: text.index("|")]
    line = before.count("\n")
    cursor = SimpleNamespace(
        full_text=text.replace("|", ""),
        cursor_line=line,
        cursor_position=len(before) - before.rfind("\n") - 1,
    )
    found = matcher(cursor)
    assert [one.text for one in found["completions"]] == expected
    assert found["suppress"] == bool(expected)
    if expected:
        assert found["matched_fragment"] == fragment
