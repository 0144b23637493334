"""Debug information as attributes and locations."""

from collections.abc import Iterable

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
from tileir_xdsl.testing.tools import context, parse

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
        (
            f"#cuda_tile.di_loc<{FILE_TEXT} in {SUBPROGRAM_TEXT}>",
            "parameter 'sourceLoc' which is to be a `FileLineColLoc`",
        ),
        (
            f"#cuda_tile.di_loc<loc(unknown) in {FILE_TEXT}>",
            "parameter 'scope' which is to be a `DILocalScopeAttr`",
        ),
    ],
)
def test_what_is_no_location_in_a_scope(text: str, message: str):
    with pytest.raises(ParseError) as error:
        Parser(context(), text).parse_attribute()
    assert error.value.msg == (
        f"invalid kind of attribute specified\nfailed to parse CudaTile_DILocAttr {message}"
    )


def test_nested_attributes_may_carry_their_names():
    text = f"#cuda_tile.di_compile_unit<file = {FILE_TEXT}>"
    assert Parser(context(), text).parse_attribute() == UNIT


FIELDS = {
    "file": ("DIFileAttr", NESTED_FILE, "5", "expected '<'"),
    "line": ("unsigned", "4", '"4"', "expected integer value"),
    "name": ("StringAttr", '"f"', "4", "invalid kind of attribute specified"),
    "linkageName": ("StringAttr", '"f"', "f", "expected attribute value"),
    "compileUnit": (
        "DICompileUnitAttr",
        f"<file = {NESTED_FILE}>",
        FILE_TEXT,
        "invalid kind of attribute specified",
    ),
    "scope": (
        "DILocalScopeAttr",
        SUBPROGRAM_TEXT,
        FILE_TEXT,
        "invalid kind of attribute specified",
    ),
    "scopeLine": ("unsigned", "5", "-1", "expected integer value"),
    "column": ("unsigned", "2", "4294967296", "integer value too large"),
}
"""Every parameter of a debug info attribute: its C++ type, a value, a wrong one, and its report."""

STRUCTS = {
    "di_compile_unit": ("CudaTile_DICompileUnitAttr", ["file"]),
    "di_subprogram": (
        "CudaTile_DISubprogramAttr",
        ["file", "line", "name", "linkageName", "compileUnit", "scopeLine"],
    ),
    "di_lexical_block": ("CudaTile_DILexicalBlockAttr", ["scope", "file", "line", "column"]),
}
"""The name of the definition and the parameters of each attribute that is a struct."""

OPTIONAL = ("scopeLine", "column")


def struct(attribute: str, fields: Iterable[tuple[str, str]]) -> str:
    """The text of an attribute with these names and values."""
    return f"#cuda_tile.{attribute}<{', '.join(f'{name} = {value}' for name, value in fields)}>"


def message(text: str) -> str:
    """What reading the attribute reports."""
    with pytest.raises(ParseError) as error:
        Parser(context(), text).parse_attribute()
    return error.value.msg


EACH_FIELD = [(attribute, name) for attribute, (_, names) in STRUCTS.items() for name in names]


@pytest.mark.parametrize(("attribute", "name"), EACH_FIELD)
def test_each_parameter_of_a_struct(attribute: str, name: str):
    definition, names = STRUCTS[attribute]
    fields = [(n, FIELDS[n][1]) for n in names]
    whole = Parser(context(), struct(attribute, fields)).parse_attribute()
    assert Parser(context(), struct(attribute, reversed(fields))).parse_attribute() == whole

    type_, value, wrong, report = FIELDS[name]
    others = [field for field in fields if field[0] != name]
    assert message(struct(attribute, [*others, (name, wrong)])) == (
        f"{report}\nfailed to parse {definition} parameter '{name}' which is to be a `{type_}`"
    )
    unknown = [("row" if n == name else n, v) for n, v in fields]
    assert message(struct(attribute, unknown)) == "duplicate or unknown struct parameter name: row"
    if len(fields) == 1:
        # Without optional parameters, as many are read as there are.
        assert message(struct(attribute, [*fields, (name, value)])) == "expected '>'"
        assert message(struct(attribute, others)) == (
            "expected valid keyword\nexpected a parameter name in struct"
        )
        return
    assert message(struct(attribute, [*fields, (name, value)])) == (
        f"duplicate or unknown struct parameter name: {name}"
    )
    if name in OPTIONAL:
        Parser(context(), struct(attribute, others)).parse_attribute()
    else:
        missing = f"struct is missing required parameter: {name}"
        assert message(struct(attribute, others)) == missing
    first = struct(attribute, [(name, value), *others])
    assert message(first.replace(f"{name} =", name, 1)) == "expected '='"


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
