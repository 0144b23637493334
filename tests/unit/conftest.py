"""Fixtures of all unit tests."""

from collections.abc import Callable

import pytest

from tests.unit import tools


@pytest.fixture
def filecheck() -> Callable[[str, str], None]:
    """FileCheck in process: `filecheck(text, checks)`, where `checks` holds `// CHECK` lines."""
    return tools.check
