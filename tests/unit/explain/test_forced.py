"""Choices that an option forces on ops, named by function and number."""

import pytest
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.dialects.nv_tileaa.core import FuncOp
from tileir_xdsl.explain import OperationLabels
from tileir_xdsl.explain.forced import forced_ops
from tileir_xdsl.testing import tools

FUNCTION = """
  nv_tileaa.func @{name}() {{
    %a = arith.constant 1 : i32
    %b = arith.constant 2 : i32
    nv_tileaa.return
  }}
"""


def labels(*names: str) -> dict[FuncOp, OperationLabels]:
    module = tools.parse(f"builtin.module {{ {''.join(FUNCTION.format(name=n) for n in names)} }}")
    functions = [op for op in module.walk() if isinstance(op, FuncOp)]
    return {function: OperationLabels(function) for function in functions}


def forced(option: str | None, *names: str) -> dict[tuple[str, int], str]:
    """What is forced, by function and number."""
    known = labels(*names)
    return {
        (function.sym_name.data, known[function].number(op)): choice
        for op, choice in forced_ops(option, known).items()
        for function in known
        if function.is_ancestor(op)
    }


def test_a_function_has_a_name_with_or_without_an_at_sign():
    expected = {("k", 0): "x", ("other", 1): "y"}
    for option in ("k#0=x,other#1=y", "@k#0=x,@other#1=y", " @k#0 = x , other#1 = y,"):
        assert forced(option, "k", "other") == expected
    assert forced("#1=x", "k") == forced("@k#1=x", "k") == {("k", 1): "x"}
    assert forced(None, "k") == forced("", "k") == {}


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("x", "got 'x'"),
        ("#a=x", "got '#a=x'"),
        ("#0=x", "expected the name of a function before '#0'"),
        ("j#0=x", "names the function 'j', expected one of k, other"),
        ("k#9=x", "names op #9, which 'k' does not have"),
    ],
)
def test_what_is_not_there(option: str, message: str):
    with pytest.raises(PassFailedException, match=message):
        forced(option, "k", "other")
