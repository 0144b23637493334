"""Errors as one line each."""

import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import (
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    ModuleOp,
    NameLoc,
    NoneAttr,
    StringAttr,
    UnknownLoc,
)
from xdsl.ir import Attribute, Block, Region
from xdsl.utils.exceptions import PassFailedException, VerifyException

from tileir_xdsl.diagnostics import fail, location_text
from tileir_xdsl.runtime.diagnostics import (
    errors_in,
    failing_operation,
    operation_location,
)
from tileir_xdsl.runtime.errors import InputError

HERE = FileLineColLoc(StringAttr("a.py"), IntAttr(3), IntAttr(4))


@pytest.mark.parametrize(
    ("location", "text"),
    [
        (HERE, "a.py:3:4"),
        (NameLoc(StringAttr("x"), HERE), "a.py:3:4"),
        (FusedLoc((UnknownLoc(), HERE), NoneAttr()), "a.py:3:4"),
        (UnknownLoc(), None),
    ],
)
def test_location_text(location: Attribute, text: str | None):
    assert location_text(location) == text


def test_an_op_without_location_stands_where_its_parent_does():
    inner = test.TestOp()
    outer = test.TestOp(regions=[Region(Block([inner]))])
    assert operation_location(inner, "f") == "f"
    outer.location = HERE
    assert operation_location(inner, "f") == "a.py:3:4"
    assert operation_location(None, "f") == "f"


def raise_at(inner: test.TestOp, error: Exception) -> None:
    with errors_in("f"):
        inner.emit_error("message", error)


@pytest.mark.parametrize("error", [PassFailedException, VerifyException])
def test_the_failing_op_is_found(error: type[Exception]):
    inner = test.TestOp()
    module = ModuleOp([test.TestOp(), inner])
    inner.location = HERE
    with pytest.raises(InputError) as raised:
        raise_at(inner, error("\n  not \n possible"))
    assert str(raised.value) == "a.py:3:4: error: not possible"
    # One error is shown, and the other one kept.
    assert raised.value.__cause__ is None and raised.value.__suppress_context__
    assert isinstance(raised.value.__context__, error)
    assert failing_operation(raised.value.__context__) is inner
    module.erase()


def refuse(inner: test.TestOp) -> None:
    with errors_in("f"):
        fail(inner, "not possible")


def test_the_op_of_a_refusal_is_found_without_the_module():
    inner = test.TestOp()
    module = ModuleOp([test.TestOp(), inner])
    with pytest.raises(InputError) as raised:
        refuse(inner)
    assert failing_operation(raised.value.__context__ or raised.value) is inner
    # Where no location is known, the note shows the op; never the module.
    assert raised.value.notes == ("""see 'test.op' op: "test.op"() : () -> ()""",)
    inner.location = HERE
    with pytest.raises(InputError, match=r"^a.py:3:4: error: not possible$") as raised:
        refuse(inner)
    assert raised.value.notes == ("""see 'test.op' op at loc("a.py":3:4)""",)
    module.erase()


def test_errors_of_other_classes():
    with pytest.raises(InputError, match=r"^f: error: 'key'$"), errors_in("f", KeyError):
        raise KeyError("key")
    located = pytest.raises(InputError, match=r"^a b.mlir:3:4: error: no: 5:6: way$")
    with located, errors_in("f", RuntimeError):
        raise RuntimeError("a b.mlir:3:4: no: 5:6: way")
    with pytest.raises(KeyError), errors_in("f"):
        raise KeyError("key")
