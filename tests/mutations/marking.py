"""A plugin of pytest: writes which marks each test passes, and its seconds, one JSON list a line."""

from __future__ import annotations

import builtins
import json
import os
import time
from collections.abc import Generator

import pytest

FILE = "TILEIR_MARKS"
"""The environment variable with the file to write."""
_NAME = "__passed__"
_passed = set[str]()


def call(digest: str) -> str:
    """The statement that marks a fault; it needs no import, and does nothing without the plugin."""
    return f'__import__("builtins").__dict__.get("{_NAME}", len)("{digest}")'


def pytest_configure() -> None:
    """Lets marks tell that they are passed."""
    setattr(builtins, _NAME, _passed.add)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Writes a line for each test that passes a mark."""
    _passed.clear()
    start = time.perf_counter()
    result = yield
    # A name with the folder of this copy is that of no test in another one.
    if _passed and str(item.config.rootpath) not in item.nodeid:
        row = item.nodeid, round(time.perf_counter() - start, 3), sorted(_passed)
        # Lines of several processes do not mix: each is one write at the end of the file.
        with open(os.environ[FILE], "ab", buffering=0) as stream:
            stream.write(f"{json.dumps(row)}\n".encode())
    return result
