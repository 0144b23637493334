"""Fixtures of the tests of commands."""

from collections.abc import Generator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from tileir_xdsl.cli import compile_many, tune


@contextmanager
def _thread(_name: str | None, _count: int | None) -> Generator[Executor]:
    with ThreadPoolExecutor(1) as executor:
        yield executor


@pytest.fixture
def one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands compile in a thread, in place of processes that would import all of it again."""
    for command in (compile_many, tune):
        monkeypatch.setattr(command, "opened_executor", _thread)
