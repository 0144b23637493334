"""What each form of a fence, barrier, wait and commit orders: the table, its tests and its page."""

import re

import pytest

from tests.litmus.checks import check
from tests.litmus.orders import BEGIN, END, PAGE, ROOT, ROWS, Row, litmus_path, row_of, table
from tests.litmus.syntax import read_test
from tileir_xdsl.emulator.instructions.form import Form
from tileir_xdsl.emulator.instructions.table import FORM_TABLE

_ORDERING = re.compile(
    r"(fence|membar|bar|barrier|griddepcontrol)\b"
    r"|mbarrier\.(arrive|<what|<wait)"
    r"|cp\.async\.(commit|wait|mbarrier|bulk\.(commit|wait))"
    r"|(wgmma|tcgen05)\.(fence|commit|wait)|tensormap\.cp_fenceproxy"
)


def _choices(text: str) -> list[str]:
    found = re.search(r"<\w+:([^>]*)>", text)
    if found is None:
        return [text]
    start, end = text[: found.start()], text[found.end() :]
    return [each for part in found[1].split("|") for each in _choices(start + part + end)]


def spellings(form: Form) -> list[str]:
    """The mnemonics of a form: each of its choices, with and without what may be left out."""
    found = [""]
    for piece in re.finditer(r"\{([^}]*)\}|([^{}]+)", form.mnemonic):
        more = [start + end for start in found for end in _choices(piece[1] or piece[2])]
        found = more + (found if piece[1] is not None else [])
    return found


def test_every_form_has_a_row():
    forms = [form for form in FORM_TABLE.forms if _ORDERING.match(form.syntax)]
    assert len(forms) > 30
    missing = [text for form in forms for text in spellings(form) if row_of(text) is None]
    assert not missing


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.form)
@pytest.mark.parametrize("side", ["enough", "less"])
def test_rows(row: Row, side: str):
    """A litmus test has a race exactly if something is missing; other tests are run where they are."""
    name = row.enough if side == "enough" else row.less
    if ".py::" in name:
        file, function = name.split("::")
        source = (ROOT / "tests" / "unit" / "emulator" / file).read_text("utf-8")
        assert f"\ndef {function}(" in source
        return
    test = read_test(litmus_path(name))
    assert test.is_racy == (side == "less")
    assert check(test, 20).problems == ()


def test_the_page_has_the_table():
    text = PAGE.read_text("utf-8")
    assert text.partition(BEGIN)[2].partition(END)[0].strip().splitlines() == list(table())
