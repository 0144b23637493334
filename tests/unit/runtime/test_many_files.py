"""Many files at once: the outputs of each alone, whatever happens to the others."""

import os
import signal
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import tileir_xdsl as tileir
from tests.unit.tools import REPOSITORY
from tileir_xdsl.options import Options
from tileir_xdsl.runtime import many_files
from tileir_xdsl.runtime.errors import CompileError
from tileir_xdsl.runtime.executors import processes
from tileir_xdsl.runtime.many_files import Job, compile_files, jobs_of

KERNELS = REPOSITORY / "tileir_xdsl" / "testing" / "kernels"


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """A folder with kernels, one of them wrong, at several depths."""
    folder = tmp_path / "sources"
    (folder / "deep").mkdir(parents=True)
    for name in ("vector_add", "saxpy"):
        kernel = KERNELS / f"{name}.mlir"
        text = (kernel if kernel.exists() else KERNELS / "vector_add.mlir").read_text()
        (folder / "deep" / f"{name}.mlir").write_text(text)
    (folder / "vector_add.mlir").write_text((KERNELS / "vector_add.mlir").read_text())
    (folder / "wrong.mlir").write_text("module { nonsense }")
    (folder / "notes.txt").write_text("no kernel")
    return folder


def jobs(sources: Path, emit: str = "ptx") -> list[Job]:
    return jobs_of([str(sources)], str(sources.parent / "out"), "sm_90a", emit, Options())


def test_the_outputs_are_those_of_each_alone(sources: Path):
    with ThreadPoolExecutor(3) as executor:
        outcomes = {one.source: one for one in compile_files(jobs(sources), executor)}
    assert len(outcomes) == 4
    for source, outcome in outcomes.items():
        if source.endswith("wrong.mlir"):
            assert outcome.error is not None and outcome.error.startswith(f"{source}:1:10: error:")
            assert not Path(outcome.output).exists()
        else:
            alone = tileir.compile(Path(source), "sm_90a").text
            assert outcome.error is None and Path(outcome.output).read_text() == alone


def test_names_of_outputs(sources: Path):
    out = sources.parent / "out"
    assert [job.output for job in jobs(sources, "nv_tileas")] == [
        str(out / name)
        for name in (
            "deep/saxpy.nv_tileas.mlir",
            "deep/vector_add.nv_tileas.mlir",
            "vector_add.nv_tileas.mlir",
            "wrong.nv_tileas.mlir",
        )
    ]


def test_two_files_of_one_name(sources: Path):
    files = [str(sources / "vector_add.mlir"), str(sources / "deep" / "vector_add.mlir")]
    with pytest.raises(
        CompileError, match=r"has the same output out/vector_add\.ptx as .*sources/vector_add"
    ):
        jobs_of(files, "out", None, "ptx", Options())


def test_a_folder_without_kernels(tmp_path: Path):
    with pytest.raises(CompileError, match=r"has no files that end in \.mlir or \.tileirbc"):
        jobs_of([str(tmp_path)], "out", None, "ptx", Options())


def test_an_output_that_cannot_be_written(sources: Path):
    one = Job(str(sources / "vector_add.mlir"), "/dev/null/a.ptx", "sm_90a", "ptx", Options())
    outcome = many_files.compile_file(one)
    assert outcome.error == "/dev/null/a.ptx: error: Not a directory"


class LosingExecutor(Executor):
    """Breaks at the second job, and with it all after that."""

    def __init__(self) -> None:
        self.count = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.count += 1
        if self.count >= 2:
            future.set_exception(BrokenExecutor())
        else:
            future.set_result(fn(*args, **kwargs))
        return future


def test_what_a_killed_process_had_not_finished_is_compiled_again(sources: Path):
    outcomes = list(compile_files(jobs(sources), LosingExecutor()))
    assert len(outcomes) == 4
    assert [outcome.error is None for outcome in outcomes] == [True, True, True, False]


def _die(job: Job) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_the_file_at_fault_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(many_files, "compile_file", _die)
    job = Job("fatal.mlir", "fatal.ptx", None, "ptx", Options())
    with processes(1) as executor:
        (outcome,) = compile_files([job], executor)
    assert outcome.error == "fatal.mlir: error: the process that compiled it has ended early"
