"""Every test of parts begins and ends without extensions."""

import pytest


@pytest.fixture(autouse=True)
def forgotten(forgotten_extensions: None) -> None:
    """Before a test of one file registers its own."""
