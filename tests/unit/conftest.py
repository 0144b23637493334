"""Fixtures of all unit tests."""

import gc
import os
from collections.abc import Callable

import pytest

from tests.stub_driver.library import Stub, build, compiler
from tests.unit import tools
from tileir_xdsl.runtime.lowering import VERIFY_EACH_VARIABLE

# Also for the commands that tests start.
os.environ.setdefault(VERIFY_EACH_VARIABLE, "1")


def pytest_collection_finish() -> None:
    """Tells the garbage collector that modules and collected tests stay: some 8 % of the time."""
    gc.freeze()


@pytest.fixture
def filecheck() -> Callable[[str, str], None]:
    """FileCheck in process: `filecheck(text, checks)`, where `checks` holds `// CHECK` lines."""
    return tools.check


@pytest.fixture(scope="session")
def stub_driver(tmp_path_factory: pytest.TempPathFactory) -> Stub:
    """A driver without a GPU, for processes that tests start."""
    folder = tmp_path_factory.mktemp("stub_driver")
    build(folder, compiler())
    return Stub(folder)
