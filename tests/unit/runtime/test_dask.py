"""Compiling and tuning by the workers of a dask scheduler, one of which is killed on the way."""

import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from distributed import LocalCluster

from tests.unit.cli.test_bad_input import error_line
from tests.unit.extensions.written import marking_ptx
from tileir_xdsl.cli.main import main
from tileir_xdsl.options import DEFAULT_OPTIONS
from tileir_xdsl.runtime.executors import DASK, opened_executor
from tileir_xdsl.runtime.many_files import compile_files, jobs_of
from tileir_xdsl.testing.kernels import KERNELS

# What dask leaves open when its processes end.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")

NAMES = ("vector_add", "softmax_f32", "matmul_f16", "collatz")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    # Its context managers are typed as coroutines.
    cluster: Any = LocalCluster(
        n_workers=2, threads_per_worker=1, silence_logs=50, dashboard_address=":0"
    )
    with cluster:
        yield f"{DASK}{cluster.scheduler_address}"


def sources() -> list[str]:
    return [str(KERNELS[name].text_path) for name in NAMES]


def test_files(address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    by_dask, here = tmp_path / "dask", tmp_path / "here"
    words = ["compile", *sources(), "--gpu", "sm_80", "--json"]
    assert main([*words, "-o", str(by_dask), "--executor", address]) == 0
    assert [row["error"] for row in json.loads(capsys.readouterr().out)] == [None] * len(NAMES)
    assert main([*words, "-o", str(here)]) == 0
    for name in NAMES:
        assert (by_dask / f"{name}.ptx").read_text() == (here / f"{name}.ptx").read_text()


def end_this_process(marker: str) -> str:
    """Kills the worker that executes it first; returns where it is done in the end."""
    if not Path(marker).exists():
        Path(marker).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return marker


def test_a_worker_that_is_killed(address: str, tmp_path: Path):
    jobs = jobs_of(sources(), str(tmp_path / "out"), "sm_80", "ptx", DEFAULT_OPTIONS)
    with opened_executor(address) as executor:
        killer = executor.submit(end_this_process, str(tmp_path / "marker"))
        outcomes = list(compile_files(jobs, executor))
        assert killer.result() == str(tmp_path / "marker")
    assert sorted(outcome.source for outcome in outcomes) == sorted(sources())
    assert all(outcome.error is None and Path(outcome.output).exists() for outcome in outcomes)


def test_tuning(address: str, capsys: pytest.CaptureFixture[str]):
    words = ["tune", sources()[0], "--grid", "8", "--gpu", "sm_80", "--stages", "2"]
    arguments = [f"--arg=random:f32:{size}" for size in (1000, 1000, 1000)]
    assert main([*words, *arguments, "--executor", address]) == 0
    shown = capsys.readouterr().out
    assert main([*words, *arguments, "--jobs", "1"]) == 0
    assert capsys.readouterr().out == shown
    assert [line[0] for line in shown.splitlines() if line[0].isdigit()] == ["1", "2", "3"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("threads", "--executor threads: error: expected dask:ADDRESS"),
        ("dask:nonsense://", "--executor dask:nonsense://: error: "),
    ],
)
def test_wrong_names(name: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    words = [*sources(), "-o", str(tmp_path), "--executor", name]
    assert error_line(capsys, "compile", *words).startswith(message)


def test_without_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setitem(sys.modules, "distributed", None)
    words = [*sources(), "-o", str(tmp_path), "--executor", "dask:tcp://localhost:1"]
    message = "--executor dask:tcp://localhost:1: error: needs the package 'distributed'"
    assert error_line(capsys, "compile", *words) == message


@pytest.mark.usefixtures("forgotten_extensions")
def test_an_edited_extension(address: str, tmp_path: Path):
    for mark in (2, 3):
        words = ["--with", marking_ptx(tmp_path, mark), "-o", str(tmp_path / "out")]
        assert main(["compile", *sources()[:2], *words, "--executor", address]) == 0
        text = (tmp_path / "out" / "vector_add.ptx").read_text()
        assert f".minnctapersm {mark}" in text
