"""README does what it says: its Python blocks and its commands run, in the order of the page."""

import json
import re
import shlex
from collections.abc import Iterator
from glob import glob
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest
from xdsl.xdsl_opt_main import xDSLOptMain

from docs.words import words
from tests.notebooks import run_cell
from tests.unit.tools import REPOSITORY
from tileir_xdsl.cli.main import main
from tileir_xdsl.drawings.kernel import drawings_of
from tileir_xdsl.runtime.program import load

README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
FIRST_SCREEN = 45
"""Lines that are seen at once."""


def blocks() -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)


def commands() -> Iterator[list[str]]:
    """The indented lines outside of fences, lines that go on joined."""
    text = re.sub(r"^```.*?^```$", "", README, flags=re.DOTALL | re.MULTILINE)
    for line in re.sub(r"\\\n\s+", "", text).splitlines():
        if line.startswith("    "):
            yield shlex.split(line, comments=True)


def named(word: str) -> list[str]:
    """The files that a shell puts in place of a pattern, else the word."""
    return sorted(glob(word)) if "*" in word else [word]


@pytest.fixture(autouse=True)
def in_a_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "tileir_xdsl").symlink_to(REPOSITORY / "tileir_xdsl")
    monkeypatch.chdir(tmp_path)


def test_python_blocks(capsys: pytest.CaptureFixture[str]):
    namespace: dict[str, Any] = {"__name__": "__main__"}
    shown = [
        json.dumps(run_cell(source, namespace, f"README.md[{number}]"))
        for number, source in enumerate(blocks(), 1)
    ]
    _, ptx, _, race = shown
    assert ".target sm_90a" in ptx and ".entry add(" in ptx
    assert "nv_tileas.tiled_load" in Path("add.html").read_text("utf-8")
    (said,) = re.findall(r"^```text\n(.*?)\n```$", README, re.MULTILINE)
    before, after = said.split(" at last.py:3:5 in", 1)
    assert before in race and after.rpartition(" both ")[2] in race


def test_the_picture_is_current():
    """It is the drawing of the agents in the report of a matmul."""
    kernel = REPOSITORY / "tileir_xdsl/testing/kernels/divisible/matmul_f16_warpgroup.mlir"
    module = load(kernel, "sm_90a").lower("tileas-materialize-schedule").module
    drawings = drawings_of(module, "nv_tileas", "sm_90a")
    (agents,) = (one.svg for one in drawings if one.kind == "schedule")
    picture = REPOSITORY / "docs" / "pictures" / "matmul.svg"
    assert agents == picture.read_text("utf-8")


def test_the_order():
    """What it is, the commands, a picture, a kernel to its race, figures, install, eight links."""
    steps = (
        "make demo",
        "docs/pictures/matmul.svg",
        "cutile.launch(",
        "cutile.compile(",
        "races=True",
        "<!-- figures",
        "pip install",
        "## Read on",
    )
    places = [README.index(step) for step in steps]
    assert places == sorted(places)
    links = README[README.index("## Read on") :]
    assert len(re.findall(r"^\| \[", links, re.MULTILINE)) == 8


def test_it_is_short():
    assert words(README) <= 800


def test_commands(capsys: pytest.CaptureFixture[str]):
    made = set[str]()
    for program, *arguments in commands():
        match program:
            case "make":
                made.add(arguments[0])
            case "xdsl-opt":
                xDSLOptMain(args=arguments).run()
            case "tileir" if "&&" in arguments:
                end = arguments.index("&&")
                assert main(arguments[:end]) == 0, arguments
                assert arguments[end + 1 :] == ["python", arguments[end - 1]]
                run_path(arguments[end - 1], run_name="__main__")
            case "tileir":
                arguments = [name for word in arguments for name in named(word)]
                assert main(arguments) == 0, arguments
            case "pip":
                project = (REPOSITORY / "pyproject.toml").read_text("utf-8")
                assert arguments[:2] == ["install", "-e"]
                assert all(f"\n{extra} = [" in project for extra in ("report", "terminal"))
            case _:
                raise AssertionError(f"{program} is not run by any test")
    assert made == {"demo", "test"}
    assert all(f"\n{name}:" in (REPOSITORY / "Makefile").read_text() for name in made)
    assert "kernel_spec" in capsys.readouterr().out
    assert Path("add.ptx").exists() and Path("add.html").exists()


def test_the_first_screen():
    head = README.splitlines()[:FIRST_SCREEN]
    assert any("cutile.launch(" in line for line in head)
    assert any("cutile.compile(" in line for line in head)
    assert sum(line.startswith("    make ") for line in head) == 2
