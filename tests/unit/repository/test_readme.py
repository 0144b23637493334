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

from tests.notebooks import run_cell
from tests.unit.tools import REPOSITORY
from tileir_xdsl import cutile
from tileir_xdsl.cli.main import main
from tileir_xdsl.drawings.kernel import drawings_of

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


def test_python_blocks():
    namespace: dict[str, Any] = {"__name__": "__main__"}
    shown = [
        json.dumps(run_cell(source, namespace, f"README.md[{number}]"))
        for number, source in enumerate(blocks(), 1)
    ]
    _, ptx, _, _, levels = shown
    assert ".target sm_90a" in ptx and ".entry add(" in ptx
    assert "#nv_tileas.layout" in levels and "vector_add(ptr<f32>, i32, i32, " in levels
    assert "nv_tileas.tiled_load" in Path("add.html").read_text("utf-8")
    # The page draws the picture that is stored, of the arguments of the page.
    arguments = (*(namespace[name] for name in "abc"), 128)
    program = cutile.load(namespace["add"], arguments, "sm_90a")
    module = program.lower("tileas-assign-load-store-layouts").module
    picture = REPOSITORY / "docs" / "pictures" / "add.svg"
    assert drawings_of(module, "nv_tileas", "sm_90a")[0].svg == picture.read_text("utf-8")


def test_the_order_of_the_first_steps():
    """A kernel on numpy, its PTX, whether it is right, why it is slow; then the road."""
    steps = ("cutile.launch(", "cutile.compile(", "cutile.check(", "cutile.explain(", "## The road")
    places = [README.index(step) for step in steps]
    assert places == sorted(places)


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
            case _:
                raise AssertionError(f"{program} is not run by any test")
    assert made == {"demo", "test"}
    assert all(f"\n{name}:" in (REPOSITORY / "Makefile").read_text() for name in made)
    assert "kernel_spec" in capsys.readouterr().out
    assert Path("vector_add.ptx").exists() and Path("sum.npy").exists()


def test_the_first_screen():
    head = README.splitlines()[:FIRST_SCREEN]
    assert any("cutile.launch(" in line for line in head)
    assert any("cutile.compile(" in line for line in head)
    assert sum(line.startswith("    make ") for line in head) == 2
