"""Every diagnostic of the dialect, word for word, each triggered alone."""

import re

import pytest

from tests.unit.dialects.nv_tileaa.samples import broken_rules
from tests.unit.dialects.nv_tileaa.test_invalid import diagnostic, diagnostics_in_source
from tests.unit.dialects.nv_tileas import samples

CHUNKS = [
    pytest.param(message, text, id=f"{name}: {message}")
    for name, path in samples.INVALID.items()
    for message, text in broken_rules(path)
]

FOLDERS = ("nv_tileas", "async_", "tile")


@pytest.mark.parametrize(("message", "text"), CHUNKS)
def test_message(message: str, text: str):
    # What xDSL says of the type of an operand goes on in a second line.
    assert diagnostic(text).splitlines()[0] == message


@pytest.mark.parametrize("text", sorted(set(diagnostics_in_source(FOLDERS))))
def test_every_rule_is_broken_by_a_test(text: str):
    pattern = re.compile(".*".join(map(re.escape, text.split("§"))))
    messages = [str(chunk.values[0]) for chunk in CHUNKS]
    assert any(pattern.fullmatch(message) for message in messages), text
