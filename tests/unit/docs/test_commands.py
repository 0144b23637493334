"""Every command of every page runs, or names what exists; every block of IR is read.

`tileir` and `xdsl-opt` run in a folder that has the files a page speaks of. Commands that wait for
somebody, need a GPU or take minutes are only read, `make` and `python -m` looked up.
"""

import argparse
import importlib
import importlib.util
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from runpy import run_path
from typing import Any

import numpy as np
import pytest
from xdsl.utils.exceptions import VerifyException
from xdsl.xdsl_opt_main import xDSLOptMain

from tests.doc_blocks import Block, blocks, commands, pages
from tests.notebooks import run_cell
from tests.unit.tools import REPOSITORY
from tileir_xdsl import samples
from tileir_xdsl.bytecode import write
from tileir_xdsl.cli.main import main
from tileir_xdsl.cli.tileir_as.main import main as assembled
from tileir_xdsl.runtime.errors import CompileError
from tileir_xdsl.runtime.program import load
from tileir_xdsl.runtime.reader import new_context, read_text

KERNELS = REPOSITORY / "tileir_xdsl" / "testing" / "kernels"

ONLY_READ = {
    "tune": "compiles dozens of variants",
    "view": "serves until it is stopped",
    "gui": "takes over the terminal",
    "cache": "is about the cache of the user",
    "server": "starts a process that stays",
    "explain": "tests/browser/test_walks.py goes along these",
    "lsp": "speaks a protocol",
}
"""Commands of `tileir` whose arguments are read, and that are not run, and why."""

STARTING = ("--executor", "--jobs", "--explain", "gpu")
"""Words with which a command starts processes or needs a GPU: it is only read."""

ELSEWHERE = ("README.md",)
"""Pages whose commands other tests run, in the order of the page: test_readme.py."""

FAILING = {"lint": 1, "emulate": 1, "check": 1, "run": 1}
"""The status of a command whose block shows a finding, a race or an error."""

FINDING = re.compile(r"error:|warning:|race:|  races$", re.MULTILINE)


def prepare(folder: Path) -> None:
    """Files by the names that pages use."""
    for name in ("tests", "tileir_xdsl", "bench", "docs"):
        (folder / name).symlink_to(REPOSITORY / name)
    add, matmul = KERNELS / "vector_add.mlir", samples.path("matmul")
    for name in ("kernel.mlir", "k.mlir", "a.mlir", "b.mlir"):
        shutil.copy(add, folder / name)
    for name in samples.names():
        shutil.copy(samples.path(name), folder / f"{name}.mlir")
    shutil.copy(KERNELS / "attention.mlir", folder)
    module = read_text(new_context(), add.read_text(), "kernel.mlir")
    for name in ("kernel.tileirbc", "more.tileirbc", "kernel.tilebc"):
        (folder / name).write_bytes(write(module, "13.3"))
    text = matmul.read_text()
    (folder / "matmul.tilebc").write_bytes(write(read_text(new_context(), text, "m"), "13.3"))
    (folder / "kernels").mkdir()
    shutil.copy(add, folder / "kernels")
    (folder / "kernel.ptx").write_text(load(add).lower("ptx").text)
    np.save(folder / "a.npy", np.ones(1000, np.float32))
    np.save(folder / "b.npy", np.ones(1000, np.float32))


def page_files(folder: Path, text: str) -> None:
    """The files that debugging.md makes: the block of IR that it begins with, and the mended one."""
    (block, *_) = [b for b in blocks(text) if b.language == "mlir"]
    (folder / "reverse.mlir").write_text(block.text)
    mended = block.text.replace("weak %from token = %none", "weak %from token = %written")
    (folder / "fixed.mlir").write_text(mended)
    matmul = KERNELS / "divisible" / "matmul_f16_warpgroup.mlir"
    ptx = load(matmul, "sm_90a").lower("ptx").text.replace(", 16384;", ", 8192;")
    (folder / "bad.ptx").write_text(ptx)


def is_read(name: str, arguments: Sequence[str]) -> bool:
    """Whether a command is not run."""
    return name in ONLY_READ or not set(arguments).isdisjoint(STARTING)


def done(_arguments: argparse.Namespace) -> int:
    """In place of a command that is only read."""
    return 0


def run_tileir(words: Sequence[str], block: Block, monkeypatch: pytest.MonkeyPatch) -> None:
    name = words[0]
    with monkeypatch.context() as patched:
        if is_read(name, words):
            module = importlib.import_module(f"tileir_xdsl.cli.{name}")
            patched.setattr(module, "run", done)
        status = main(words)
    allowed = {0, FAILING[name]} if name in FAILING and FINDING.search(block.text) else {0}
    assert status in allowed, words


def run(words: list[str], block: Block, monkeypatch: pytest.MonkeyPatch) -> None:
    program, *arguments = words
    if "&&" in arguments:
        end = arguments.index("&&")
        run([program, *arguments[:end]], block, monkeypatch)
        run(arguments[end + 1 :], block, monkeypatch)
        return
    for end in ("|", ">"):
        if end in arguments:
            arguments = arguments[: arguments.index(end)]
    match program:
        case "tileir":
            run_tileir(arguments, block, monkeypatch)
        case "tileir-as":
            arguments = [word.replace("~/", "") for word in arguments]
            assert assembled(arguments) == 0, words
        case "xdsl-opt":
            xDSLOptMain(args=[whole_road(word, arguments) for word in arguments]).run()
        case "make":
            named = [word for word in arguments if "=" not in word]
            makefile = (REPOSITORY / "Makefile").read_text()
            assert all(f"\n{word}:" in makefile for word in named), words
        case "python" if arguments[0] == "-m":
            found = importlib.util.find_spec(arguments[1])
            assert found is not None and found.origin is not None, words
        case "python" if Path(arguments[0]).exists():
            with monkeypatch.context() as patched:
                patched.setattr(sys, "argv", arguments)
                run_path(arguments[0], run_name="__main__")
        case "python":
            assert arguments[0] in (REPOSITORY / "bench/pack/build.py").read_text(), words
        case _:
            raise AssertionError(f"{program} is not run by any test")


def whole_road(word: str, words: Sequence[str]) -> str:
    """The argument, with the passes in place of `...,` that run before the one that it names."""
    if not word.startswith("...,"):
        return word
    road = load(words[0], "sm_90a").passes
    last = word.removeprefix("...,")
    before = road[: road.index(last.partition("{")[0])]
    return ",".join([*before, last])


WITH_COMMANDS = [
    page
    for page in pages()
    if str(page) not in ELSEWHERE
    and any(list(commands(b)) for b in blocks((REPOSITORY / page).read_text("utf-8")))
]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    prepare(folder)
    return folder


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=str)
@pytest.mark.usefixtures("forgotten_extensions")
def test_commands_run(page: Path, prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder = tmp_path / "folder"
    shutil.copytree(prepared, folder, symlinks=True)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("TILEIR_CACHE", "0")
    text = (REPOSITORY / page).read_text("utf-8")
    if page.name == "debugging.md":
        page_files(folder, text)
    for block in blocks(text):
        for words in commands(block):
            run(words, block, monkeypatch)


WITH_PYTHON = [
    page
    for page in pages()
    if str(page) not in (*ELSEWHERE, "docs/layouts.md")
    and any(b.language == "python" for b in blocks((REPOSITORY / page).read_text("utf-8")))
]
"""Those of layouts.md are run by tests/unit/layout/test_pictures.py."""


@pytest.mark.parametrize("page", WITH_PYTHON, ids=str)
def test_python_runs(page: Path, prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder = tmp_path / "folder"
    shutil.copytree(prepared, folder, symlinks=True)
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder)
    assert main(["new", "add.py"]) == 0
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks((REPOSITORY / page).read_text("utf-8")):
        if block.language == "python" and not block.schematic:
            run_cell(block.text, namespace, f"{page}:{block.line}")


@pytest.mark.parametrize("page", pages(), ids=str)
def test_ir_is_read_or_marked(page: Path):
    wrong: list[str] = []
    for block in blocks((REPOSITORY / page).read_text("utf-8")):
        if block.is_ir and not block.schematic:
            try:
                read_text(new_context(), block.text, f"{page}:{block.line}").verify()
            except (CompileError, VerifyException) as error:
                wrong.append(f"{page}:{block.line}: {str(error).splitlines()[0]}")
    assert not wrong, "\n".join(wrong)
