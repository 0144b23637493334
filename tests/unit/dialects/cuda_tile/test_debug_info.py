"""Debug information as attributes and locations."""

import pytest
from xdsl.dialects.builtin import (
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    LocationAttr,
    NameLoc,
    NoneAttr,
    StringAttr,
    UnknownLoc,
)
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError, VerifyException

from tests.unit.tools import context, parse
from tileir_xdsl.dialects.cuda_tile import (
    DICompileUnitAttr,
    DIFileAttr,
    DILexicalBlockAttr,
    DILocalScopeAttr,
    DISubprogramAttr,
    EntryOp,
    GlobalOp,
    MakeTokenOp,
    location_in_scope,
    scoped_location,
)

FILE = DIFileAttr("kernel.py", "/home/user")
UNIT = DICompileUnitAttr(FILE)
SUBPROGRAM = DISubprogramAttr(FILE, 4, "f", "f_1", UNIT, 5)
FILE_TEXT = '#cuda_tile.di_file<"kernel.py" in "/home/user">'
NESTED_FILE = '<"kernel.py" in "/home/user">'
UNIT_TEXT = f"#cuda_tile.di_compile_unit<file = {NESTED_FILE}>"
SUBPROGRAM_TEXT = (
    f'#cuda_tile.di_subprogram<file = {NESTED_FILE}, line = 4, name = "f", linkageName = "f_1", '
    f"compileUnit = <file = {NESTED_FILE}>, scopeLine = 5>"
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
            f"#cuda_tile.di_lexical_block<scope = {SUBPROGRAM_TEXT}, file = {NESTED_FILE}, "
            "line = 7, column = 2>",
        ),
        (
            DILexicalBlockAttr(SUBPROGRAM, FILE, 7),
            f"#cuda_tile.di_lexical_block<scope = {SUBPROGRAM_TEXT}, file = {NESTED_FILE}, line = 7>",
        ),
    ],
)
def test_text(attribute: object, text: str):
    assert str(attribute) == text
    assert Parser(context(), text).parse_attribute() == attribute


@pytest.mark.parametrize("location", ['loc("kernel.py":4:1)', "#loc"])
def test_a_location_in_a_scope(location: str):
    text = f"""
        #loc = loc("kernel.py":4:1)
        #scope = {SUBPROGRAM_TEXT}
        "test.op"() : () -> () loc(#cuda_tile.di_loc<{location} in #scope>)
    """
    (op,) = parse(text).body.ops
    assert op.location == location_in_scope("kernel.py", 4, 1, SUBPROGRAM)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"#cuda_tile.di_loc<{FILE_TEXT} in {SUBPROGRAM_TEXT}>", "expected a location"),
        (f"#cuda_tile.di_loc<loc(unknown) in {FILE_TEXT}>", "expected a debug info scope"),
    ],
)
def test_what_is_no_location_in_a_scope(text: str, message: str):
    with pytest.raises(ParseError) as error:
        Parser(context(), text).parse_attribute()
    assert error.value.msg == f"invalid kind of attribute specified: {message}"


def test_nested_attributes_may_carry_their_names():
    text = f"#cuda_tile.di_compile_unit<file = {FILE_TEXT}>"
    assert Parser(context(), text).parse_attribute() == UNIT
    with pytest.raises(ParseError, match=r"expected cuda_tile\.di_file"):
        Parser(context(), "#cuda_tile.di_compile_unit<file = 5>").parse_attribute()


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


OTHER = DISubprogramAttr(FILE, 9, "g", "g", UNIT)
F = DISubprogramAttr(FILE, 4, "f", "f", UNIT)
B = DILexicalBlockAttr(F, FILE, 7)
PLAIN = FileLineColLoc(StringAttr("kernel.py"), IntAttr(8), IntAttr(3))
UNKNOWN = UnknownLoc()


def at(scope: DILocalScopeAttr) -> LocationAttr:
    return location_in_scope("kernel.py", 8, 3, scope)


IN_F, IN_OTHER, IN_B = at(F), at(OTHER), at(B)


@pytest.mark.parametrize(
    ("function", "operation", "variable", "message"),
    [
        (IN_F, IN_F, UNKNOWN, None),
        (IN_F, IN_B, PLAIN, None),
        (IN_F, CallSiteLoc(IN_OTHER, IN_B), UNKNOWN, None),
        (IN_F, NameLoc(StringAttr("name"), IN_B), UNKNOWN, None),
        (IN_F, FusedLoc((UNKNOWN, IN_B), NoneAttr()), UNKNOWN, None),
        (UNKNOWN, UNKNOWN, UNKNOWN, None),
        (
            IN_B,
            IN_B,
            UNKNOWN,
            f"'cuda_tile.entry' op invalid function debug info scope: {B}. Function location must "
            "have cuda_tile.di_subprogram debug info scope.",
        ),
        (
            IN_OTHER,
            IN_OTHER,
            UNKNOWN,
            f"'cuda_tile.entry' op invalid function debug info scope: {OTHER}. Function name "
            '"f" does not match subprogram scope linkage name "g".',
        ),
        (
            UNKNOWN,
            IN_B,
            UNKNOWN,
            f"invalid operation debug info scope: {B}. Operation has debug info scope, but "
            "function debug info scope is undefined.",
        ),
        (
            IN_F,
            FusedLoc((UNKNOWN, NameLoc(StringAttr("name"), IN_OTHER)), NoneAttr()),
            UNKNOWN,
            f"invalid operation debug info scope: {OTHER}. Operation debug info scope does not "
            f"match function debug info scope: {F}.",
        ),
        (
            IN_F,
            CallSiteLoc(IN_B, IN_OTHER),
            UNKNOWN,
            f"invalid operation debug info scope: {OTHER}. Operation debug info scope does not "
            f"match function debug info scope: {F}.",
        ),
        (
            IN_F,
            IN_F,
            IN_F,
            f"invalid operation debug info scope: {F}. Global variables must not have scope.",
        ),
        (
            CallSiteLoc(IN_F, IN_F),
            IN_F,
            UNKNOWN,
            f"'cuda_tile.entry' op invalid function debug info location: {CallSiteLoc(IN_F, IN_F)}."
            " Function location must not be a CallSiteLoc.",
        ),
    ],
)
def test_scopes_agree(
    function: LocationAttr, operation: LocationAttr, variable: LocationAttr, message: str | None
):
    module = parse(
        """
        cuda_tile.module @m {
          global @g <f32: 1.0> : tile<1xf32>
          entry @f() {
            %0 = constant <i1: true> : tile<i1>
            if %0 { %1 = make_token : token }
          }
        }
        """
    )
    for op in module.walk():
        match op:
            case GlobalOp():
                op.location = variable
            case EntryOp():
                op.location = function
            case MakeTokenOp():
                op.location = operation
            case _:
                pass
    if message is None:
        module.verify()
        return
    with pytest.raises(VerifyException) as error:
        module.verify()
    assert str(error.value) == message
