"""`tileir gui`: xDSL's application with our dialects and passes, driven without a terminal."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import TextArea
from xdsl.interactive.app import InputApp

from tests.unit.extensions.written import marking
from tileir_xdsl import samples
from tileir_xdsl.cli.gui import application
from tileir_xdsl.cli.main import main
from tileir_xdsl.passes import PASSES
from tileir_xdsl.runtime.errors import InputError

KERNEL = str(samples.path("saxpy"))


def driven(app: InputApp, drive: Callable[[Pilot[None]], Awaitable[None]]) -> None:
    """Runs an application without a terminal, and what drives it."""

    async def run() -> None:
        async with app.run_test(size=(160, 50)) as pilot:
            await pilot.pause()
            await drive(pilot)

    asyncio.run(run())


def output(pilot: Pilot[None]) -> str:
    """The IR that the application shows."""
    return pilot.app.query_one("#output", TextArea).text


def test_our_passes_run_in_it():
    app = application(KERNEL, "convert-cuda-tile-to-tileaa")

    async def drive(pilot: Pilot[None]) -> None:
        assert "cuda_tile.module" in pilot.app.query_one("#input", TextArea).text
        assert "nv_tileaa.tiled_load" in output(pilot)
        await pilot.click("#remove_last_pass_button")
        await pilot.pause()
        assert "load_view_tko" in output(pilot) and "nv_tileaa" not in output(pilot)

    driven(app, drive)


def test_a_pass_that_fails_is_shown_and_taken_back():
    app = application(KERNEL)
    assert set(PASSES) <= {name for name, _ in app.all_passes}

    async def drive(pilot: Pilot[None]) -> None:
        tree = app.passes_tree
        node = next(n for n in tree.root.children if str(n.label) == "tileas-canonicalize")
        app.passes_tree.focus()
        node.expand()
        await pilot.pause()
        assert not node.children
        tree.move_cursor(node)
        await pilot.press("enter")
        await pilot.pause()
        assert "tileas-canonicalize" in app.get_query_string()
        assert "tileas-canonicalize expects level nv_tileas" in output(pilot)
        await pilot.click("#clear_passes_button")
        await pilot.pause()
        assert "load_view_tko" in output(pilot)

    driven(app, drive)


def test_bytecode_is_shown_as_text(tmp_path: Path):
    file = tmp_path / "saxpy.tilebc"
    assert main(["asm", KERNEL, "-o", str(file)]) == 0
    driven(application(str(file)), lambda pilot: _shows(pilot, "load_view_tko"))


async def _shows(pilot: Pilot[None], text: str) -> None:
    assert text in output(pilot)


TO_TILEAS = "convert-cuda-tile-to-tileaa,convert-tileaa-to-tileas"


@pytest.mark.usefixtures("forgotten_extensions")
@pytest.mark.parametrize("passes", [f"{TO_TILEAS},mark", "tileir-pipeline"])
def test_passes_of_an_extension_run_in_it(passes: str, tmp_path: Path):
    app = application(KERNEL, passes, (marking(tmp_path, 1234567),))
    assert "mark" in [name for name, _ in app.all_passes]
    driven(app, lambda pilot: _shows(pilot, "mark = 1234567"))


@pytest.mark.parametrize(
    ("file", "passes", "message"),
    [
        ("missing.mlir", "", "No such file"),
        (None, "tileas-canonicalise", "there is no pass 'tileas-canonicalise'"),
        (None, "cse{", "-p: error"),
        (None, "tileir-pipeline{gpu=}", "-p: error"),
    ],
)
def test_bad_input(file: str | None, passes: str, message: str):
    with pytest.raises(InputError, match=message):
        application(file, passes)


def test_without_textual(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delitem(sys.modules, "tileir_xdsl.cli.gui_app")
    monkeypatch.delitem(sys.modules, "xdsl.interactive.app")
    monkeypatch.setitem(sys.modules, "textual", None)
    with pytest.raises(InputError, match=r"pip install 'tileir_xdsl\[gui\]'"):
        application()


def test_without_a_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "__stdin__", None)
    assert main(["gui"]) == 1
    assert (
        capsys.readouterr().err == "gui: error: expected a terminal as standard input and output\n"
    )
