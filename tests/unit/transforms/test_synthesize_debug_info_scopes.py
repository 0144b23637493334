"""Scopes for functions that have none."""

import pytest
from xdsl.dialects.builtin import (
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    LocationAttr,
    ModuleOp,
    NameLoc,
    NoneAttr,
    StringAttr,
    UnknownLoc,
)

from tileir_xdsl.dialects.cuda_tile import (
    DICompileUnitAttr,
    DIFileAttr,
    DISubprogramAttr,
    EntryOp,
    GlobalOp,
    MakeTokenOp,
    location_in_scope,
)
from tileir_xdsl.testing.tools import context, parse, to_text
from tileir_xdsl.transforms.synthesize_debug_info_scopes import (
    SynthesizeDebugInfoScopesPass,
    file_location,
)


def at(line: int, column: int = 1, name: str = "/src/k.py") -> FileLineColLoc:
    return FileLineColLoc(StringAttr(name), IntAttr(line), IntAttr(column))


UNKNOWN = UnknownLoc()


def scoped(function: LocationAttr, operation: LocationAttr) -> ModuleOp:
    """A module after the pass, whose function and operation were at these locations."""
    module = parse("""
        cuda_tile.module @m {
          global @g <f32: 1.0> : tile<1xf32>
          entry @f() {
            %0 = constant <i1: true> : tile<i1>
            if %0 { %1 = make_token : token }
          }
        }
    """)
    for op in module.walk():
        if isinstance(op, EntryOp | MakeTokenOp):
            op.location = function if isinstance(op, EntryOp) else operation
    SynthesizeDebugInfoScopesPass().apply(context(), module)
    module.verify()
    return module


def location(module: ModuleOp, kind: type) -> object:
    return next(op.location for op in module.walk() if isinstance(op, kind))


def subprogram(file: DIFileAttr, line: int) -> DISubprogramAttr:
    return DISubprogramAttr(file, line, "f", "f", DICompileUnitAttr(file), line)


def test_operations_are_in_the_function():
    module = scoped(at(5), at(7, 4))
    scope = subprogram(DIFileAttr("k.py", "/src"), 5)
    assert location(module, EntryOp) == location_in_scope("/src/k.py", 5, 1, scope)
    assert location(module, MakeTokenOp) == location_in_scope("/src/k.py", 7, 4, scope)
    assert location(module, GlobalOp) == UNKNOWN


def test_operations_elsewhere_are_where_the_function_is():
    module = scoped(NameLoc(StringAttr("f"), at(5, 2, "k.py")), UNKNOWN)
    scope = subprogram(DIFileAttr("k.py", ""), 5)
    assert location(module, MakeTokenOp) == location_in_scope("k.py", 5, 2, scope)


def test_unknown_function():
    module = scoped(UNKNOWN, at(3))
    scope = subprogram(DIFileAttr("<unknown>", ""), 1)
    assert location(module, EntryOp) == location_in_scope("<unknown>", 1, 1, scope)
    assert location(module, MakeTokenOp) == location_in_scope("/src/k.py", 3, 1, scope)


def test_scopes_that_are_there_stay():
    scope = DISubprogramAttr(
        DIFileAttr("a.py", "/"), 2, "source", "f", DICompileUnitAttr(DIFileAttr("a.py", "/"))
    )
    inside = location_in_scope("/a.py", 2, 1, scope)
    module = scoped(inside, at(7))
    assert location(module, EntryOp) == inside
    assert location(module, MakeTokenOp) == at(7)


def test_again_changes_nothing():
    module = scoped(at(5), at(7))
    before = [op.location for op in module.walk()]
    SynthesizeDebugInfoScopesPass().apply(context(), module)
    assert [op.location for op in module.walk()] == before
    assert to_text(module)


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (UNKNOWN, None),
        (at(1), at(1)),
        (NameLoc(StringAttr("x"), at(2)), at(2)),
        (NameLoc(StringAttr("x"), NoneAttr()), None),
        (CallSiteLoc(at(3), at(4)), at(3)),
        (FusedLoc((UNKNOWN, at(5), at(6)), NoneAttr()), at(5)),
        (FusedLoc((UNKNOWN,), NoneAttr()), None),
    ],
)
def test_file_location(where: LocationAttr, expected: FileLineColLoc | None):
    assert file_location(where) == expected
