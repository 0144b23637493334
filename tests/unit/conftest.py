"""Fixtures of all unit tests."""

import os
from collections.abc import Callable

import pytest

from tests.unit import tools
from tileir_xdsl.runtime.lowering import VERIFY_EACH_VARIABLE

# Also for the commands that tests start.
os.environ.setdefault(VERIFY_EACH_VARIABLE, "1")


@pytest.fixture
def filecheck() -> Callable[[str, str], None]:
    """FileCheck in process: `filecheck(text, checks)`, where `checks` holds `// CHECK` lines."""
    return tools.check
