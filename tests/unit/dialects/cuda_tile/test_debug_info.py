"""Debug information as attributes and locations."""

import pytest
from xdsl.dialects.builtin import FileLineColLoc, FusedLoc, IntAttr, NoneAttr, StringAttr
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError

from tests.unit.tools import context
from tileir_xdsl.dialects.cuda_tile import (
    DICompileUnitAttr,
    DIFileAttr,
    DILexicalBlockAttr,
    DISubprogramAttr,
    location_in_scope,
    scoped_location,
)

FILE = DIFileAttr("kernel.py", "/home/user")
UNIT = DICompileUnitAttr(FILE)
SUBPROGRAM = DISubprogramAttr(FILE, 4, "f", "f_1", UNIT, 5)
FILE_TEXT = '#cuda_tile.di_file<"kernel.py" in "/home/user">'
UNIT_TEXT = f"#cuda_tile.di_compile_unit<file = {FILE_TEXT}>"
SUBPROGRAM_TEXT = (
    f'#cuda_tile.di_subprogram<file = {FILE_TEXT}, line = 4, name = "f", linkageName = "f_1", '
    f"compileUnit = {UNIT_TEXT}, scopeLine = 5>"
)


@pytest.mark.parametrize(
    ("attribute", "text"),
    [
        (FILE, FILE_TEXT),
        (UNIT, UNIT_TEXT),
        (SUBPROGRAM, SUBPROGRAM_TEXT),
        (
            DISubprogramAttr(FILE, 4, "f", "f_1", UNIT),
            SUBPROGRAM_TEXT.replace(", scopeLine = 5", ""),
        ),
        (
            DILexicalBlockAttr(SUBPROGRAM, FILE, 7, 2),
            f"#cuda_tile.di_lexical_block<scope = {SUBPROGRAM_TEXT}, file = {FILE_TEXT}, line = 7, column = 2>",
        ),
        (
            DILexicalBlockAttr(SUBPROGRAM, FILE, 7),
            f"#cuda_tile.di_lexical_block<scope = {SUBPROGRAM_TEXT}, file = {FILE_TEXT}, line = 7>",
        ),
    ],
)
def test_text(attribute: object, text: str):
    assert str(attribute) == text
    assert Parser(context(), text).parse_attribute() == attribute


def test_missing_field():
    with pytest.raises(ParseError, match="expected 'line'"):
        Parser(context(), SUBPROGRAM_TEXT.replace("line", "row")).parse_attribute()


def test_locations_know_their_scope():
    block = DILexicalBlockAttr(SUBPROGRAM, FILE, 7)
    for scope in (SUBPROGRAM, block):
        found = scoped_location(location_in_scope("kernel.py", 8, 3, scope))
        assert found == (FileLineColLoc(StringAttr("kernel.py"), IntAttr(8), IntAttr(3)), scope)


def test_other_locations_have_no_scope():
    location = FileLineColLoc(StringAttr("kernel.py"), IntAttr(8), IntAttr(3))
    assert scoped_location(location) is None
    assert scoped_location(FusedLoc((location,), NoneAttr())) is None
    assert scoped_location(FusedLoc((location, location), SUBPROGRAM)) is None
