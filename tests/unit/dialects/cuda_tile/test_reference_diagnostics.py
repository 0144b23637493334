"""Every diagnostic of the reference implementation is produced by a test, or cannot occur.

`reference_diagnostics.txt` holds them with § for what is filled in. Produced is what an `invalid_*`
file of the lit tests expects, or what a test of this folder compares with, word for word.
"""

import ast
import re

import pytest

from docs.cuda_tile import CANNOT_OCCUR
from tests.unit.dialects.cuda_tile import samples
from tests.unit.dialects.cuda_tile.test_invalid import template
from tests.unit.tools import REPOSITORY

FOLDER = REPOSITORY / "tests/unit/dialects/cuda_tile"
FILE = FOLDER / "reference_diagnostics.txt"
TESTS_OF_MESSAGES = ("attributes", "debug_info", "hints", "types")
REFERENCE = [
    line for line in FILE.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"
]


def produced() -> list[str]:
    """Every message that a test expects."""
    messages = [
        message
        for path in sorted(samples.FILECHECK.glob("invalid_*.mlir"))
        for message, _ in samples.chunks(path)
    ]
    for name in TESTS_OF_MESSAGES:
        source = (FOLDER / f"test_{name}.py").read_text(encoding="utf-8")
        strings = (template(n) for n in ast.walk(ast.parse(source)) if isinstance(n, ast.expr))
        messages += [text for text in strings if text is not None]
    return messages


PRODUCED = "\n".join(produced())


@pytest.mark.parametrize("text", REFERENCE)
def test_produced_or_impossible(text: str):
    pattern = "[^\n]*".join(map(re.escape, text.split("§")))
    assert (re.search(pattern, PRODUCED) is None) == (text in CANNOT_OCCUR)


def test_few_cannot_occur():
    assert set(CANNOT_OCCUR) <= set(REFERENCE)
    assert len(REFERENCE) == len(set(REFERENCE))
    assert len(CANNOT_OCCUR) <= 0.05 * len(REFERENCE)
