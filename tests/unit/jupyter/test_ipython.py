"""The extension in IPython itself: magics, displays, diagnostics and completion."""

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.unit.jupyter.cells import KERNEL, PATTERN
from tileir_xdsl.jupyter.diagnostics import CellError


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    config = import_module("traitlets.config").Config({"HistoryManager": {"enabled": False}})
    made = import_module("IPython.core.interactiveshell").InteractiveShell(config=config)
    assert made.run_cell("%load_ext tileir_xdsl").success
    return made


def shown(shell: Any, cell: str) -> tuple[Any, str]:
    """The result of a cell, and what it prints."""
    with import_module("IPython.utils.capture").capture_output() as captured:
        result = shell.run_cell(cell)
    return result, captured.stdout


def test_ir_and_passes_are_shown(shell: Any):
    result, _ = shown(shell, f"%%tileir scale\n{KERNEL}")
    bundle, _ = shell.display_formatter.format(result.result)
    assert "<pre" in bundle["text/html"] and "cuda_tile.divf" in bundle["text/plain"]
    result, _ = shown(shell, f"%%pass\n{PATTERN}")
    bundle, _ = shell.display_formatter.format(result.result)
    assert "#e2f3e6" in bundle["text/html"]
    _, text = shown(shell, "%%filecheck\nCHECK: mulf\n")
    assert text.endswith("1 checks pass\n")


def test_a_diagnostic_is_all_that_is_shown(shell: Any):
    result, text = shown(shell, f"%%tileir\n{KERNEL.replace('divf', 'divff')}")
    assert isinstance(result.error_in_exec, CellError)
    assert text.splitlines() == [
        "<%%tileir 1>:6:5: error: Operation divff is not registered, did you mean 'divf'?",
        "6 |     %b = divff %a, %eight : tile<f32>",
        "  |     ^",
    ]


def test_a_decision_is_shown_as_text(shell: Any):
    result, _ = shown(shell, "%explain vector_add --pass tileas-assign-load-store-layouts")
    bundle, _ = shell.display_formatter.format(result.result.decisions[1])
    assert bundle["text/plain"].startswith("@vector_add #12 nv_tileas.tiled_load")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("%%tileir -p tileas-gen", "tileas-generate-schedule"),
        ("%%tileir\n%x = nv_tileaa.max", "nv_tileaa.maxf"),
    ],
)
def test_ops_and_passes_are_completed(shell: Any, text: str, expected: str):
    with import_module("IPython.core.completer").provisionalcompleter():
        assert expected in [c.text for c in shell.Completer.completions(text, len(text))]
