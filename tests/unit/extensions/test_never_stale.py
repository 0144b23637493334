"""An extension that was edited is compiled with, by whatever compiles."""

from concurrent.futures import Executor
from pathlib import Path

import pytest

import tileir_xdsl as tileir
from tests.unit.cutile.test_launching import add, vectors
from tests.unit.extensions.written import marking_ptx
from tileir_xdsl import cutile
from tileir_xdsl.cli.main import main
from tileir_xdsl.runtime.cache.keys import PLACE, SWITCH
from tileir_xdsl.runtime.executors import processes
from tileir_xdsl.runtime.many_files import compile_files, jobs_of
from tileir_xdsl.runtime.parallel_kernels import compile_kernels, groups_of
from tileir_xdsl.runtime.program import read
from tileir_xdsl.testing.kernels import KERNELS

KERNEL = KERNELS["vector_add"].text_path

pytestmark = pytest.mark.usefixtures("forgotten_extensions")


def number(ptx: str) -> int:
    """The number that the pass of the extension has left in PTX."""
    return int(ptx.partition(".minnctapersm ")[2].split()[0])


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(PLACE, str(tmp_path / "cache"))
    monkeypatch.delenv(SWITCH, raising=False)
    return tmp_path / "cache"


@pytest.mark.usefixtures("cache")
def test_the_cache_of_the_library(tmp_path: Path):
    for mark in (2, 3, 2):
        options = tileir.Options(extensions=(marking_ptx(tmp_path, mark),))
        assert number(tileir.compile(KERNEL, "sm_80", options=options).text) == mark


@pytest.mark.usefixtures("cache")
def test_the_cache_of_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    options = tmp_path / "options.json"
    for mark in (2, 3, 2):
        file = marking_ptx(tmp_path, mark)
        options.write_text(f'{{"extensions": ["{file}"]}}')
        for words in (["--with", file], ["--options", str(options)]):
            assert main(["compile", str(KERNEL), *words]) == 0
            assert number(capsys.readouterr().out) == mark


def by_files(executor: Executor, folder: Path, options: tileir.Options) -> str:
    jobs = jobs_of([str(KERNEL)], str(folder), "sm_80", "ptx", options)
    (outcome,) = compile_files(jobs, executor)
    assert outcome.error is None
    return Path(outcome.output).read_text()


def by_kernels(executor: Executor, _folder: Path, options: tileir.Options) -> str:
    module, file = read(KERNEL)
    groups = groups_of(module, KERNEL.read_bytes(), file, "sm_80", options, 2)
    return compile_kernels(groups, "ptx", executor).text


@pytest.mark.usefixtures("cache")
def test_processes_that_have_compiled_before(tmp_path: Path):
    with processes(1) as executor:
        for mark in (2, 3):
            options = tileir.Options(extensions=(marking_ptx(tmp_path, mark),))
            for compiled in (by_files, by_kernels):
                assert number(compiled(executor, tmp_path / "out", options)) == mark


def test_kernels_that_this_process_has_compiled_before(tmp_path: Path):
    for mark in (2, 3):
        options = tileir.Options(extensions=(marking_ptx(tmp_path, mark),))
        assert number(cutile.compile(add, (*vectors(), 128), "sm_80", options=options).text) == mark
