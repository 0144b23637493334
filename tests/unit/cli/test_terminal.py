"""Diagnostics on a terminal: the line of the source with a caret, and colours where wanted."""

import io
import sys
from pathlib import Path

import pytest

from tileir_xdsl.cli.main import main
from tileir_xdsl.cli.terminal import print_diagnostic
from tileir_xdsl.runtime.errors import CompileError, Remark

TEXT = "entry @k(%x: tile<i32>) {\n\t%y = addq %x, %x : tile<i32>\n}\n"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "k.mlir"
    path.write_text(TEXT)
    return path


def shown(diagnostic: object) -> list[str]:
    stream = Terminal()
    print_diagnostic(diagnostic, stream)
    return stream.getvalue().splitlines()


def test_a_caret_under_the_column(file: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NO_COLOR", "1")
    assert shown(CompileError(f"{file}:2:7", "no")) == [
        f"{file}:2:7: error: no",
        "2 |  %y = addq %x, %x : tile<i32>",
        "  |       ^",
    ]
    # Beyond the end of the line, as for what is missing there.
    assert shown(Remark("why", str(file), 3, 9))[1:] == ["3 | }", "  |  ^"]


def test_long_lines_are_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NO_COLOR", "1")
    file = tmp_path / "long"
    file.write_text("a" * 300 + "b" + "a" * 300)
    _, line, caret = shown(CompileError(f"{file}:1:301", "no"))
    assert len(line) == len("1 | ") + 100 and line[caret.index("^")] == "b"


@pytest.mark.parametrize("where", ["--grid 8", "missing.mlir:1:1", "{file}:9:1"])
def test_where_there_is_no_line(where: str, file: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NO_COLOR", "1")
    location = where.format(file=file)
    assert shown(CompileError(location, "no")) == [f"{location}: error: no"]


def test_colours(file: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    error = CompileError(f"{file}:2:7", "no [bold]")
    coloured = "\n".join(shown(error))
    assert "\x1b[1;31merror: \x1b[0mno [bold]" in coloured
    # Without rich the same without colours.
    monkeypatch.setitem(sys.modules, "rich.console", None)
    monkeypatch.setenv("TERM", "xterm-256color")
    plain = shown(error)
    assert len(plain) == 3 and not any("\x1b" in line for line in plain)


def test_elsewhere_it_is_one_line(file: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["fmt", str(file)]) == 1
    assert capsys.readouterr().err == (
        f"{file}:2:2: error: Operation addq is not registered, did you mean 'addi'?\n"
    )


def test_a_terminal_gets_the_excerpt(file: Path, monkeypatch: pytest.MonkeyPatch):
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("NO_COLOR", "1")
    assert main(["fmt", str(file)]) == 1
    assert terminal.getvalue().splitlines()[1:] == [
        "2 |  %y = addq %x, %x : tile<i32>",
        "  |  ^",
    ]
