"""`tileir check` blames the program where the order of tile blocks decides, else the compiler."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from tests.unit.checking.ordered_kernels import (
    BLOCKS,
    DEPENDENT,
    DEPENDENT_AND_DETERMINED,
    DETERMINED,
    FAILING,
    kernel,
)
from tileir_xdsl.backend import ptx
from tileir_xdsl.cli.main import main

ARGUMENTS = ("--grid", str(BLOCKS), "--arg", "zeros:i32:8", "--arg", "zeros:i32:8")
NOTE = "note: the program's own result depends on the order of its tile blocks: "


def renumbered(text: str) -> str:
    """PTX whose blocks have their numbers in descending order, so that they run in another one."""
    read = r"mov\.u32 (%r\d+), %ctaid\.x;"
    return re.sub(read, rf"\g<0>\nsub.s32 \1, {BLOCKS - 1}, \1;", text)


def subtracting(text: str) -> str:
    """Wrong PTX."""
    changed = text.replace("add.s32", "sub.s32")
    assert changed != text
    return changed


def check(
    body: str,
    change: Callable[[str], str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *options: str,
) -> int:
    """The exit status for a kernel with its PTX changed."""
    emit = ptx.emit

    def changed(module: ModuleOp, gpu: str) -> str:
        return change(emit(module, gpu))

    monkeypatch.setattr(ptx, "emit", changed)
    file = tmp_path / "k.mlir"
    file.write_text(kernel(body))
    return main(["check", str(file), *ARGUMENTS, *options])


@pytest.mark.parametrize("name", DEPENDENT)
def test_the_program_is_to_blame(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    """Both accesses are named, each by its line; they touch one byte, and one of them writes."""
    assert check(DEPENDENT[name], renumbered, tmp_path, monkeypatch, "--no-races") == 1
    *_, row, note = capsys.readouterr().out.splitlines()
    assert row.endswith("  depends") and note.startswith(NOTE)
    lines = (tmp_path / "k.mlir").read_text().splitlines()
    named = re.findall(r"'cuda_tile\.(\w+)' at \S*k\.mlir:(\d+):", note)
    assert len(named) == 2
    assert all(f"{op} " in lines[int(line) - 1] for op, line in named)
    blocks = re.findall(r"in tile block (\(\d, 0, 0\))", note)
    assert blocks[0] != blocks[1]
    assert any("store" in op or "atomic" in op for op, _ in named)


@pytest.mark.parametrize("name", DETERMINED)
def test_another_order_is_no_fault(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    assert check(DETERMINED[name], renumbered, tmp_path, monkeypatch) == 0


@pytest.mark.parametrize("name", [*DETERMINED, "both"])
def test_the_compiler_is_to_blame(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    body = {**DETERMINED, "both": DEPENDENT_AND_DETERMINED}[name]
    assert check(body, subtracting, tmp_path, monkeypatch, "--no-races") == 1
    printed = capsys.readouterr().out
    assert printed.endswith("  disagrees\n") and "note" not in printed


def test_a_race_of_some_orders_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """One block after the other, all get the lock."""
    body = DEPENDENT["lock that is left after some tries"]
    assert check(body, str, tmp_path, monkeypatch, "--json") == 1
    [found] = json.loads(capsys.readouterr().out)
    last = found["levels"][-1]
    assert "race: this write of global address" in last["race"]
    assert last["note"].startswith("note: so does the program that was read: 'cuda_tile.load_ptr")
    assert last["depends"].startswith(NOTE)


@pytest.mark.parametrize(("body", "is_own"), [(FAILING, True), (DETERMINED["histogram"], False)])
def test_an_error_at_a_later_level(
    body: str,
    is_own: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    def out_of_bounds(text: str) -> str:
        return text if is_own else re.sub(r"(red\S* \[%rd\d+)\]", r"\1+800]", text)

    assert check(body, out_of_bounds, tmp_path, monkeypatch, "--no-races") == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "error: " in error
    assert ("; the program that was read is at fault, in some order" in error) == is_own
