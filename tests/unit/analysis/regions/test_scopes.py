"""Functions are worked on one by one, and after them what stands outside of functions."""

from tests.unit import tools
from tileir_xdsl.analysis.regions.scopes import scope_name, scopes_of

FUNCTIONS = (
    "nv_tileaa.func @f() {\nnv_tileaa.return\n}\nnv_tileaa.func @g() {\nnv_tileaa.return\n}\n"
)


def _names(text: str) -> list[str]:
    return [scope_name(scope) for scope in scopes_of(tools.parse(text))]


def test_functions():
    assert _names(FUNCTIONS) == ["f", "g"]


def test_functions_of_inner_modules():
    assert _names(f"builtin.module {{\n{FUNCTIONS}}}\n") == ["f", "g"]


def test_what_stands_outside_comes_last():
    assert _names("%c = arith.constant 1 : i32\n" + FUNCTIONS) == ["f", "g", "module"]


def test_declarations_have_nothing_to_work_on():
    assert _names("nv_tileaa.func @f()\n") == []
