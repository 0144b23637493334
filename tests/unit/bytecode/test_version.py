"""Versions of bytecode: text of each, and that no other text is one."""

import pytest

from tileir_xdsl.bytecode import version
from tileir_xdsl.bytecode.errors import BytecodeError

KNOWN = [str(each) for each in version.VERSIONS]


@pytest.mark.parametrize("text", KNOWN)
def test_text_of_each(text: str):
    assert str(version.Version.parse(text)) == text


@pytest.mark.parametrize("change", ["{}0", "{} ", " {}", "{}.0", "1{}", "{}a"])
@pytest.mark.parametrize("text", KNOWN)
def test_text_around_a_version(text: str, change: str):
    with pytest.raises(BytecodeError, match="unsupported Tile version"):
        version.Version.parse(change.format(text))
